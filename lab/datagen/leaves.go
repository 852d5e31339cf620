package datagen

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
)

// emptyTrees is how many trees in a row may have too few leaves before a run fails: its positions are mates, or its
// limit is too small.
const emptyTrees = 100

// leafSearcher is a searcher that tells the leaves of the tree of its last search.
type leafSearcher interface {
	Leaves() iter.Seq[board.Position]
}

// Tree searches positions, whose leaves then begin games. It is for one goroutine at a time.
type Tree struct {
	inner  *watchdog.Searcher
	source leafSearcher
	limits search.Limits
}

// NewTree makes a Tree of a searcher, with limits for each position. Closing it closes the searcher.
func NewTree(s search.Searcher, limits search.Limits) (*Tree, error) {
	source, ok := search.As[leafSearcher](s)
	if !ok {
		return nil, errors.New("no leaves from this searcher; bestfirst gives those of its tree")
	}
	return &Tree{watchdog.New(s, watchdog.Grace), source, limits}, nil
}

// Close closes the searcher. One that hangs is left alone.
func (t *Tree) Close() error { return t.inner.Close() }

// sample searches a position from nothing and draws count of the leaves, each with the same probability, by algorithm R
// (Waterman; Knuth, volume 2, section 3.4.2). It returns fewer where the tree has fewer.
func (t *Tree) sample(ctx context.Context, g *board.Game, count int, r *rand.Rand) (drawn []board.Position, err error) {
	if err := t.inner.NewGame(ctx); err != nil {
		return nil, err
	}
	if _, err := t.inner.Search(ctx, g, t.limits, nil); err != nil || ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	seen := 0
	for p := range t.source.Leaves() {
		if board.NewGame(p).Outcome() != board.Ongoing {
			continue
		}
		seen++
		if len(drawn) < count {
			drawn = append(drawn, p)
		} else if i := r.IntN(seen); i < count {
			drawn[i] = p
		}
	}
	return drawn, nil
}

// leaves are the starts of the games of the tree with a number: Config.Leaves leaves. Where a tree has fewer, the next
// position is drawn.
func (m *maker) leaves(ctx context.Context, t *Tree, number uint64) ([]board.Position, error) {
	l := &line{random: m.random(number | treeBit)}
	for range emptyTrees {
		m.start(l)
		drawn, err := t.sample(ctx, l.table.Game, m.cfg.Leaves, l.random)
		if err != nil {
			return nil, err
		}
		if len(drawn) == m.cfg.Leaves {
			return drawn, nil
		}
	}
	return nil, fmt.Errorf("%d trees in a row have fewer than %d leaves", emptyTrees, m.cfg.Leaves)
}

// treeBit tells the random numbers of a tree from those of the games that begin from its leaves.
const treeBit = 1 << 63
