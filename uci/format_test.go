package uci

import (
	"testing"

	"tesla/search"
)

func TestSureLine(t *testing.T) {
	for want, s := range map[string]search.Sureness{
		"":                                 {},
		"info string sure 0.87 stays 0.93": {Best: 0.874, Stays: 0.93},
		"info string sure 0.99":            {Best: 0.99},
		"info string sure 0.50 expected 0.00 to 0.13": {Best: 0.5, High: 0.13},
	} {
		if got := sureLine(&s); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

// TestScoreText checks that scores are shown stretched, with their bounds.
func TestScoreText(t *testing.T) {
	stretched := search.Sureness{Stretch: 1.25}
	for want, in := range map[string]search.Info{
		"cp 50":            {Score: search.Score{CP: 50}},
		"cp 63 lowerbound": {Score: search.Score{CP: 50}, Bound: search.Lower, Sure: stretched},
		"cp -125":          {Score: search.Score{CP: -100}, Sure: stretched},
		"mate 3":           {Score: search.Score{Mate: 3}, Sure: stretched},
		"cp 19990":         {Score: search.ScoreFromCP(search.TableWinIn(10)), Sure: stretched},
	} {
		if got := scoreText(&in); got != want {
			t.Errorf("%+v: %q, want %q", in, got, want)
		}
	}
}
