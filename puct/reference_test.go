package puct

import (
	"math"
	"testing"

	"tesla/internal/slow"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
	"tesla/treesearch/treetest"
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
	item batcher.Item
	leaf treesearch.Leaf
}

// plain is a search of a position, two or three evaluations pending, one in each batch.
type plain struct {
	Tuning
	backend  batcher.Backend
	pos      board.Position
	above    *plainEdge   // leads to the root
	queue    []*plainLeaf // pending
	collided []*plainEdge
	made     int // evaluations
}

// plainVisits are the evaluations of each root move after a search of some evaluations.
func plainVisits(t *testing.T, backend batcher.Backend, p board.Position, o Tuning, evals int) map[board.Move]int {
	s := &plain{Tuning: o, backend: backend, pos: p, made: 1}
	root := s.node(s.evaluate(t, &p))
	s.above = &plainEdge{child: root, n: 1, w: -root.value}
	for s.made < evals || len(s.queue) > 0 {
		for len(s.queue) < s.pendingLimit() && s.made < evals && s.gather(t, evals) {
		}
		if len(s.queue) > 0 {
			s.absorb()
		}
	}
	visits := map[board.Move]int{}
	for _, e := range root.edges {
		visits[e.move] = e.n
	}
	return visits
}

// pendingLimit is how many evaluations may be pending: those of three batches of n, where n n = 0.04 / 3 of the tree.
func (s *plain) pendingLimit() int {
	each := float64(s.above.n) / 3
	n := min(math.Sqrt(0.04*each), 0.144*each)
	return min(3, max(2, int(3*n)))
}

// gather descends until a leaf joins the queue; false where none did.
func (s *plain) gather(t *testing.T, evals int) bool {
	before := len(s.queue)
	for missed, settled := 0, 0; missed < s.Collisions && settled < 4 && len(s.queue) == before && s.made < evals; {
		if !s.descend(t) {
			missed++
		} else if len(s.queue) == before {
			settled++
		}
	}
	return len(s.queue) > before
}

// absorb makes the node of the leaf that has waited longest.
func (s *plain) absorb() {
	l := s.queue[0]
	s.queue = s.queue[1:]
	for _, e := range s.collided {
		e.pend--
	}
	s.collided = nil
	last := l.path[len(l.path)-1]
	last.child, last.waits = s.node(l), false
	s.add(l.path, last.child.value)
}

func (s *plain) evaluate(t *testing.T, p *board.Position) *plainLeaf {
	l := &plainLeaf{item: batcher.Item{Position: *p, Moves: p.LegalMoves(nil)}}
	l.leaf.Begin(p, l.item.Moves)
	if err := s.backend.Evaluate([]*batcher.Item{&l.item}); err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *plain) node(l *plainLeaf) *plainNode {
	n := &plainNode{value: search.CPToQ(l.leaf.Value(&l.item))}
	treesearch.NewPolicy(s.Temperature).Order(&l.item, &l.leaf)
	for i := range l.leaf.Order.Len() {
		index, prior := l.leaf.Order.At(i)
		n.edges = append(n.edges, &plainEdge{move: l.item.Moves[index], prior: float64(float32(prior) / 65535)})
	}
	return n
}

// descend reaches a leaf, or tells that it collided.
func (s *plain) descend(t *testing.T) bool {
	from, line := s.above, []board.Position{s.pos}
	var path []*plainEdge
	s.above.pend++
	for from.child != nil && !from.proven {
		best := s.best(from)
		if best == nil {
			s.collided = append(append(s.collided, path...), s.above)
			return false
		}
		best.pend++
		path = append(path, best)
		line = append(line, board.Position{})
		line[len(line)-2].Make(best.move, &line[len(line)-1])
		if best.waits {
			s.collided = append(append(s.collided, path...), s.above)
			return false
		}
		from = best
	}
	s.made++
	if from.proven {
		s.add(path, 0)
		return true
	}
	pos := &line[len(line)-1]
	if cp, q, settled := s.settled(line); settled {
		s.prove(path, cp)
		s.add(path, q)
		return true
	}
	from.waits = true
	l := s.evaluate(t, pos)
	l.path = path
	s.queue = append(s.queue, l)
	return true
}

// best is the edge with the highest bound below another; nil where none may be followed.
func (s *plain) best(from *plainEdge) (best *plainEdge) {
	top, tried, visits := math.Inf(-1), 0.0, float64(from.n+from.pend)
	c := s.CPuct + s.CPuctFactor*math.Log((visits+19652)/19652)
	for _, e := range from.child.edges {
		if e.n+e.pend > 0 {
			tried += e.prior
		}
	}
	for _, e := range from.child.edges {
		if e.proven && e.cp != 0 || float64(e.pend) > s.Pending*float64(max(1, e.n)) {
			continue
		}
		q, done := -from.w/float64(from.n)-s.FPU*math.Sqrt(tried), 1.0
		if e.n > 0 {
			q, done = e.w/float64(e.n), float64(e.n)
		}
		if e.proven {
			q = 0
		}
		lost := s.VirtualLoss * float64(e.pend)
		v := (q*done-lost)/(done+lost) + c*e.prior*math.Sqrt(max(1, visits-1))/float64(1+e.n+e.pend)
		if v > top {
			best, top = e, v
		}
	}
	return best
}

// settled is the score, for the side that moved, and the value, for the other, of a position that needs no net.
func (s *plain) settled(line []board.Position) (cp int, q float64, settled bool) {
	pos := &line[len(line)-1]
	moves := pos.LegalMoves(nil)
	switch {
	case board.Drawn(line, len(line)-1, []uint64{s.pos.Key}, 0):
		return 0, 0, true
	case len(moves) == 0 && pos.InCheck():
		return search.MateScore - 1, -1, true
	case len(moves) == 0:
		return 0, 0, true
	case new(treesearch.Leaf).Begin(pos, moves) != board.NullMove:
		return -(search.MateScore - 2), 1, true
	}
	return 0, 0, false
}

// add counts a value along a path.
func (s *plain) add(path []*plainEdge, q float64) {
	for i := len(path) - 1; i >= 0; i-- {
		q = -q
		path[i].w, path[i].n, path[i].pend = path[i].w+q, path[i].n+1, path[i].pend-1
	}
	s.above.w, s.above.n, s.above.pend = s.above.w-q, s.above.n+1, s.above.pend-1
}

// prove gives the last edge of a path its score, and what follows from it to those before.
func (s *plain) prove(path []*plainEdge, cp int) {
	for i := len(path) - 1; ; i-- {
		path[i].proven, path[i].cp = true, cp
		if i == 0 || path[i-1].proven {
			return
		}
		best, all := math.MinInt, true
		for _, e := range path[i-1].child.edges {
			best, all = max(best, e.cp), all && e.proven
		}
		if cp >= search.Proven {
			best, all = cp, true
		}
		if !all {
			return
		}
		cp = search.Towards(best)
	}
}

func TestReference(t *testing.T) {
	slow.Test(t)
	backend := treetest.Mock(t)
	for _, fen := range []string{
		treetest.Start,
		"r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 97 60", // near the fifty moves
	} {
		for _, o := range []Tuning{DefaultTuning(false), {CPuct: 2.5, CPuctFactor: 0, FPU: 0.5, Temperature: 1, VirtualLoss: 0.2, Collisions: 2}} {
			g := treetest.Game(t, fen)
			s := open(t, backend, Options{Tuning: o, BatchSize: 1})
			run(s, g, search.Limits{Evals: 600})
			want := plainVisits(t, backend, g.Pos, o, 600)
			n := &s.promoter.tree.Nodes.Items[s.promoter.tree.root]
			for k := range int(n.moves) {
				if e := s.promoter.tree.edge(n, k); int(e.n) != want[e.move()] {
					t.Errorf("%s, %+v: %s has %d evaluations, want %d", fen, o, g.Pos.UCI(e.move(), false), e.n, want[e.move()])
				}
			}
		}
	}
}
