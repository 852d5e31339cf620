package match

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tesla/internal/slow"

	"tesla/board"
	"tesla/internal/cores"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

func TestPlanSlots(t *testing.T) {
	machine := []int{0, 2, 3, 5, 6, 7, 8, 9}
	set := func(f func(*Config)) Config {
		c := Default()
		c.Games = 100
		f(&c)
		return c
	}
	for _, c := range []struct {
		name   string
		config Config
		slots  int
		cores  []int // of the last slot
		note   string
	}{
		{"one", set(func(c *Config) {}), 1, nil, ""},
		{"all cores", set(func(c *Config) { c.Machine.Concurrency = 8 }), 8, nil, ""},
		{"too many", set(func(c *Config) { c.Machine.Concurrency = 9 }), 8, nil,
			"8 games at a time, not 9: there are 8 cores, 1 for each game"},
		{"few games", set(func(c *Config) { c.Machine.Concurrency, c.Games = 9, 2 }), 2, nil, ""},
		{"threads", set(func(c *Config) { c.Machine.Concurrency, c.Players[0].Threads, c.Players[1].Threads = 8, 2, 3 }), 2,
			nil, "2 games at a time, not 8"},
		{"pondering", set(func(c *Config) {
			c.Machine.Concurrency, c.Ponder, c.Players[0].Threads, c.Players[1].Threads = 8, true, 2, 3
		}), 1, nil, "there are 8 cores, 5 for each"},
		{"nobody ponders", set(func(c *Config) {
			not := []player.Option{{Name: "ponder", Value: "false"}}
			c.Machine.Concurrency, c.Ponder, c.Players[0].Options, c.Players[1].Options = 8, true, not, not
		}), 8, nil, ""},
		{"option", set(func(c *Config) {
			c.Machine.Concurrency, c.Players[1].Options = 8, []player.Option{{Name: "threads", Value: "4"}}
		}), 2, nil, "there are 8 cores, 4 for each"},
		{"fewer cores", set(func(c *Config) { c.Machine.Concurrency, c.Machine.Cores = 8, 4 }), 4, nil, "there are 4 cores"},
		{"more cores", set(func(c *Config) { c.Machine.Concurrency, c.Machine.Cores = 8, 99 }), 8, nil,
			"--cores is 99, the machine has 8"},
		{"more threads than cores", set(func(c *Config) { c.Players[0].Threads = 16 }), 1, nil,
			"the players of a game have 16 threads for 8 cores"},
		{"insists", set(func(c *Config) { c.Machine.Concurrency, c.Machine.Oversubscribe = 16, true }), 16, nil,
			"clocks will measure the scheduler"},
		{"pinned", set(func(c *Config) { c.Machine.Concurrency, c.Players[0].Threads, c.Machine.Pin = 4, 2, true }), 4,
			[]int{8, 9}, ""},
		{"pinned to few", set(func(c *Config) { c.Machine.Concurrency, c.Machine.Cores, c.Machine.Pin = 3, 3, true }), 3,
			[]int{3}, ""},
		{"pinned and insists", set(func(c *Config) {
			c.Machine.Concurrency, c.Machine.Oversubscribe, c.Machine.Pin = 9,
				true, true
		}), 9, nil, "not pinned"},
		{"device", set(func(c *Config) { c.Machine.Concurrency, c.Players[0].Backend = 8, "cuda" }), 1, nil,
			"there are 1 accelerator"},
		{"two devices", set(func(c *Config) {
			c.Machine.Concurrency, c.Machine.Devices, c.Players[1].Backend = 8, 2,
				"tensorrt"
		}), 2, nil, "there are 2 accelerator"},
		{"no device", set(func(c *Config) { c.Machine.Concurrency, c.Players[0].Backend = 8, "cpu" }), 8, nil, ""},
		{"told", set(func(c *Config) {
			c.Machine.Concurrency, c.InProcess.OnDevice = 8, func(player.Player) bool { return true }
		}), 1, nil, "accelerator"},
		{"engine's device", set(func(c *Config) {
			c.Machine.Concurrency, c.Players[0].Cmd, c.Players[0].Options = 8, "x", []player.Option{{Name: "Backend",
				Value: "cuda-fp16"}}
		}), 1, nil, "accelerator"},
	} {
		slots, notes := planSlots(&c.config, c.config.onDevice(), machine)
		if len(slots) != c.slots || (c.note == "") != (notes == nil) || !strings.Contains(strings.Join(notes, "; "), c.note) {
			t.Errorf("%s: %d slots, %q", c.name, len(slots), notes)
		}
		if last := slots[len(slots)-1]; !slices.Equal(last.cores, c.cores) && cores.CanPin {
			t.Errorf("%s: cores %v, want %v", c.name, last.cores, c.cores)
		}
		seen := map[int]bool{}
		for _, s := range slots {
			for _, core := range s.cores {
				if seen[core] {
					t.Errorf("%s: core %d is in two slots", c.name, core)
				}
				seen[core] = true
			}
		}
	}
}

// TestGamesAtATime counts searches that run at once: never more than there are cores for.
func TestGamesAtATime(t *testing.T) {
	var running, most atomic.Int32
	config := Default()
	config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
	config.Games, config.Condition.Nodes, config.Adjudication.MaxMoves = 12, 1, 3
	config.Machine.Concurrency, config.Machine.Cores = 8, 1
	var mu sync.Mutex
	config.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
		return scripted{func(_ context.Context, g *board.Game) search.Result {
			n := running.Add(1)
			defer running.Add(-1)
			mu.Lock()
			most.Store(max(most.Load(), n))
			mu.Unlock()
			time.Sleep(time.Millisecond)
			return first(g, 0)
		}}, nil
	}
	var warn bytes.Buffer
	config.Output.Warn = &warn
	if r, err := run(context.Background(), config); err != nil || r.Games != 12 {
		t.Fatal(r, err)
	}
	if most.Load() != 1 || warn.String() != "match: 1 games at a time, not 8: there are 1 cores, 1 for each game\n" {
		t.Errorf("%d searches at a time; %s", most.Load(), warn.String())
	}
}

func TestWarningsAreFew(t *testing.T) {
	var warn bytes.Buffer
	v := &shared{warn: &warn, names: []string{"a", "b"}, count: make([][incidentKinds]atomic.Int64, 2)}
	for range 100 {
		v.happened(1, illegalPV, 1, "again")
	}
	v.happened(1, illegalPV, 0, "nothing")
	v.happened(0, otherMove, 5, "five")
	if n := strings.Count(warn.String(), "match: b: again"); n != maxWarnings || strings.Count(warn.String(),
		"only counted") != 1 {
		t.Errorf("%d warnings:\n%s", n, warn.String())
	}
	if got := v.incidents(); got[1].IllegalPV != 100 || got[0].OtherMove != 5 || got[0].IllegalPV != 0 {
		t.Errorf("%+v", got)
	}
}

// TestVariationsInProcess has a searcher that reports moves which are not there, and another one than it plays.
func TestVariationsInProcess(t *testing.T) {
	config := Default()
	config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
	config.Games, config.Condition.Nodes, config.Adjudication.MaxMoves = 2, 1, 4
	config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
		return reporting{scripted{func(_ context.Context, g *board.Game) search.Result { return first(g, 0) }},
			p.Name == "a"}, nil
	}
	var warn bytes.Buffer
	config.Output.Warn = &warn
	r, err := run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if want := (stats.Incidents{IllegalPV: 8, OtherMove: 8}); r.Incidents[0] != want ||
		r.Incidents[1] != (stats.Incidents{}) || r.Draws != 2 {
		t.Errorf("%+v\n%s", r, warn.String())
	}
}

// reporting says a variation: a bad one and one of another move, or that of its move.
type reporting struct {
	scripted
	bad bool
}

func (s reporting) Search(ctx context.Context, g *board.Game, l search.Limits,
	report func(search.Info)) (search.Result, error) {
	r, err := s.scripted.Search(ctx, g, l, report)
	if s.bad {
		report(search.Info{PV: []board.Move{r.Best, 0xfff}})
		report(search.Info{PV: g.Pos.LegalMoves(nil)[1:2]})
		report(search.Info{Text: "only text", PV: []board.Move{r.Best, r.Best}})
		report(search.Info{MultiPV: 2, PV: []board.Move{r.Best}})
		return r, err
	}
	report(search.Info{MultiPV: 1, PV: []board.Move{r.Best}})
	return r, err
}

// TestOverhead measures the time between two moves in process and with two engines. The bound is generous: other
// programs may run. Evaluations limit the searches in process, so that their games are the same, and as long, each
// time. See doc.go for what was measured.
func TestOverhead(t *testing.T) {
	slow.Test(t)
	for _, c := range []struct {
		name string
		a, b player.Player
		want float64 // microseconds, the median
	}{
		{"in process", player.Player{Name: "a", Condition: player.Condition{Evals: 2000}}, player.Player{Name: "b",
			Condition: player.Condition{Evals: 2000}}, 5000},
		{"engines", external(t, "sound"), external(t, "half"), 10000},
	} {
		config := Default()
		config.Players, config.InProcess.Searcher = []player.Player{c.a, c.b}, mockFactory
		config.Openings.Plies = 4
		config.Games, config.Condition.Clock = 2, player.Clock{Base: time.Second, Increment: 10 * time.Millisecond}
		config.Adjudication.MaxMoves, config.Patience.Margin = 15, 20*time.Second
		r, err := run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if r.Overhead.Moves < 20 || r.Overhead.P50 > c.want || r.Overhead.P50 <= 0 {
			t.Errorf("%s: %+v, want a median of at most %v us", c.name, r.Overhead, c.want)
		}
		t.Logf("%s: %+v", c.name, r.Overhead)
	}
}
