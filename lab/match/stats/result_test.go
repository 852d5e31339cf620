package stats

import (
	"math"
	"strings"
	"testing"
)

// TestStatistics checks against numbers worked out by hand: pairs 0, 1/2, 1, 3/2, 2 come 1, 4, 10, 8, 2 times.
//
//	n = 25 pairs, mean = (0 + 1 + 5 + 6 + 2)/25 = 0.56 of a pair's two points
//	variance = (1*0.56^2 + 4*0.31^2 + 10*0.06^2 + 8*0.19^2 + 2*0.44^2)/25 = 1.41/25 = 0.0564
//	standard error = sqrt(0.0564/25) = 0.047497
//	Elo = -400 log10(1/0.56 - 1) = 41.89; the interval of the score is 0.466907 .. 0.653093: -23.03 .. 109.93
//	normalized Elo = 0.06/sqrt(2*0.0564) * 800/ln(10) = 62.07
//	LOS = Phi(0.06/0.047497) = Phi(1.26323) = 0.8967
//	10 of 25 pairs are drawn, 10 are won, 5 are lost
func TestStatistics(t *testing.T) {
	r := Result{Games: 50, Wins: 18, Draws: 20, Losses: 12, Ptnml: [5]int{1, 4, 10, 8, 2}}
	r.update()
	for _, c := range []struct {
		name            string
		got, want, near float64
	}{
		{"elo", r.Elo, 41.89, 0.01},
		{"error", r.EloError, (109.93 + 23.03) / 2, 0.05},
		{"nelo", r.NElo, 62.07, 0.01},
		{"los", r.LOS, 0.8967, 0.0002},
		{"draw ratio", r.DrawRatio, 0.4, 1e-12},
		{"pairs ratio", r.PairsRatio, 2, 1e-12},
	} {
		if math.Abs(c.got-c.want) > c.near {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestStatisticsAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		r               Result
		elo, error, los float64
	}{
		{Result{}, 0, MaxElo, 0.5},
		{Result{Games: 1, Draws: 1}, 0, MaxElo, 0.5},
		{Result{Games: 4, Wins: 4, Ptnml: [5]int{4: 2}}, MaxElo, MaxElo, math.Erfc(-2/math.Sqrt2) / 2},
		{Result{Games: 4, Losses: 4, Ptnml: [5]int{2}}, -MaxElo, MaxElo, math.Erfc(2/math.Sqrt2) / 2},
		{Result{Games: 4, Wins: 2, Losses: 2, Ptnml: [5]int{2: 2}}, 0, MaxElo, 0.5},
		{Result{Games: 2, Draws: 2, Ptnml: [5]int{2: 1}}, 0, MaxElo, 0.5},
	} {
		c.r.update()
		if c.r.Elo != c.elo || c.r.EloError != c.error || math.Abs(c.r.LOS-c.los) > 1e-12 {
			t.Errorf("%+v, want %v %v %v", c.r, c.elo, c.error, c.los)
		}
		if c.r.String() == "" {
			t.Error("nothing is said")
		}
		if text := c.r.Text(); strings.Contains(text, "+- 0.00") || strings.Contains(text, "2000") {
			t.Errorf("a bound or a difference that nobody knows: %s", text)
		}
	}
}

// Games that were mostly lost on time say nothing of strength.
func TestMostlyForfeits(t *testing.T) {
	tally := Tally{}
	for i := range 40 {
		f := GameFact{Game: i, AWhite: i%2 == 0, Points: 2, Failure: FailureTime}
		if i < 2 {
			f.Points, f.Failure = 0, FailureNone
		}
		tally.Add(f)
	}
	r := tally.Result()
	if text := r.Text(); !strings.Contains(text, "Elo: none, since 38 of 40 games") || !strings.Contains(text, "wins 38, losses 2, draws 0") {
		t.Error(text)
	}
}

func TestIncidentText(t *testing.T) {
	if text := (Incidents{BadQuit: 1, OtherNodes: 38}).String(); text != "failures at quit 1, moves with other nodes than asked 38" {
		t.Error(text)
	}
}
