package treesearch

import (
	"context"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// device is a backend that says what a batch costs beside its items.
type device struct {
	batcher.Backend
	free int
}

func (d device) Info() batcher.Info {
	info := d.Backend.Info()
	info.Free, info.Batch = d.free, info.MaxBatch
	return info
}

// Batches grow with the tree and with what a batch costs beside its items, and are never much of a small tree.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		free int
		tree uint32
		want int
	}{{1, 1, 1}, {1, 800, 3}, {1, 3200, 6}, {1, 25600, 18}, {4, 800, 6}, {4, 3200, 13}, {128, 30, 1}, {128, 300, 14}, {128, 1700, 53}, {128, 100000, 413}} {
		var l Loop
		if err := l.Init("test", device{batcher.NewMock(batcher.Options{MaxBatch: 1024}), c.free}, nil, 0, nil, Hooks{Policy: NewPolicy(1)}); err != nil {
			t.Fatal(err)
		}
		if room := l.Room(c.tree); room != c.want {
			t.Errorf("a batch costs as much as %d items, tree of %d: %d leaves, want %d", c.free, c.tree, room, c.want)
		}
		l.Close()
	}
}

// open makes a loop on a mock.
func open(t *testing.T) *Loop {
	l := &Loop{}
	if err := l.Init("test", batcher.NewMock(batcher.Options{}), nil, 0, nil, Hooks{Policy: NewPolicy(1)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// A search goes on from the one before where its game does, forwards or backwards. A game with another count of moves without progress is
// another, though its positions are the same.
func TestBegin(t *testing.T) {
	l := open(t)
	game := func(halfmove uint8, moves ...string) *board.Game {
		p := board.StartPosition()
		p.Halfmove = halfmove
		g := board.NewGame(p)
		for _, text := range moves {
			m, err := g.Pos.ParseMove(text, false)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
		return g
	}
	for i, c := range []struct {
		g           *board.Game
		since, back int
		same        bool
	}{
		{game(0, "g1f3"), 0, 0, false},
		{game(0, "g1f3", "g8f6", "b1c3"), 2, 0, true},
		{game(0, "g1f3"), 0, 2, true},
		{game(0, "b1c3", "g8f6"), 1, 0, false},
		{game(9, "b1c3", "g8f6"), 0, 0, false},
		{game(9, "b1c3", "g8f6"), 0, 0, true},
	} {
		since, back, same := l.Begin(c.g, search.Limits{}, nil)
		if same != c.same || same && (len(since) != c.since || back != c.back) {
			t.Errorf("game %d: %d moves since, %d back, same %t, want %d, %d, %t", i, len(since), back, same, c.since, c.back, c.same)
		}
	}
}

// The clock starts with the ponderhit, however often it is said, and what was evaluated before does not count as its time's.
func TestPonderHit(t *testing.T) {
	l := open(t)
	l.Begin(board.NewGame(board.StartPosition()), search.Limits{Ponder: true, MoveTime: time.Minute}, nil)
	l.Evals = 1000
	if _, counts := l.Clock(); counts {
		t.Error("the clock counts while the search ponders")
	}
	l.PonderHit()
	l.over(context.Background())
	l.Evals += 30
	if rate := l.Rate(3 * time.Second); rate != 10 {
		t.Errorf("%v evaluations a second, want 10", rate)
	}
	started := l.Started
	l.PonderHit()
	if l.over(context.Background()); l.Started != started {
		t.Error("another ponderhit starts the clock again")
	}
}

// A root is decided when all of its moves are proven, or the best is a mate and so are as many as there are principal variations.
func TestDecided(t *testing.T) {
	mate, drawn, open := Root{Proven: true, CP: search.MateScore - 3}, Root{Proven: true}, Root{}
	for i, c := range []struct {
		roots   []Root
		multiPV int
		want    bool
	}{
		{nil, 1, false},
		{[]Root{mate, open}, 0, true},
		{[]Root{mate, open}, 2, false},
		{[]Root{mate, drawn, open}, 2, true},
		{[]Root{drawn, open}, 1, false},
		{[]Root{drawn, drawn}, 3, true},
		{[]Root{open, mate}, 1, false},
	} {
		l := Loop{Limits: search.Limits{MultiPV: c.multiPV},
			hooks: Hooks{Proven: func() bool { return true }, Roots: func() []Root { return c.roots }}}
		if got := l.decided(); got != c.want {
			t.Errorf("case %d: decided %t, want %t", i, got, c.want)
		}
	}
}
