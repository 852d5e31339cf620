package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// tableOf makes the table of pairs of games: half points of the first player in each, by pairing.
func tableOf(names []string, pairings [][2]int, pairs [][][2]int) Table {
	var players []Rating
	var results []Pairing
	for _, name := range names {
		players = append(players, Rating{Name: name})
	}
	for i, sides := range pairings {
		p := Pairing{First: names[sides[0]], Second: names[sides[1]], Sides: sides}
		for _, pair := range pairs[i] {
			p.Ptnml[pair[0]+pair[1]]++
			for _, points := range pair {
				p.Games++
				*[]*int{&p.Losses, &p.Draws, &p.Wins}[points]++
			}
		}
		p.update()
		results = append(results, p)
	}
	return NewTable(players, results)
}

// TestRatingsOfTwo checks that two players' ratings lie as far apart as their result says, with its error.
func TestRatingsOfTwo(t *testing.T) {
	var pairs [][2]int
	for i, n := range []int{10, 40, 100, 80, 20} {
		for range n {
			pairs = append(pairs, [][2]int{{0, 0}, {0, 1}, {1, 1}, {2, 1}, {2, 2}}[i])
		}
	}
	table := tableOf([]string{"a", "b"}, [][2]int{{0, 1}}, [][][2]int{pairs})
	a, b, r := table.Players[0], table.Players[1], table.First()
	if math.Abs(a.Elo-b.Elo-r.Elo) > 1e-3 || math.Abs(a.Elo+b.Elo) > 1e-3 {
		t.Errorf("%v and %v, the result says %v", a.Elo, b.Elo, r.Elo)
	}
	if math.Abs(2*a.Error-r.EloError) > 0.02*r.EloError || math.Abs(a.Error-b.Error) > 1e-6 {
		t.Errorf("errors %v and %v, the result says %v for both", a.Error, b.Error, r.EloError)
	}
}

// TestRatingsCover plays many small tournaments between players of known strength, and counts how often the interval of
// 95 % has the truth in it.
func TestRatingsCover(t *testing.T) {
	truth := []float64{90, 20, -10, -100} // the sum is 0
	pairings := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	source := rand.New(rand.NewPCG(5, 0))
	const tournaments = 300
	covered, bias := 0, make([]float64, len(truth))
	for range tournaments {
		pairs := make([][][2]int, len(pairings))
		for k, sides := range pairings {
			// An opening's bias for White cancels within a pair; a third of the games are drawn.
			score := 1 / (1 + math.Pow(10, (truth[sides[1]]-truth[sides[0]])/400))
			for range 30 {
				tilt := 0.15 * (source.Float64() - 0.5)
				var pair [2]int
				for i, s := range []float64{score + tilt, score - tilt} {
					switch x := source.Float64(); {
					case x < s-1.0/6:
						pair[i] = 2
					case x < s+1.0/6:
						pair[i] = 1
					}
				}
				pairs[k] = append(pairs[k], pair)
			}
		}
		table := tableOf([]string{"a", "b", "c", "d"}, pairings, pairs)
		for i, p := range table.Players {
			bias[i] += (p.Elo - truth[i]) / tournaments
			if math.Abs(p.Elo-truth[i]) <= p.Error {
				covered++
			}
		}
	}
	share := float64(covered) / float64(tournaments*len(truth))
	t.Logf("%.1f %% covered, bias %.1f", 100*share, bias)
	if share < 0.92 || share > 0.98 {
		t.Errorf("%.1f %% of the intervals have the truth in them, want 95 %%", 100*share)
	}
	for i, b := range bias {
		if math.Abs(b) > 4 {
			t.Errorf("player %d is rated %.1f too high", i, b)
		}
	}
}

func TestRatingsAtTheEdges(t *testing.T) {
	three := [][2]int{{0, 1}, {0, 2}, {1, 2}}
	won, drawnPair := [][2]int{{2, 2}, {2, 2}}, [][2]int{{1, 1}, {2, 0}}
	for _, c := range []struct {
		name  string
		pairs [][][2]int
	}{
		{"nothing was played", [][][2]int{nil, nil, nil}},
		{"one wins all", [][][2]int{won, won, drawnPair}},
		{"each beats the next", [][][2]int{won, won, won}},
		{"one has not played", [][][2]int{drawnPair, nil, nil}},
		{"all are drawn", [][][2]int{drawnPair, drawnPair, drawnPair}},
	} {
		table := tableOf([]string{"a", "b", "c"}, three, c.pairs)
		for i := range table.Players {
			p := &table.Players[i]
			if !(math.Abs(p.Elo) <= MaxElo) || !(p.Error >= 0 && p.Error <= MaxElo) {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if c.name == "one wins all" && !(table.Players[0].Elo > 400 && table.Players[0].Error == MaxElo &&
			math.Abs(table.Players[1].Elo-table.Players[2].Elo) < 0.01) {
			t.Errorf("%s: %+v", c.name, table.Players)
		}
		if text := table.String(); strings.Count(text, "\n") != 4 {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
