package puct

import (
	"math"
	"math/bits"
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
	prior, q float64 // q: for the side that moves
	n, pend  int
	child    *plainNode
	proven   bool
	cp       int // where proven
	waits    bool
}

type plainNode struct {
	edges          []*plainEdge
	value, raw, q  float64 // for the side to move
	squares        float64 // sum of squared deviations
	n, pend        int
	proven, shared bool
	cp             int // where proven
	index          treesearch.CorrectionIndex
	halfmove       uint8 // the most of its lines
}

// plainStep is an edge and the node that it leaves.
type plainStep struct {
	node *plainNode
	edge *plainEdge
}

type plainLeaf struct {
	path []plainStep
	item batcher.Item
	leaf treesearch.Leaf
}

// plainPlace is a position some plies below the root.
type plainPlace struct {
	key uint64
	ply int
}

// plain is a search of a position, two or three evaluations pending, one in each batch.
type plain struct {
	Tuning
	backend     batcher.Backend
	policy      *treesearch.Policy
	pos         board.Position
	root        *plainNode
	nodes       map[plainPlace]*plainNode
	corrections treesearch.Corrections
	queue       []*plainLeaf // pending
	collided    []*int
	made        int // evaluations
	joined      int // edges that lead to a node of another line
}

// plainSearch is a search of some evaluations.
func plainSearch(t *testing.T, backend batcher.Backend, p board.Position, o Tuning, evals int) *plain {
	s := &plain{Tuning: o, backend: backend, pos: p, made: 1, policy: treesearch.NewPolicy(o.Temperature), nodes: map[plainPlace]*plainNode{}}
	s.root = s.node(s.evaluate(t, &p))
	for s.made < evals || len(s.queue) > 0 {
		for len(s.queue) < s.pendingLimit() && s.made < evals && s.gather(t, evals) {
		}
		if len(s.queue) > 0 {
			s.absorb()
		}
	}
	return s
}

// pendingLimit is how many evaluations may be pending: those of three batches of n, where n n = 0.04 / 3 of the tree.
func (s *plain) pendingLimit() int {
	each := float64(s.root.n) / 3
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
	for _, pend := range s.collided {
		*pend--
	}
	s.collided = nil
	last := l.path[len(l.path)-1].edge
	last.waits = false
	if !s.join(l.path, &l.item.Position) {
		last.child = s.node(l)
		s.add(l.path, last.child.value)
	}
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
	n := &plainNode{raw: search.CPToQ(l.leaf.Value(&l.item)), n: 1, halfmove: l.item.Position.Halfmove}
	var moves [2]board.Move
	for i := range moves {
		if k := len(l.path) - 2 + i; k >= 0 {
			moves[i] = l.path[k].edge.move
		}
	}
	n.index = treesearch.CorrectionIndexOf(&l.item.Position, moves[0], moves[1])
	n.value = max(-1, min(1, n.raw+s.Correct*float64(s.corrections.Sum(&n.index))))
	n.q = n.value
	s.policy.Order(&l.item, &l.leaf)
	for i := range l.leaf.Order.Len() {
		index, prior := l.leaf.Order.At(i)
		n.edges = append(n.edges, &plainEdge{move: l.item.Moves[index], prior: float64(float32(prior) / 65535)})
	}
	s.nodes[plainPlace{l.item.Position.Key, len(l.path)}] = n
	return n
}

// join hangs the node of a position that another line reached below the last edge of a path.
func (s *plain) join(path []plainStep, p *board.Position) bool {
	n := s.nodes[plainPlace{p.Key, len(path)}]
	if !s.Share || n == nil || p.Halfmove >= 80 || n.proven && (n.cp == 0 || !treesearch.InTime(n.cp, p.Halfmove)) {
		return false
	}
	s.joined++
	n.shared, n.halfmove = true, max(n.halfmove, p.Halfmove)
	last := path[len(path)-1].edge
	last.child = n
	if n.proven {
		last.proven, last.cp = true, search.Towards(n.cp)
		s.add(path, search.CPToQ(n.cp))
	} else {
		s.add(path, n.q)
	}
	return true
}

// collide keeps what a descent counted until an evaluation is back.
func (s *plain) collide(path []plainStep) bool {
	for _, st := range path {
		s.collided = append(s.collided, &st.node.pend, &st.edge.pend)
	}
	return false
}

// descend reaches a leaf, or tells that it collided.
func (s *plain) descend(t *testing.T) bool {
	at, line := s.root, []board.Position{s.pos}
	var path []plainStep
	for {
		at.pend++
		e := s.best(at)
		if e == nil {
			s.collided = append(s.collided, &at.pend)
			return s.collide(path)
		}
		e.pend++
		path = append(path, plainStep{at, e})
		line = append(line, board.Position{})
		line[len(line)-2].Make(e.move, &line[len(line)-1])
		if e.child != nil && e.child.proven {
			e.proven, e.cp = true, search.Towards(e.child.cp)
		}
		if e.waits {
			return s.collide(path)
		}
		if e.proven || e.child == nil {
			break
		}
		at = e.child
	}
	s.made++
	last, pos := path[len(path)-1].edge, &line[len(line)-1]
	if last.proven {
		s.add(path, -search.CPToQ(last.cp))
		return true
	}
	if cp, q, settled := s.settled(line); settled {
		last.proven, last.cp = true, cp
		s.add(path, q)
		return true
	}
	if s.join(path, pos) {
		return true
	}
	last.waits = true
	l := s.evaluate(t, pos)
	l.path = path
	s.queue = append(s.queue, l)
	return true
}

// best is the edge of a node with the highest bound; nil where none may be followed.
func (s *plain) best(n *plainNode) (best *plainEdge) {
	top, tried, visits := math.Inf(-1), 0.0, float64(n.n+n.pend)
	c := s.CPuct + s.CPuctFactor*math.Log((visits+19652)/19652)
	if s.Deviation > 0 {
		deviation := math.Sqrt((n.squares + deviationPrior*usualDeviation*usualDeviation) / (float64(n.n) + deviationPrior))
		c *= 1 - s.Deviation + s.Deviation*deviation/usualDeviation
	}
	for _, e := range n.edges {
		if e.n+e.pend > 0 {
			tried += e.prior
		}
	}
	for _, e := range n.edges {
		if e.proven && e.cp != 0 || float64(e.pend) > s.Pending*float64(max(1, e.n)) {
			continue
		}
		q := n.q - s.FPU*math.Sqrt(tried)
		if e.n > 0 {
			q = e.q
		}
		if e.proven {
			q = 0
		}
		v := q + c*e.prior*math.Sqrt(max(1, visits-1))/float64(1+e.n+e.pend)
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

// add counts a value along a path, each node's mean from its own value and its edges', and proves what is proven.
func (s *plain) add(path []plainStep, q float64) {
	for i := len(path) - 1; i >= 0; i-- {
		n, e := path[i].node, path[i].edge
		q = -q
		e.n, e.pend, n.n, n.pend = e.n+1, e.pend-1, n.n+1, n.pend-1
		if e.child == nil || e.proven && i == len(path)-1 {
			e.q += (q - e.q) / float64(e.n)
		} else {
			e.q = -e.child.q
		}
		sum, before, best, all := n.value, n.q, math.MinInt, true
		for _, e := range n.edges {
			if sum += float64(e.n) * e.q; e.proven {
				best = max(best, e.cp)
			} else {
				all = false
			}
		}
		n.q = sum / float64(n.n)
		n.squares += max(0, (q-before)*(q-n.q))
		if n.n&(n.n-1) == 0 && !n.proven && s.Correct > 0 {
			s.corrections.Learn(&n.index, s.Learn, uint8(bits.Len(uint(n.n))), float32(n.q-n.raw))
		}
		if e.proven && (all || best >= search.Decided) && (!n.shared || treesearch.InTime(best, n.halfmove)) {
			if n.proven, n.cp = true, best; i > 0 {
				path[i-1].edge.proven, path[i-1].edge.cp = true, search.Towards(best)
			}
		}
	}
}

// elsewhere is a backend that evaluates on goroutines of the pipeline, so that batches are pending.
type elsewhere struct{ batcher.Backend }

func (b elsewhere) Info() batcher.Info {
	info := b.Backend.Info()
	info.Local = false
	return info
}

func TestReference(t *testing.T) {
	slow.Test(t)
	backend, joined := batcher.Backend(elsewhere{treetest.Mock(t)}), 0
	for _, fen := range []string{
		treetest.Start,
		"r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 97 60", // near the fifty moves
		"8/8/8/p1k5/P7/2K5/8/8 w - - 0 1",                                        // many lines to a position, and repetitions
		"4r1k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 70 90",                               // mates of the last rank, and too late to share
	} {
		for _, o := range []Tuning{tuned(false, plainWords), tuned(false, fairWords), {CPuct: 2.5, CPuctFactor: 0, FPU: 0.5, Temperature: 1, Collisions: 2}} {
			g := treetest.Game(t, fen)
			s := open(t, backend, Options{Tuning: o, BatchSize: 1})
			run(s, g, search.Limits{Evals: 600})
			check(t, s)
			want := plainSearch(t, backend, g.Pos, o, 600)
			joined += want.joined
			n := s.promoter.root()
			for k, w := range want.root.edges {
				if e := s.promoter.tree.edge(n, k); e.move() != w.move || int(e.n) != w.n {
					t.Errorf("%s, %+v: %s has %d evaluations, want %d", fen, o, g.Pos.UCI(e.move(), false), e.n, w.n)
				}
			}
		}
	}
	if joined < 50 {
		t.Errorf("%d edges lead to nodes of other lines", joined)
	}
}
