package puct

import (
	"math"
	"sort"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/leaves"
	"tesla/search"
)

// A plain implementation, node by node on the heap, of what the package says: it makes the same visits.

type plainEdge struct {
	move     board.Move
	prior, w float64 // w: sum of values for the side that moves
	n, pend  int
	child    *plainNode
	proven   bool
	cp       int // where proven
	waits    bool
}

type plainNode struct {
	edges []*plainEdge
	value float64
}

type plainLeaf struct {
	path []*plainEdge
	pos  board.Position
	item batcher.Item
	leaf leaves.Leaf
}

// plainVisits are the evaluations of each root move after so many in all, two at a time under way, one in each batch.
func plainVisits(t *testing.T, backend batcher.Backend, p board.Position, o Tuning, evals int) map[board.Move]int {
	evaluate := func(p *board.Position) *plainLeaf {
		l := &plainLeaf{pos: *p, item: batcher.Item{Position: *p, Moves: p.LegalMoves(nil)}}
		l.leaf.Begin(p, l.item.Moves)
		if err := backend.Evaluate([]*batcher.Item{&l.item}); err != nil {
			t.Fatal(err)
		}
		return l
	}
	node := func(l *plainLeaf) *plainNode {
		n := &plainNode{value: search.CPToQ(l.leaf.Value(&l.item))}
		priors, _ := l.leaf.Priors(&l.item, nil)
		sum := 0.0
		for i, x := range priors {
			e := &plainEdge{move: l.item.Moves[i], prior: math.Pow(float64(x), 1/o.Temperature)}
			sum += e.prior
			n.edges = append(n.edges, e)
		}
		for _, e := range n.edges {
			e.prior /= sum
		}
		sort.SliceStable(n.edges, func(i, k int) bool { return n.edges[i].prior > n.edges[k].prior })
		return n
	}
	root := node(evaluate(&p))
	above := &plainEdge{child: root, n: 1, w: -root.value}
	var queue []*plainLeaf
	var collided []*plainEdge
	add := func(path []*plainEdge, q float64) {
		for i := len(path) - 1; i >= 0; i-- {
			q = -q
			path[i].w, path[i].n, path[i].pend = path[i].w+q, path[i].n+1, path[i].pend-1
		}
		above.w, above.n, above.pend = above.w-q, above.n+1, above.pend-1
	}
	// prove gives the last edge of a path its score, and what follows from it to those before.
	prove := func(path []*plainEdge, cp int) {
		for i := len(path) - 1; ; i-- {
			path[i].proven, path[i].cp = true, cp
			if i == 0 {
				return
			}
			best := math.MinInt
			for _, e := range path[i-1].child.edges {
				if !e.proven {
					best = math.MaxInt
					break
				}
				best = max(best, e.cp)
			}
			if cp >= search.Proven {
				best = cp
			}
			if best == math.MaxInt || path[i-1].proven {
				return
			}
			cp = search.Towards(best)
		}
	}
	made := 1
	// descend reaches a leaf, or tells that it collided.
	descend := func() bool {
		pos, at, from := p, root, above
		var path []*plainEdge
		line := []board.Position{p}
		above.pend++
		for {
			var best *plainEdge
			top, tried, visits := math.Inf(-1), 0.0, float64(from.n+from.pend)
			c := o.CPuct + o.CPuctFactor*math.Log((visits+19652)/19652)
			for _, e := range at.edges {
				if e.n+e.pend > 0 {
					tried += e.prior
				}
			}
			for _, e := range at.edges {
				if e.proven {
					continue
				}
				q, done := -from.w/float64(from.n)-o.FPU*math.Sqrt(tried), 1.0
				if e.n > 0 {
					q, done = e.w/float64(e.n), float64(e.n)
				}
				lost := o.VirtualLoss * float64(e.pend)
				v := (q*done-lost)/(done+lost) + c*e.prior*math.Sqrt(max(1, visits-1))/float64(1+e.n+e.pend)
				if v > top {
					best, top = e, v
				}
			}
			best.pend++
			path = append(path, best)
			var next board.Position
			pos.Make(best.move, &next)
			pos = next
			line = append(line, pos)
			if best.waits {
				collided = append(collided, append(path, above)...)
				return false
			}
			if best.child == nil {
				made++
				moves := pos.LegalMoves(nil)
				cp, q, settled := 0, 0.0, true
				switch {
				case leaves.Drawn(line, len(line)-1, []uint64{p.Key}):
				case len(moves) == 0 && pos.InCheck():
					cp, q = search.MateScore-1, -1
				case len(moves) == 0:
				case new(leaves.Leaf).Begin(&pos, moves) != board.NullMove:
					cp, q = -(search.MateScore - 2), 1
				default:
					settled = false
				}
				if settled {
					prove(path, cp)
					add(path, q)
					return true
				}
				best.waits = true
				l := evaluate(&pos)
				l.path = path
				queue = append(queue, l)
				return true
			}
			at, from = best.child, best
		}
	}
	for made < evals || len(queue) > 0 {
		for len(queue) < 2 && made < evals {
			before := len(queue)
			for missed, settled := 0, 0; missed < o.Collisions && settled < 4 && len(queue) == before && made < evals; {
				if !descend() {
					missed++
				} else if len(queue) == before {
					settled++
				}
			}
			if len(queue) == before {
				break
			}
		}
		if len(queue) == 0 {
			continue
		}
		l := queue[0]
		queue = queue[1:]
		for _, e := range collided {
			e.pend--
		}
		collided = nil
		last := l.path[len(l.path)-1]
		last.child, last.waits = node(l), false
		add(l.path, last.child.value)
	}
	visits := map[board.Move]int{}
	for _, e := range root.edges {
		visits[e.move] = e.n
	}
	return visits
}

func TestReference(t *testing.T) {
	backend := batcher.NewMock(batcher.Options{})
	defer backend.Close()
	for _, fen := range []string{
		startFEN,
		"r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	} {
		for _, o := range []Tuning{DefaultTuning(), {CPuct: 2.5, CPuctFactor: 0, FPU: 0.5, Temperature: 1, VirtualLoss: 0.2, Collisions: 2}} {
			g := game(t, fen)
			s := openOn(t, backend, Options{Tuning: o, BatchSize: 1})
			s.pipeline.Prepare = nil // no quiescence
			run(s, g, search.Limits{Evals: 600})
			want := plainVisits(t, backend, g.Pos, o, 600)
			n := &s.tree.nodes.Items[s.tree.root]
			for k := range int(n.moves) {
				if e := s.tree.edge(n, k); int(e.n) != want[e.move()] {
					t.Errorf("%s, %+v: %s has %d evaluations, want %d", fen, o, g.Pos.UCI(e.move(), false), e.n, want[e.move()])
				}
			}
		}
	}
}
