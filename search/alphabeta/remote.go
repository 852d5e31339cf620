package alphabeta

import (
	"slices"

	"tesla/board"
	"tesla/nnue"
	"tesla/tt128"
)

// Principal variation splitting over processes (Marsland, Olafsson and Schaeffer 1984): one thread, the master, searches
// the first move of each node of the principal variation. The other moves are searched by workers, Threads of other
// processes with tables of their own. The master shares out moves and waits; it does not search them itself.

// Branch is a move of a node of the principal variation, as another process is asked for it.
type Branch struct {
	Root  board.Position `json:"-"`
	Keys  []uint64       // of the game's positions, that of Root last
	Line  []board.Move   // from Root to the node
	Move  board.Move
	Order int32 // the move's score in the order of moves
	Ply   int   // of the whole iteration, which bounds extensions

	Depth, Alpha, Beta int  // of the node
	Best               int  // value of its moves so far
	Tried              int  // the moves before this one, at least 1
	Improving          bool // see node
}

// After is the key of the position after the move.
func (b *Branch) After() uint64 {
	p := b.Root
	for _, m := range b.Line {
		p = p.After(m)
	}
	p = p.After(b.Move)
	return p.Key
}

// Found is what the search of a Branch found.
type Found struct {
	Move         board.Move
	Value        int          // for the side that moves, as search has it
	Line         []board.Move // begins with Move; empty where Value is not above alpha
	Nodes, Evals int64
	Plies        int // of the longest line
}

// Workers search branches elsewhere. The methods belong to one goroutine.
type Workers interface {
	// Room is how many more branches the workers take now.
	Room() int
	// Give has a branch searched. It does not block.
	Give(b Branch)
	// Next blocks until a branch that was given is searched. It asks stop now and then, and returns false once that
	// returns true, and where no worker is left.
	Next(stop func() bool) (Found, bool)
	// Drop forgets the branches that were given and that Next has not returned.
	Drop()
}

// away is the hook of a Thread whose moves are searched elsewhere.
type away struct {
	Workers
	depth int   // the least depth of a node whose moves are shared out
	evals int64 // of the workers in this search
}

// master is the driver of a Searcher whose workers are elsewhere.
type master struct{ solo }

func (master) begin(*running)              {}
func (master) help(*running, *Thread, int) {}

// NewMaster makes a Searcher of one thread that has the moves of the principal variation searched by workers, on a net
// and a table, which stay the caller's. Of the options Mode and SplitDepth count.
func NewMaster(w Workers, net *nnue.Net, table *tt128.Table, o Options) (*Searcher, error) {
	s, err := newSearcher(master{}, net, table, 1, o)
	if err == nil {
		s.threads[0].away = &away{Workers: w, depth: o.SplitDepth}
	}
	return s, err
}

// divides shares out the moves of a node that are left, if they may be. It is step 16 of the search.
func (a *away) divides(t *Thread, n *node, k *picker) bool {
	if !n.pv || n.depth < a.depth || t.frames[n.ply].excluded != board.NullMove {
		return false
	}
	given := n.tried
	for pending, left := 0, true; ; {
		for left && a.Room() > 0 {
			var b Branch
			if b, left = t.branch(n, k, given); left {
				a.Give(b)
				given++
				pending++
			}
		}
		if pending == 0 {
			return true
		}
		found, ok := a.Next(t.halted)
		if !ok {
			t.stopped, t.ended = true, true
			a.Drop()
			return true
		}
		pending--
		if t.take(n, &found) {
			a.Drop()
			return true
		}
	}
}

// halted is over for a thread that waits, whose nodes do not grow.
func (t *Thread) halted() bool {
	t.due = 0
	return t.over()
}

// branch is the next move of a node that is worth a search, given being those that were given out before.
func (t *Thread) branch(n *node, k *picker, given int) (b Branch, ok bool) {
	at := *n
	at.tried = given
	for {
		m, score, ok := k.next()
		if !ok {
			return b, false
		}
		if n.ply == 0 && !t.allowed(m) || t.prunes(&at, k, m, score) {
			continue
		}
		if t.current != nil && n.ply == 0 {
			t.current(m, given+1)
		}
		b = Branch{
			Root: t.pos[0], Keys: t.keys, Move: m, Order: score, Ply: t.rootDepth,
			Depth: n.depth, Alpha: n.alpha, Beta: n.beta, Best: n.best, Tried: given, Improving: n.improving,
		}
		for i := range n.ply {
			b.Line = append(b.Line, t.frames[i].move)
		}
		return b, true
	}
}

// take notes what a worker found at a node. It reports whether the move cuts.
func (t *Thread) take(n *node, found *Found) (cuts bool) {
	t.nodes += found.Nodes
	t.away.evals += found.Evals
	t.selDepth = max(t.selDepth, found.Plies)
	if n.ply == 0 {
		t.effort[found.Move] += found.Nodes
	}
	if len(found.Line) > 0 {
		next := &t.frames[n.ply+1]
		next.length = copy(next.pv[:], found.Line[1:])
	}
	return t.record(n, found.Move, found.Value)
}

// Branch searches a branch. It ends early when stop returns true, and returns false then.
func (t *Thread) Branch(b *Branch, stop func() bool) (found Found, ok bool) {
	t.begin(&b.Root, b.Keys)
	t.limit, t.evalLimit, t.stop, t.roots, t.rootDepth = 0, 0, stop, nil, b.Ply
	for ply, m := range b.Line {
		t.setStatic(ply)
		t.push(ply, m)
	}
	ply := len(b.Line)
	t.setStatic(ply)
	t.nodes = 0
	n := node{
		ply: ply, depth: b.Depth, asked: b.Alpha, alpha: b.Alpha, beta: b.Beta, best: b.Best, tried: b.Tried,
		pv: true, onPV: true, inCheck: t.pos[ply].InCheck(), improving: b.Improving,
	}
	found = Found{Move: b.Move, Value: t.try(&n, b.Move, b.Order, 0), Nodes: t.nodes, Evals: t.Evals(), Plies: t.selDepth}
	if found.Value > b.Alpha && !t.stopped {
		f := &t.frames[ply+1]
		found.Line = slices.Concat([]board.Move{b.Move}, f.pv[:f.length])
	}
	return found, !t.stopped
}

// setStatic sets the static value at ply of a line that is not searched.
func (t *Thread) setStatic(ply int) {
	t.frames[ply].static = infinite
	if !t.pos[ply].InCheck() {
		t.frames[ply].static = t.static(ply)
	}
}
