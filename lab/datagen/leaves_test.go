package datagen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/lab/watchdog"
	"tesla/search"
)

// withTrees are players with a tree each.
type withTrees struct {
	players []Player
	trees   []*Tree
}

// leafPlayers play the first legal move. Their trees are those of a few evaluations on the mock backend.
func leafPlayers(t *testing.T, count int) (all withTrees) {
	t.Helper()
	all.players = searchers(count, manySearches, nil)
	for range count {
		s, err := bestfirst.New(batcher.NewMock(batcher.Options{}), nil, bestfirst.Options{TreeMemory: 1 << 20, BatchSize: 4})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := NewTree(s, search.Limits{Evals: 60})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tree.Close() })
		all.trees = append(all.trees, tree)
	}
	return all
}

func (w withTrees) generate(ctx context.Context, cfg Config, path string) (last Progress, err error) {
	g, _, err := Open(cfg, path, true)
	if err != nil {
		return last, err
	}
	return last, errors.Join(g.Run(ctx, w.players, w.trees, func(p Progress) { last = p }), g.Close())
}

// leafConfig begins games from 5 leaves of a tree. The positions searched are those of the games of a file.
func leafConfig(t *testing.T, count int) Config {
	t.Helper()
	from := filepath.Join(t.TempDir(), "from")
	const game = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;1;e2e4:3 e7e5:4 g1f3:2 b8c6:5 f1b5:9 g8f6:1 e1g1:7 f6e4:6\n"
	if err := os.WriteFile(from, []byte(game), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := config(count)
	cfg.From, cfg.Random, cfg.Plies, cfg.Leaves, cfg.Tree = from, [2]int{0, 1}, 2, 5, &Spec{}
	return cfg
}

// TestLeaves begins games from leaves: each is another position than the others of its tree, and lies below a position of
// the file. A run that is stopped in the middle of trees makes what one makes that is not, with any number of players.
func TestLeaves(t *testing.T) {
	cfg := leafConfig(t, 33)
	path := filepath.Join(t.TempDir(), "whole")
	if last, err := leafPlayers(t, 1).generate(t.Context(), cfg, path); err != nil || last.Trees <= 0 || last.Trees > 1 ||
		!strings.Contains(last.String(), "games 33 of 33, positions ") || !strings.Contains(last.String(), ", trees ") {
		t.Fatalf("%v, %v", &last, err)
	}
	want := read(t, path)
	checked(t, cfg, want)
	trees := map[uint64]map[uint64]bool{}
	for _, g := range want {
		if len(g.Opening) > 0 || len(g.Plies) == 0 || len(g.Plies) > 2 {
			t.Errorf("game %d: %d and %d moves", g.Number, len(g.Opening), len(g.Plies))
		}
		tree := trees[g.Number/5]
		if tree == nil {
			tree = map[uint64]bool{}
			trees[g.Number/5] = tree
		}
		if tree[g.Start.Key] {
			t.Errorf("game %d begins from the leaf of another", g.Number)
		}
		tree[g.Start.Key] = true
	}
	if len(want) != 33 || len(trees) != 7 {
		t.Errorf("%d games of %d trees", len(want), len(trees))
	}
	path = filepath.Join(t.TempDir(), "parts")
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		all := leafPlayers(t, 2)
		left := 9
		if stops == 3 {
			left = -1 // not stopped
		}
		all.players[0] = &stopper{all.players[0], left, cancel}
		if _, err := all.generate(ctx, cfg, path); err == nil {
			break
		} else if !errors.Is(err, context.Canceled) || stops > 3 {
			t.Fatal(err)
		}
	}
	if got := read(t, path); !reflect.DeepEqual(got, want) {
		t.Errorf("%d games, not those of one run", len(got))
	}
	cfg.Leaves++
	if _, err := leafPlayers(t, 1).generate(t.Context(), cfg, path); err == nil || !strings.Contains(err.Error(), "leaves") {
		t.Errorf("went on with another number of leaves: %v", err)
	}
}

// TestNoLeaves ends a run whose trees have too few leaves, or whose search fails, with the reason. A searcher without
// leaves makes no tree.
func TestNoLeaves(t *testing.T) {
	if _, err := NewTree(&first{}, search.Limits{}); err == nil || !strings.Contains(err.Error(), "no leaves from this searcher") {
		t.Error(err)
	}
	cfg := leafConfig(t, 9)
	cfg.Leaves = 60
	if _, err := leafPlayers(t, 1).generate(t.Context(), cfg, filepath.Join(t.TempDir(), "games")); err == nil ||
		!strings.Contains(err.Error(), "100 trees in a row have fewer than 60 leaves") {
		t.Error(err)
	}
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, []byte("7k/8/6K1/8/8/8/8/R7 w - - 0 1;1;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.From, cfg.Leaves = from, 25
	if _, err := leafPlayers(t, 1).generate(t.Context(), cfg, filepath.Join(t.TempDir(), "some")); err != nil {
		t.Errorf("the trees after a random move have leaves: %v", err)
	}
	cfg.Random[1] = 0
	if _, err := leafPlayers(t, 1).generate(t.Context(), cfg, filepath.Join(t.TempDir(), "none")); err == nil ||
		!strings.Contains(err.Error(), "fewer than 25 leaves") {
		t.Error(err)
	}
	cfg = leafConfig(t, 9)
	all := leafPlayers(t, 1)
	all.trees[0].inner = broken()
	if _, err := all.generate(t.Context(), cfg, filepath.Join(t.TempDir(), "broken")); !errors.Is(err, errDevice) {
		t.Error(err)
	}
}

// broken is a searcher that fails.
func broken() *watchdog.Searcher {
	return watchdog.New(&first{}, watchdog.Grace)
}
