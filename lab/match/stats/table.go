package stats

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Table is the state of a match: the result of each pairing, and the ratings that follow from all of them.
type Table struct {
	Players  []Rating  `json:"players"`  // in the order of the configuration
	Pairings []Pairing `json:"pairings"` // in the order of the schedule
	Head     *Head     `json:"-"`        // nil: not known
}

// Pairing is the result between two players, from the side of the first.
type Pairing struct {
	First  string `json:"first"`
	Second string `json:"second"`
	Result
	Sides [2]int `json:"-"` // indices of the players
}

// Rating is the strength of a player among all.
type Rating struct {
	Name   string  `json:"name"`
	Games  int     `json:"games"`
	Points float64 `json:"points"`
	Elo    float64 `json:"elo"`       // the mean of all players is 0; within MaxElo
	Error  float64 `json:"elo_error"` // half of the 95 % interval; MaxElo where there is no bound

	Ponder    Pondering `json:"ponder,omitzero"`
	Incidents Incidents `json:"incidents"`
	Plays     string    `json:"plays,omitempty"`   // see Result
	Reports   []string  `json:"reports,omitempty"` // see Result
}

// First is the result of all games of the first player, from its side. Where there are two players it is the result of
// the match.
func (t *Table) First() Result {
	var results []*Result
	for i := range t.Pairings {
		if t.Pairings[i].Sides[0] == 0 {
			results = append(results, &t.Pairings[i].Result)
		}
	}
	return Total(results)
}

// Total adds results up. A single result stays as it is.
func Total(results []*Result) Result {
	var sum Result
	if len(results) == 1 {
		return *results[0]
	}
	for _, r := range results {
		sum.Incidents[0], sum.Overhead = r.Incidents[0], r.Overhead
		sum.Plays[0], sum.Reports[0] = r.Plays[0], r.Reports[0]
		sum.Games += r.Games
		sum.Wins += r.Wins
		sum.Draws += r.Draws
		sum.Losses += r.Losses
		sum.Crashes += r.Crashes
		sum.Timeouts += r.Timeouts
		sum.Illegal += r.Illegal
		sum.Tables += r.Tables
		sum.Ponder[0].add(r.Ponder[0])
		sum.Ponder[1].add(r.Ponder[1])
		sum.Forfeits[0] += r.Forfeits[0]
		sum.Forfeits[1] += r.Forfeits[1]
		for i, n := range r.Ptnml {
			sum.Ptnml[i] += n
		}
	}
	sum.update()
	return sum
}

// errorText is half of the interval of the rating.
func (r *Rating) errorText() string {
	if r.Error >= MaxElo {
		return "-"
	}
	return fmt.Sprintf("%.1f", r.Error)
}

// cross is the players from the best down, and the points of each against each, "-" where they do not meet.
func (t *Table) cross() (order []int, cells map[[2]int]string) {
	cells = map[[2]int]string{}
	for i := range t.Players {
		order = append(order, i)
		for j := range t.Players {
			cells[[2]int{i, j}] = "-"
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return t.Players[order[a]].Elo > t.Players[order[b]].Elo })
	for i := range t.Pairings {
		p := &t.Pairings[i]
		points := p.points()
		cells[p.Sides] = fmt.Sprintf("%g/%d", points, p.Games)
		cells[[2]int{p.Sides[1], p.Sides[0]}] = fmt.Sprintf("%g/%d", float64(p.Games)-points, p.Games)
	}
	return order, cells
}

// String is the cross table, with the best player first. A cell holds the points of the row's player against the
// column's.
//
//	    name      elo    error  games   points    score      1      2      3
//	1.  new     +35.2     41.0     80     44.0   55.0 %      -  22/40  22/40
func (t *Table) String() string {
	order, cells := t.cross()
	width, cell := len("name"), 5
	for i := range t.Players {
		width = max(width, utf8.RuneCountInString(t.Players[i].Name))
	}
	for _, text := range cells {
		cell = max(cell, len(text))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%3s  %-*s %8s %8s %6s %8s %8s", "", width, "name", "elo", "error", "games", "points", "score")
	for i := range order {
		fmt.Fprintf(&b, "  %*d", cell, i+1)
	}
	for place, i := range order {
		p := &t.Players[i]
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(p.Name))
		fmt.Fprintf(&b, "\n%2d.  %s%s %+8.1f %8s %6d %8.1f %6.1f %%", place+1, p.Name, pad, p.Elo, p.errorText(), p.Games,
			p.Points, 100*p.Points/float64(max(p.Games, 1)))
		for _, j := range order {
			fmt.Fprintf(&b, "  %*s", cell, cells[[2]int{i, j}])
		}
	}
	return b.String() + "\n"
}
