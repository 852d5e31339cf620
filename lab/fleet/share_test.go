package fleet

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/lab/work"
)

// The runs get the time of a slot by their weights, however long their units take, and from the time on when they come.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := map[string]time.Duration{"a": time.Second, "b": 10 * time.Second, "d": time.Minute}
		w := &worker{runs: map[string]*engagement{
			"a": {id: "a", offer: offer{Weight: 1}, boards: boards(t)}, "b": {id: "b", offer: offer{Weight: 3}, boards: boards(t)},
			"c": {id: "c", offer: offer{Weight: 9}}, // not admitted
		}}
		for _, c := range []struct{ late, want string }{{"", "a 1 b 3"}, {"d", "a 1 b 3 d 2"}} {
			if c.late != "" {
				w.runs[c.late] = &engagement{id: c.late, offer: offer{Weight: 2}, had: w.least(), boards: boards(t)}
			}
			got := map[string]time.Duration{}
			for begun := time.Now(); time.Since(begun) < 10*time.Hour; {
				first := w.order(0)[0]
				played := w.charge(first)
				time.Sleep(took[first.id])
				played()
				got[first.id] += took[first.id]
			}
			var shares []string
			for _, id := range slices.Sorted(maps.Keys(got)) {
				shares = append(shares, fmt.Sprintf("%s %.0f", id, got[id].Seconds()/got["a"].Seconds()))
			}
			if text := strings.Join(shares, " "); text != c.want {
				t.Errorf("%s, want %s", text, c.want)
			}
		}
		if list := w.order(1); len(list) != 0 {
			t.Errorf("%d runs for a slot that they have no board for", len(list))
		}
	})
}

func boards(t *testing.T) work.Boards {
	o := match.Order{Conditions: make([]player.Condition, 2), Identities: make([]string, 2), Plan: match.Plan{Players: game(t, 2).Players,
		Games: 2, Patience: match.Default().Patience, Openings: match.Default().Openings}}
	for i := range o.Conditions {
		o.Conditions[i].Evals = 1
	}
	b, err := o.Open(t.Context(), 1, player.InProcess{Searcher: open}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// A match that is resumed without a worker plays that worker's games again, which the journal says. Clocks are
// multiplied by how much slower the worker is.
func TestWithout(t *testing.T) {
	at := serve(t, "")
	alone := game(t, 4)
	play(t, alone)
	stop := start(t, workerAt(t, at, "bad"))
	c := game(t, 4)
	for i := range c.Players {
		c.Players[i].Condition.Evals, c.Players[i].Condition.MoveTime = 0, time.Second
	}
	c = fleetOf(c, at)
	c.Files.PGN = c.Files.Journal + ".pgn"
	c.Distributor.(*Host).Prove = proof(7, 3000)
	play(t, c)
	stop()
	text, err := os.ReadFile(c.Files.Journal)
	if err != nil || strings.Count(string(text), `"worker":"bad","worker_nps":1000,"clock_factor":3`) != 4 {
		t.Errorf("%v\n%s", err, text)
	}
	c.Files.Resume, c.Without = true, []string{"bad"}
	c.Distributor = &Host{Address: at, Prove: proof(7, 9999), Beat: testBeat, Without: c.Without}
	start(t, workerAt(t, at, "good"))
	start(t, workerAt(t, at, "bad"))
	play(t, c)
	after, err := os.ReadFile(c.Files.Journal)
	if err != nil || strings.Count(string(after), `"worker":"good"`) != 4 || !strings.HasPrefix(string(after), string(text)+`{"without":["bad"]}`) {
		t.Errorf("%v\n%s", err, after)
	}
	games, err := match.ReadGames(c.Files.Journal, "", "")
	if err != nil || len(games.Facts) != 4 {
		t.Errorf("%v: %+v", err, games)
	}
	pgn, err := os.ReadFile(c.Files.PGN)
	if err != nil {
		t.Fatal(err)
	}
	c.Distributor, c.Without = nil, nil // all games are there
	r := play(t, c)
	again, err := os.ReadFile(c.Files.PGN)
	if err != nil || r.Games != 4 || !slices.Equal(again, pgn) || strings.Count(string(pgn), "[Event ") != 4 {
		t.Errorf("%d games, %v, and the PGN was %s\nand is %s", r.Games, err, pgn, again)
	}
}

// A test ends a match on a fleet by the games that it would have ended on in one process.
func TestEarlyEnd(t *testing.T) {
	alone := game(t, 400)
	alone.SPRT = &stats.SPRT{Elo1: 50, Alpha: 0.3, Beta: 0.3, Logistic: true}
	want := play(t, alone)
	if want.SPRT.Decision == stats.Undecided || want.Games != 2*want.SPRT.Pairs {
		t.Fatalf("%+v, %+v", want, want.SPRT)
	}
	at := serve(t, "")
	for _, name := range []string{"one", "two"} {
		w := workerAt(t, at, name)
		w.InProcess.Searcher = slowly(time.Millisecond)
		start(t, w)
	}
	c := fleetOf(game(t, 400), at)
	c.SPRT = alone.SPRT
	if r := play(t, c); r.Games != want.Games || r.LLR != want.LLR || r.Ptnml != want.Ptnml {
		t.Errorf("%+v, want %+v", r, want)
	}
}
