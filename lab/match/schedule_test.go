package match

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/lab/view"
)

func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		players, games int
		format         string
		pairings       int
	}{{2, 5, "", 1}, {2, 6, RoundRobin, 1}, {4, 4, RoundRobin, 6}, {4, 3, Gauntlet, 3}, {5, 1, Gauntlet, 4}} {
		s := newSchedule(c.players, c.games, c.format)
		if len(s.pairings) != c.pairings || s.total() != c.games*c.pairings {
			t.Errorf("%+v: %v", c, s)
		}
		played := make([][]int, c.pairings) // local numbers
		for number := range s.total() {
			f := s.at(number)
			want := s.pairings[f.pairing]
			if f.leg == 1 {
				want[0], want[1] = want[1], want[0]
			}
			if f.sides != want || f.round >= s.rounds() || f.local() != len(played[f.pairing]) {
				t.Errorf("%+v: game %d is %+v", c, number, f)
			}
			played[f.pairing] = append(played[f.pairing], f.local())
			for _, other := range played {
				if d := len(played[f.pairing]) - len(other); d > 2 {
					t.Errorf("%+v: a pairing is %d games ahead after game %d", c, d, number)
				}
			}
		}
	}
}

func TestGauntlet(t *testing.T) {
	config := Default()
	config.Players = []player.Player{{Name: "x"}, {}, {Condition: player.Condition{Nodes: 15}}, {}}
	config.Format, config.InProcess.Searcher, config.Games = Gauntlet, mockFactory, 3
	config.Condition.Evals, config.Adjudication.MaxMoves = 30, 25
	config.Machine.Concurrency = 2
	var out bytes.Buffer
	config.Output.Out = &out
	table, err := Play(t.Context(), config)
	if err != nil || len(table.Pairings) != 3 || len(table.Players) != 4 || table.First().Games != 9 {
		t.Fatalf("%+v, %v", table, err)
	}
	sum := 0.0
	for _, p := range table.Players {
		sum += p.Points
	}
	if sum != 9 || table.Players[0].Games != 9 || table.Players[3].Games != 3 || table.Players[3].Name != "tesla (d)" {
		t.Errorf("%+v", table.Players)
	}
	if !strings.Contains(out.String(), "game 9 of 9: x - tesla (d)") {
		t.Error(out.String())
	}
}

func TestLiveLine(t *testing.T) {
	config := Default()
	config.InProcess.Searcher, config.Games, config.Condition.Evals, config.Adjudication.MaxMoves = mockFactory, 2, 20, 10
	config.SPRT = &stats.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}
	var screen bytes.Buffer
	config.Output.Live, config.Output.Columns = &screen, func() int { return 70 }
	if _, err := run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	draws := strings.Split(screen.String(), "\r\x1b[K")
	last := draws[len(draws)-1]
	if len(draws) < 4 || !strings.HasPrefix(last, "[####################]   2/2  0:00 left  +") || !strings.HasSuffix(last, "\n") ||
		!strings.Contains(last, "  LLR ") {
		t.Errorf("%q", screen.String())
	}
	for _, line := range draws {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 69 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	for d, want := range map[time.Duration]string{59600 * time.Millisecond: "1:00", 0: "0:00", 2*time.Hour +
		5*time.Second: "2:00:05"} {
		if got := view.Clock(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}
