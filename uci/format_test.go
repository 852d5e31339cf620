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
