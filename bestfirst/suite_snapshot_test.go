package bestfirst

import (
	"context"
	"math"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// snapshots checks what a search tells who watches it: while it goes on, at its end, and why it ended.
func snapshots(t *testing.T, open opener) {
	s := open(t, newMock(t), setup{})
	watcher, ok := search.As[search.Watcher](s)
	if !ok {
		t.Fatal("the search cannot be watched")
	}
	if _, ok := watcher.Snapshot(10); ok {
		t.Error("a snapshot before the first search")
	}
	var seen []search.Snapshot
	watcher.Watch(50, func(in search.Snapshot) { seen = append(seen, in) })
	g := gameOf(t, "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10")
	r := find(t, s, g, search.Limits{MoveTime: time.Second, MultiPV: 2}) // long enough for a busy machine
	if len(seen) < 2 || len(seen) > 6 || r.End != search.EndTime {
		t.Fatalf("%d snapshots in a second, end: %v", len(seen), r.End)
	}
	for i, in := range seen {
		last := i == len(seen)-1
		if (in.End == search.EndTime) != last || len(in.Lines) != 2 || len(in.Tree) != 50 || in.Nodes < 50 {
			t.Errorf("snapshot %d of %d: %v, %d lines, %d of %d nodes", i, len(seen), in.End, len(in.Lines), len(in.Tree), in.Nodes)
		}
		if b := in.Batches; b.Count < 1 || b.Rate <= 0 || b.Net <= 0 || b.Mean <= 0 || b.Mean > float64(b.Size) || b.Idle < 0 || b.Idle > 1 || b.Promoting > 1 {
			t.Errorf("snapshot %d: %+v", i, b)
		}
		// The end cancels evaluations that are pending, which N counts, too.
		if i > 0 && done(&in) < done(&seen[i-1]) || last && done(&in) <= done(&seen[0]) {
			t.Errorf("snapshot %d: %d evaluations after %d", i, done(&in), done(&seen[max(i-1, 0)]))
		}
	}
	if first := seen[0]; first.Tree[0].Pending == 0 {
		t.Error("nothing is pending in the middle of a search")
	}
	checkSnapshot(t, watcher, g, r)
	watcher.Watch(0, nil)
	if r, seen = find(t, s, g, search.Limits{Evals: 100}), nil; seen != nil || r.End != search.EndEvals {
		t.Errorf("end by evaluations: %v; %d snapshots for nobody", r.End, len(seen))
	}
	provenWhileInfinite(t, s, watcher)
}

// done is the number of evaluations in a snapshot that are not pending.
func done(s *search.Snapshot) uint32 { return s.Tree[0].N - s.Tree[0].Pending }

// provenWhileInfinite checks that an infinite search tells that everything is proven before it is stopped.
func provenWhileInfinite(t *testing.T, s *tested, watcher search.Watcher) {
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	proven := false
	watcher.Watch(10, func(in search.Snapshot) {
		if in.End == search.EndProven {
			proven = true
			stop()
		}
	})
	r, err := s.Search(ctx, gameOf(t, "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), search.Limits{Infinite: true}, nil)
	if err != nil || !proven || r.End != search.EndProven {
		t.Errorf("a mate in one: %v, told before the stop: %v, %v", r.End, proven, err)
	}
	s.Check(t)
}

// checkSnapshot checks the snapshot of a whole tree after a search: each move is legal and follows the move before it; a
// smaller snapshot is the beginning of it; root moves are in the order of play, and have legal lines.
func checkSnapshot(t *testing.T, s search.Watcher, g *board.Game, r search.Result) {
	t.Helper()
	whole, ok := s.Snapshot(math.MaxInt)
	part, _ := s.Snapshot(40)
	if !ok || len(whole.Tree) < 200 || len(part.Tree) != 40 {
		t.Fatalf("%d moves of all, %d of 40", len(whole.Tree), len(part.Tree))
	}
	at := make([]board.Position, len(whole.Tree))
	at[0] = g.Pos
	for i, n := range whole.Tree {
		if i == 0 {
			if n.Parent != -1 || n.Move != board.NullMove || n.Pending != 0 {
				t.Errorf("the root: %+v", n)
			}
			continue
		}
		parent := &whole.Tree[n.Parent]
		if int(n.Parent) >= i || !at[n.Parent].IsLegal(n.Move) || parent.Again || n.Q < -1.1 || n.Q > 1.1 || n.Prior <= 0 ||
			n.Waiting != search.ForNothing {
			t.Fatalf("move %d: %+v after %+v", i, n, parent)
		}
		at[n.Parent].Make(n.Move, &at[i])
		if i < len(part.Tree) && (part.Tree[i].Move != n.Move || part.Tree[i].N != n.N || part.Tree[i].Parent != n.Parent) {
			t.Errorf("move %d of the small snapshot: %+v, want %+v", i, part.Tree[i], n)
		}
	}
	if len(whole.Roots) != len(g.Pos.LegalMoves(nil)) || whole.Roots[0].Move != r.Best || whole.Lines[0].PV[0] != r.Best {
		t.Errorf("%d root moves, the first %+v, the line %v; %v is played", len(whole.Roots), whole.Roots[0], whole.Lines[0].PV, r.Best)
	}
	for _, move := range whole.Roots {
		p := g.Pos
		for _, m := range move.PV {
			if !p.IsLegal(m) {
				t.Fatalf("the line of %v: %v", move.Move, move.PV)
			}
			var next board.Position
			p.Make(m, &next)
			p = next
		}
		if len(move.PV) == 0 || move.PV[0] != move.Move {
			t.Errorf("the line of %v: %v", move.Move, move.PV)
		}
	}
}
