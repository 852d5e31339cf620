package datagen

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
	"tesla/internal/output"
	"tesla/lab/games"
	"tesla/lab/match/player"
	"tesla/search"
	"tesla/uci"
	"tesla/uci/client"
	"tesla/uci/client/clienttest"
	"tesla/uci/option"
)

const engineVariable = "TESLA_DATAGEN_TEST_ENGINE"

// The test binary is a UCI engine where it is asked to be.
func TestMain(m *testing.M) {
	if clienttest.Main() {
		return
	}
	if os.Getenv(engineVariable) == "" {
		os.Exit(m.Run())
	}
	hash := 16
	options := []option.Option{{Name: "Hash", Value: option.Number[int]{To: &hash, Min: 1, Max: 1024}}}
	if err := uci.Loop(os.Stdin, os.Stdout, uci.Config{Name: "Test", Author: "Tests", Options: options, Engine: mockEngine{}}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// mockEngine is the engine of the test binary.
type mockEngine struct{}

func (mockEngine) Open(bool) (search.Searcher, []string, error) {
	s, err := bestfirst.New(batcher.NewMock(batcher.Options{}), nil, bestfirst.Options{TreeMemory: 4 << 20})
	return s, nil, err
}

func (mockEngine) Notices() <-chan string { return nil }

// players are best-first searches on the mock backend, of a few evaluations.
func players(t *testing.T, count int, cfg Config) (all []Player) {
	for range count {
		s, err := bestfirst.New(batcher.NewMock(batcher.Options{}), nil, bestfirst.Options{TreeMemory: 4 << 20, BatchSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		p := NewSearcher(s, search.Limits{Evals: 40}, cfg.Choices)
		t.Cleanup(func() { p.Close() })
		all = append(all, p)
	}
	return all
}

// named is a player of whom a file says the name alone.
func named(name string) Spec { return Spec{Player: player.Player{Name: name}} }

func config(count int) Config {
	return Config{Games: count, Seed: 5, Player: named("test"), Random: [2]int{4, 8}}
}

// generated runs a configuration and returns its games by number.
func generated(t *testing.T, cfg Config, path string, all []Player) []*games.Game {
	t.Helper()
	var last Progress
	if err := generate(context.Background(), cfg, path, true, all, func(p Progress) { last = p }); err != nil {
		t.Fatal(err)
	}
	if last.Games != cfg.Games {
		t.Errorf("told of %d games, want %d", last.Games, cfg.Games)
	}
	made := read(t, path)
	checked(t, cfg, made)
	return made
}

// checked plays games again, as a host does that gets them from a worker.
func checked(t *testing.T, cfg Config, all []*games.Game) {
	t.Helper()
	m, err := newMaker(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if err := m.check(g); err != nil {
			t.Errorf("game %d: %v", g.Number, err)
		}
	}
}

// generate is a whole run.
func generate(ctx context.Context, cfg Config, path string, resume bool, all []Player, tell func(Progress)) error {
	g, _, err := Open(cfg, path, resume)
	if err != nil {
		return err
	}
	return errors.Join(g.Run(ctx, all, nil, tell), g.Close())
}

func read(t *testing.T, path string) []*games.Game {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := games.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []*games.Game
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *games.Game) int { return cmp.Compare(a.Number, b.Number) })
	return all
}

// Games depend on their numbers alone, whoever plays beside, and their results are those of the rules.
func TestReproducible(t *testing.T) {
	cfg := config(12)
	one := generated(t, cfg, filepath.Join(t.TempDir(), "one"), players(t, 1, cfg))
	three := generated(t, cfg, filepath.Join(t.TempDir(), "three"), players(t, 3, cfg))
	if !reflect.DeepEqual(one, three) {
		t.Error("other games with more players")
	}
	ends := map[int8]int{}
	for i, g := range one {
		if g.Number != uint64(i) || len(g.Opening) < 4 || len(g.Opening) > 8 || len(g.Plies) == 0 {
			t.Errorf("game %d: number %d, %d and %d moves", i, g.Number, len(g.Opening), len(g.Plies))
		}
		end, err := g.Play(func(int, *board.Position, board.Move) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		corrected := *g
		corrected.Correct(&end)
		if corrected.Result != g.Result {
			t.Errorf("game %d: result %d, by the rules %d", i, g.Result, corrected.Result)
		}
		ends[g.Result]++
	}
	if len(ends) < 2 {
		t.Errorf("results %v", ends)
	}
}

// stopper is a Player that stops its run after some moves.
type stopper struct {
	Player
	left int
	stop func()
}

func (s *stopper) Choose(ctx context.Context, t *Table) error {
	if s.left--; s.left == 0 {
		s.stop()
	}
	return s.Player.Choose(ctx, t)
}

// A run that is stopped again and again, its last record torn, makes what one makes that is not, and no game twice.
func TestResume(t *testing.T) {
	cfg := config(16)
	want := generated(t, cfg, filepath.Join(t.TempDir(), "whole"), players(t, 2, cfg))
	path := filepath.Join(t.TempDir(), "parts")
	stops := 0
	for {
		ctx, cancel := context.WithCancel(context.Background())
		all := players(t, 2, cfg)
		all[0] = &stopper{all[0], 300 + 50*stops, cancel} // a game may have more than 300 moves
		err := generate(ctx, cfg, path, true, all, func(Progress) {})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if stops++; stops > 100 {
			t.Fatal("no progress")
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if data, _ := os.ReadFile(path); stops == 2 && len(read(t, path)) > 0 {
			if err := os.WriteFile(path, data[:info.Size()-3], 0o644); err != nil { // as a crash of the machine may leave it
				t.Fatal(err)
			}
		}
	}
	if got := read(t, path); stops < 2 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d games after %d stops, not those of one run", len(got), stops)
	}
	cfg.Seed++
	if err := generate(context.Background(), cfg, path, true, players(t, 1, cfg), func(Progress) {}); err == nil ||
		!strings.Contains(err.Error(), "seed") {
		t.Errorf("went on with games of another seed: %v", err)
	}
	if err := generate(context.Background(), cfg, path, false, players(t, 1, cfg), func(Progress) {}); err == nil {
		t.Error("wrote over games")
	}
}

// Choices are legal, each once, the best first, and one of them is played.
func TestChoices(t *testing.T) {
	cfg := config(6)
	cfg.Choices, cfg.Temperature, cfg.Warm = 4, 0.3, 30
	other, moves := 0, 0
	for _, g := range generated(t, cfg, filepath.Join(t.TempDir(), "games"), players(t, 2, cfg)) {
		if _, err := g.Play(func(ply int, p *board.Position, _ board.Move) error {
			if ply < 0 {
				return nil
			}
			c := g.Plies[ply].Choices
			if want := min(cfg.Choices, len(p.LegalMoves(nil))); len(c) > want || len(c) == 0 {
				t.Errorf("%d choices, want %d", len(c), want)
			}
			seen := map[games.Code]bool{}
			for _, x := range c {
				if _, err := x.Move.Move(p); err != nil || seen[x.Move] {
					t.Errorf("%v, or %v twice", err, x.Move)
				}
				seen[x.Move] = true
			}
			if !seen[g.Plies[ply].Move] || g.Plies[ply].Score != c[0].Score {
				t.Errorf("played %v at %d of %v", g.Plies[ply].Move, g.Plies[ply].Score, c)
			}
			if moves++; g.Plies[ply].Move != c[0].Move {
				if other++; ply >= cfg.Warm {
					t.Errorf("ply %d is not the best", ply)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if other == 0 || other == moves {
		t.Errorf("%d of %d moves are not the best", other, moves)
	}
}

// Short lines from positions of games, none of which begins far from balance.
func TestFrom(t *testing.T) {
	cfg := config(8)
	from := filepath.Join(t.TempDir(), "from")
	generated(t, cfg, from, players(t, 1, cfg))
	cfg.From, cfg.Plies, cfg.Random, cfg.Within, cfg.Games = from, 3, [2]int{1, 2}, 400, 50
	starts := map[uint64]bool{}
	for _, g := range generated(t, cfg, filepath.Join(t.TempDir(), "games"), players(t, 1, cfg)) {
		if len(g.Plies) == 0 || len(g.Plies) > 3 || len(g.Opening) < 1 || len(g.Opening) > 2 {
			t.Errorf("%d and %d moves", len(g.Opening), len(g.Plies))
		}
		if s := g.Plies[0].Score; s > 400 || s < -400 {
			t.Errorf("begins at %d", s)
		}
		starts[g.Start.Key] = true
	}
	if len(starts) < 20 {
		t.Errorf("%d positions to begin from", len(starts))
	}
}

func quiet(string) {}

// An engine in a process of its own teaches.
func TestTeacher(t *testing.T) {
	t.Setenv(engineVariable, "1")
	cfg := config(20)
	cfg.Choices, cfg.Plies = 2, 15
	engine := client.Config{Path: os.Args[0], Options: []client.Option{{Name: "Hash", Value: "1"}}}
	p, err := NewTeacher(t.Context(), engine, 50, cfg.Choices, quiet)
	if err != nil {
		t.Fatal(err)
	}
	all := generated(t, cfg, filepath.Join(t.TempDir(), "games"), []Player{p})
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if len(all) != 20 {
		t.Errorf("%d games", len(all))
	}
	for _, g := range all {
		if _, err := g.Labels(func(int, *board.Position, board.Move) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewTeacher(t.Context(), client.Config{Path: "/nonexistent"}, 50, 1, quiet); err == nil {
		t.Error("an engine that is not there was started")
	}
}

// A teacher that reads its input while it searches is asked only after it has answered. One that fails now and then is
// started anew. One that fails again and again ends the run with the reason, and the run goes on from its file with another.
func TestBadTeachers(t *testing.T) {
	for mode, c := range map[string]struct {
		want     error
		restarts bool
	}{
		"asynchronous": {nil, false}, "sound": {nil, false}, "crash": {nil, true}, "illegal": {nil, true}, "badhead": {client.ErrIllegal, true},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			cfg := config(3)
			cfg.Choices, cfg.Plies = 2, 6
			path := filepath.Join(t.TempDir(), "games")
			restarts := 0
			start := func(mode string) Player {
				p, err := NewTeacher(t.Context(), client.Config{Path: clienttest.Script(t, mode)}, 50, cfg.Choices, func(string) { restarts++ })
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { p.Close() })
				return p
			}
			err := generate(context.Background(), cfg, path, false, []Player{start(mode)}, func(Progress) {})
			if !errors.Is(err, c.want) || restarts > 0 != c.restarts {
				t.Errorf("%v after %d restarts, want %v", err, restarts, c.want)
			}
			if c.want != nil {
				if all := generated(t, cfg, path, []Player{start("sound")}); len(all) != 3 {
					t.Errorf("%d games after another engine has gone on", len(all))
				}
			}
		})
	}
}

// A file is of one net, commit and file of positions. No second process writes to it.
func TestIdentity(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	generated(t, config(2), from, players(t, 1, config(2)))
	path := filepath.Join(t.TempDir(), "games")
	cfg := config(2)
	cfg.Net, cfg.Commit, cfg.From = "net1", "commit1", from
	g, _, err := Open(cfg, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(cfg, path, true); !errors.Is(err, output.ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	refused := func(other Config, want string) {
		t.Helper()
		before, _ := os.ReadFile(path)
		_, _, err := Open(other, path, true)
		if after, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), want) || !bytes.Equal(before, after) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, change := range map[string]func(c *Config){
		"net was net1": func(c *Config) { c.Net = "net2" }, "commit was commit1": func(c *Config) { c.Commit = "commit2" },
		"player.name was test": func(c *Config) { c.Player = named("other") }, "random[1]": func(c *Config) { c.Random[1]++ },
	} {
		other := cfg
		change(&other)
		refused(other, want)
	}
	if err := os.Remove(from); err != nil {
		t.Fatal(err)
	}
	generated(t, config(3), from, players(t, 1, config(3)))
	refused(cfg, "from_hash was ")
	path = filepath.Join(t.TempDir(), "nameless")
	generated(t, config(1), path, players(t, 1, config(1)))
	cfg = config(2)
	cfg.Net = "net1"
	refused(cfg, "net was <nil>, now net1")
}

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"games": func(c *Config) { c.Games = 0 }, "random": func(c *Config) { c.Random = [2]int{3, 2} },
		"plies":  func(c *Config) { c.Plies = -1 },
		"within": func(c *Config) { c.Within = -1 }, "choices": func(c *Config) { c.Choices = -1 },
		"temperature": func(c *Config) { c.Temperature = 1 },
		"warm":        func(c *Config) { c.Warm = -1 },
	} {
		cfg := config(1)
		change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
