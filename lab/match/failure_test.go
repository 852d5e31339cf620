package match

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

var errDevice = errors.New("the device is gone")

// faulty is a searcher whose calls do as they are told; nil plays the first legal move, or does nothing.
type faulty struct {
	search  func(ctx context.Context, g *board.Game) (search.Result, error)
	newGame func()
	close   func()
}

func (f faulty) Search(ctx context.Context, g *board.Game, _ search.Limits, _ func(search.Info)) (search.Result,
	error) {
	if f.search == nil {
		return first(g, 0), nil
	}
	return f.search(ctx, g)
}

func (f faulty) NewGame() {
	if f.newGame != nil {
		f.newGame()
	}
}

func (f faulty) Close() error {
	if f.close != nil {
		f.close()
	}
	return nil
}

func (faulty) PonderHit() {}

// sound makes players that play the first legal move.
func sound(player.Player) (search.Searcher, error) { return faulty{}, nil }

// TestSearchFails has a search of y fail in the fourth of six games, while the third is played at the same time. The
// match must end with the reason and keep the first two games only, and must go on with exactly the other four.
func TestSearchFails(t *testing.T) {
	whole := faultyMatch(t, sound)
	if _, err := run(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	m, err := newRun(t.Context(), &whole)
	if err != nil {
		t.Fatal(err)
	}
	second := m.newRecord(2).game // games 2 and 3, the second pair, have its opening
	third := make(chan struct{})  // closed when y thinks in game 2
	config := faultyMatch(t, func(p player.Player) (search.Searcher, error) {
		if p.Name != "y" {
			return faulty{}, nil
		}
		return faulty{search: func(ctx context.Context, g *board.Game) (search.Result, error) {
			played := len(g.Moves) - len(second.Moves)
			if played < 4 || !slices.Equal(g.Moves[:len(second.Moves)], second.Moves) {
				return first(g, 0), nil
			}
			if g.Pos.Black { // game 2: y has Black
				close(third)
				<-ctx.Done()
				return first(g, 0), nil
			}
			<-third
			return search.Result{}, errDevice
		}}, nil
	})
	r, err := run(t.Context(), config)
	if !errors.Is(err, errDevice) || !strings.Contains(err.Error(), "y: the search failed: the device is gone") {
		t.Errorf("error %v", err)
	}
	kept := played(t, config.Files.Journal)
	if r.Games != 2 || len(kept) != 2 || kept[0] == "" || kept[1] == "" || r.Crashes+r.Timeouts+r.Illegal != 0 {
		t.Errorf("%+v, in the journal %v", r, kept)
	}
	if n := bytes.Count(read(t, config.Files.PGN), []byte("[Event ")); n != 2 {
		t.Errorf("%d games in the PGN, want 2", n)
	}
	journal := read(t, config.Files.Journal)
	var out bytes.Buffer
	config.Files.Resume, config.InProcess.Searcher, config.Output.Out = true, sound, &out
	if r, err = run(t.Context(), config); err != nil || r.Games != 6 {
		t.Errorf("resumed: %+v, %v", r, err)
	}
	if !strings.HasPrefix(out.String(), "resumed: 2 of 6 games") || !bytes.HasPrefix(read(t, config.Files.Journal),
		journal) {
		t.Errorf("the games before the failure were not kept as they were: %s", out.String())
	}
	same(t, played(t, config.Files.Journal), played(t, whole.Files.Journal))
	if want, got := read(t, whole.Files.PGN), read(t, config.Files.PGN); !bytes.Equal(want, got) {
		t.Errorf("the PGN differs: %s", difference(want, got))
	}
}

// faultyMatch is a match of six games, two at a time, with journal and PGN.
func faultyMatch(t *testing.T, factory player.Factory) Config {
	config := fixed(t.TempDir(), 6)
	config.Files.Journal = filepath.Join(t.TempDir(), "journal")
	config.InProcess.Searcher, config.Machine.Concurrency, config.Machine.Oversubscribe = factory, 2, true
	return config
}

// hangs are the calls in which a player in process can hang, each until release is closed.
var hangs = []struct {
	name string
	in   func(config *Config, release chan struct{})
}{
	{"search", func(c *Config, release chan struct{}) {
		c.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
			return faulty{search: func(_ context.Context, g *board.Game) (search.Result, error) {
				if len(g.Moves) > 13 {
					<-release
				}
				return first(g, 0), nil
			}}, nil
		}
	}},
	{"new game", func(c *Config, release chan struct{}) {
		c.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
			return faulty{newGame: func() { <-release }}, nil
		}
	}},
	{"factory", func(c *Config, release chan struct{}) {
		c.InProcess.Searcher = func(player.Player) (search.Searcher, error) {
			<-release
			return faulty{}, nil
		}
	}},
	{"net", func(c *Config, release chan struct{}) {
		c.InProcess.Net = func(player.Player) (string, error) {
			<-release
			return "", nil
		}
	}},
	{"device", func(c *Config, release chan struct{}) {
		c.InProcess.OnDevice = func(player.Player) bool {
			<-release
			return false
		}
	}},
	{"search and close", func(c *Config, release chan struct{}) {
		c.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
			return faulty{close: func() { <-release }, search: func(ctx context.Context, g *board.Game) (search.Result, error) {
				<-ctx.Done()
				return first(g, 0), nil
			}}, nil
		}
	}},
}

// TestHangIsInterrupted checks that a match that stands still ends at the first signal.
func TestHangIsInterrupted(t *testing.T) {
	for _, h := range hangs {
		t.Run(h.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				const signal = 10 * time.Second // less than any patience
				ctx, cancel := context.WithTimeout(t.Context(), signal)
				defer cancel()
				config, release := fixed(dir, 4), make(chan struct{})
				config.Files.Journal, config.InProcess.Searcher = filepath.Join(dir, "journal"), sound
				h.in(&config, release)
				begun := time.Now()
				r, err := run(ctx, config)
				took := time.Since(begun)
				if !errors.Is(err, context.DeadlineExceeded) || r.Games != 0 {
					t.Errorf("%+v, %v", r, err)
				}
				// Of the players of a game one hangs, or both do when they are closed.
				if took < signal || took > signal+2*config.Patience.Grace {
					t.Errorf("it ended after %v", took)
				}
				if h.name != "net" && h.name != "device" && len(played(t, config.Files.Journal)) != 0 {
					t.Error("a game that was interrupted is in the journal")
				}
				close(release)
			})
		})
	}
}

// TestHangIsReplaced checks that a player that hangs is started anew, at most three times in a row, and that it never
// keeps the match for longer than it has patience.
func TestHangIsReplaced(t *testing.T) {
	for _, c := range []struct {
		name    string
		hangs   int32 // of the first calls
		want    string
		waits   int // for Patience.Start and Grace
		restart int64
	}{
		{"new game", 3, "starting b, 3 times in a row: new game: no answer: new game not begun", 3, 2},
		{"new game", 2, "", 2, 2},
		{"factory", 3, "starting b, 3 times in a row: no answer", 3, 2},
		{"factory", 1, "", 1, 1},
	} {

		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			var calls atomic.Int32
			hang := func() {
				if calls.Add(1) <= c.hangs {
					<-release
				}
			}
			config := Default()
			config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
			config.Games, config.Condition.Nodes, config.Adjudication.MaxMoves = 2, 1, 3
			config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
				switch {
				case p.Name == "a":
				case c.name == "factory":
					hang()
				default:
					return faulty{newGame: hang}, nil
				}
				return faulty{}, nil
			}
			begun := time.Now()
			r, err := run(t.Context(), config)
			if c.want == "" && (err != nil || r.Games != 2) || c.want != "" && (err == nil || !strings.Contains(err.Error(),
				c.want)) {
				t.Errorf("%s, %d times: %+v, %v; want %q", c.name, c.hangs, r, err, c.want)
			}
			if r.Incidents[1] != (stats.Incidents{Restarts: c.restart}) || r.Incidents[0] != (stats.Incidents{}) {
				t.Errorf("%s, %d times: %v", c.name, c.hangs, r.Incidents)
			}
			if took, want := time.Since(begun), time.Duration(c.waits)*(config.Patience.Start+config.Patience.Grace); took != want {
				t.Errorf("%s, %d times: it took %v, want %v", c.name, c.hangs, took, want)
			}
			close(release)
		})
	}
}

// TestDeviceHangs checks that a player whose device hangs in a search, and in each new searcher, ends the match long
// before three times Patience.Start.
func TestDeviceHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var made atomic.Int32
		config := Default()
		config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
		config.Games, config.Condition.MoveTime = 4, time.Second
		config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
			if p.Name == "a" {
				return faulty{}, nil
			}
			if made.Add(1) > 1 {
				<-release
				return faulty{}, nil
			}
			time.Sleep(2 * time.Second)
			return faulty{search: func(_ context.Context, g *board.Game) (search.Result, error) {
				<-release
				return first(g, 0), nil
			}}, nil
		}
		begun := time.Now()
		r, err := run(t.Context(), config)
		if r.Games != 1 || r.Timeouts != 1 || err == nil || !strings.Contains(err.Error(),
			"starting b, 3 times in a row: no answer") {
			t.Errorf("%+v, %v", r, err)
		}
		if took := time.Since(begun); took > config.Patience.Start {
			t.Errorf("it took %v", took)
		}
		close(release)
	})
}

// TestNewGamePanics checks that a player that panics as a game begins is started anew, and given up after three times.
func TestNewGamePanics(t *testing.T) {
	config := Default()
	config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
	config.Games, config.Condition.Nodes = 2, 1
	config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
		if p.Name == "b" {
			return faulty{newGame: func() { panic("no memory {") }}, nil
		}
		return faulty{}, nil
	}
	const want = "starting b, 3 times in a row: new game: crash: no memory ("
	r, err := run(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), want) || r.Incidents[1].Restarts != 2 {
		t.Errorf("%v, %+v; want %s", err, r.Incidents, want)
	}
}
