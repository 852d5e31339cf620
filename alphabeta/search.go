package alphabeta

import (
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// node is a position of the line whose moves are searched. The parts ask it what is known.
type node struct {
	ply, depth                int
	before, alpha, beta       int // the window; before is alpha as it was asked for
	check, pv, cut, improving bool
	onPV                      bool // is or was on a principal variation
	test                      bool // moves are only compared with alpha
	entry                     tt128.Entry
	found                     bool
	table                     board.Move // the entry's, where it is legal

	best   int
	choice board.Move // which raised alpha
	tried  int
	losers [32]board.Move // moves that did not cut

	fork, longest int64 // the critical path to where moves may be shared out, 0 before that; the longest of the moves'
}

// search is the value, within (alpha, beta) and fail-soft outside, of the position at ply of the line, searched depth
// plies deep. cut says that the node is expected to fail high.
func (t *Thread) search(ply, depth, alpha, beta int, cut bool) int {
	if depth <= 0 {
		return t.quiesce(ply, 0, alpha, beta)
	}
	if t.over() {
		return 0
	}
	n := node{ply: ply, depth: depth, before: alpha, alpha: alpha, beta: beta, pv: beta-alpha > 1, cut: cut, best: -infinite}
	if v, ok := t.enter(&n); ok {
		return v
	}
	if v, ok := t.assess(&n); ok || t.stopped {
		return v
	}
	begin := len(t.moves)
	v, ok := t.searchMoves(&n)
	t.moves = t.moves[:begin]
	if ok || t.stopped {
		return v
	}
	return t.leave(&n)
}

// enter looks at draws, at the ends of the line, and into the table. It tells whether the value is known by that.
func (t *Thread) enter(n *node) (value int, ok bool) {
	ply := n.ply
	p, f := &t.pos[ply], &t.frames[ply]
	f.length = 0
	t.selDepth = max(t.selDepth, ply)
	if ply > 0 {
		if t.drawn(ply) {
			return 0, true
		}
		if ply >= maxPly-quietPlies {
			return t.stack.Value(p), true
		}
		n.alpha, n.beta = max(n.alpha, search.MatedIn(ply)), min(n.beta, search.MateIn(ply+1))
		if n.alpha >= n.beta {
			return n.alpha, true
		}
	}
	n.check, n.onPV = p.InCheck(), n.pv
	if f.excluded != board.NullMove {
		return 0, false
	}
	n.entry, n.found = t.table.Probe(p.Key, ply)
	if n.found && !n.pv && ply > 0 && p.Halfmove < tableHalfmoves && (!t.parts.Verify || n.entry.Draft() == n.depth) {
		if v, ok := n.entry.CutsAt(n.alpha, n.beta, n.depth); ok {
			return v, true
		}
	}
	n.onPV = n.pv || n.found && n.entry.PV()
	if m := n.entry.Move(); p.IsLegal(m) {
		n.table = m
	}
	return 0, false
}

// assess takes the static value, and tells whether it settles the node.
func (t *Thread) assess(n *node) (value int, ok bool) {
	f := &t.frames[n.ply]
	f.static = infinite
	value = infinite
	if !n.check {
		f.static = t.static(n.ply)
		value = f.static
		if n.found {
			value = t.better(n.entry, f.static)
		}
		n.improving = n.ply >= 2 && t.frames[n.ply-2].static != infinite && f.static > t.frames[n.ply-2].static
	}
	if !n.pv && n.ply > 0 && !n.check && f.excluded == board.NullMove {
		if v, ok := t.settles(n, value); ok || t.stopped {
			return v, ok
		}
	}
	if t.parts.InternalReduction && n.table == board.NullMove && n.depth >= internalDepth && (n.pv || n.cut) && n.ply > 0 {
		n.depth--
	}
	return 0, false
}

// searchMoves searches the moves, until one cuts. It tells whether the value is known by a singular search.
func (t *Thread) searchMoves(n *node) (value int, ok bool) {
	ply := n.ply
	p, f := &t.pos[ply], &t.frames[ply]
	t.frames[ply+1].killers = [2]board.Move{}
	k := t.pick(p, ply, n.table)
	for {
		m, score, ok := k.next()
		if !ok {
			t.path = max(t.path, n.longest)
			break
		}
		if m == f.excluded || ply == 0 && !t.allowed(m) || t.prunes(n, &k, m, score) {
			continue
		}
		extension := 0
		if m == n.table && ply > 0 {
			var v int
			if extension, v, ok = t.singular(n, m); !ok {
				return v, true
			}
		}
		if n.fork > 0 {
			t.path = n.fork
		}
		if ply == 0 {
			t.recall(m)
		}
		spent := t.nodes
		v := t.try(n, m, score, extension)
		n.longest = max(n.longest, t.path)
		if ply == 0 {
			t.remember(t, m, t.nodes-spent)
		}
		if t.stopped || t.record(n, m, v) {
			break
		}
		if t.team != nil && t.forks(n, &k) && t.team.waiting.Load() > 0 {
			t.divide(n, &k)
			break
		}
	}
	if n.best <= n.before && ply > 0 && f.excluded == board.NullMove && !t.stopped { // the move that led here was good
		if m := t.frames[ply-1].move; m != board.NullMove && quiet(&t.pos[ply-1], m) {
			t.learnQuiet(&t.pos[ply-1], ply-1, m, bonus(n.depth)/2)
		}
	}
	return 0, false
}

// record notes the value of a move that was searched. It tells whether the move cuts.
func (t *Thread) record(n *node, m board.Move, v int) (cuts bool) {
	n.tried++
	if v > n.best {
		n.best = v
		if v > n.alpha {
			n.alpha, n.choice = v, m
			if n.pv || n.ply == 0 {
				t.extendPV(n.ply, m)
			}
			if n.ply == 0 {
				f := &t.frames[0]
				t.rootScore, t.rootLine = v, append(t.rootLine[:0], f.pv[:f.length]...)
			}
			if v >= n.beta {
				t.reward(n, m)
				return true
			}
		}
	}
	if n.tried <= len(n.losers) {
		n.losers[n.tried-1] = m
	}
	return false
}

// leave is the value of a node whose moves were searched: mate or stalemate where there were none. The table and the
// corrections learn it.
func (t *Thread) leave(n *node) int {
	p, f := &t.pos[n.ply], &t.frames[n.ply]
	if n.best == -infinite {
		switch {
		case f.excluded != board.NullMove:
			return n.alpha
		case n.check:
			return search.MatedIn(n.ply)
		}
		return 0
	}
	if f.excluded != board.NullMove || n.ply == 0 && t.roots != nil {
		return n.best
	}
	lower, upper := tt128.Window(n.best, n.before, n.beta)
	if t.parts.Correction && !n.check && (n.choice == board.NullMove || quiet(p, n.choice)) &&
		!(lower == -infinite && n.best >= f.static) && !(upper == infinite && n.best <= f.static) {
		t.correct(n.ply, n.depth, n.best-f.static)
	}
	t.table.Store(p.Key, n.ply, tt128.NewDraft(lower, upper, n.depth, n.choice, n.pv))
	return n.best
}

// allowed tells whether a move of the root is to be searched.
func (t *Thread) allowed(m board.Move) bool { return t.roots == nil || slices.Contains(t.roots, m) }

// static is the value of the net, corrected, with the thread's noise: the same each time for a position.
func (t *Thread) static(ply int) int {
	v := t.stack.Value(&t.pos[ply]) + t.correction(ply)
	if t.noise > 0 {
		v += int((t.pos[ply].Key^t.seed)*0x9e3779b97f4a7c15>>33)%(2*t.noise+1) - t.noise
	}
	return v
}

// try searches a move: the first with the whole window, the others with a null window and less deep, again when they
// are better than thought.
func (t *Thread) try(n *node, m board.Move, score int32, extension int) int {
	ply, tried, alpha, beta := n.ply, n.tried, n.alpha, n.beta
	p := &t.pos[ply]
	depth := n.depth - 1 + extension
	isQuiet := quiet(p, m)
	t.push(ply, m)
	defer t.stack.Pop()
	if tried == 0 {
		return -t.search(ply+1, depth, -beta, -alpha, !n.pv && !n.cut)
	}
	r := 0
	if t.parts.LateMoveReduction && n.depth >= reductionDepth && tried >= reductionMoves && (isQuiet || score < 0) {
		r = reduction(n.depth, tried+1)
		if n.cut {
			r++
		}
		if n.onPV {
			r--
		}
		if !n.improving {
			r++
		}
		if t.pos[ply+1].InCheck() {
			r--
		}
		if isQuiet {
			if score >= killerOrder-1 {
				r--
			} else {
				r -= int(score) / reductionHistory
			}
		}
		r = max(0, min(r, depth-1))
	}
	v := -t.search(ply+1, depth-r, -alpha-1, -alpha, true)
	if v > alpha && r > 0 {
		if v > n.best+deeperMargin {
			depth++
		} else if v < n.best+shallowerMargin {
			depth--
		}
		v = -t.search(ply+1, depth, -alpha-1, -alpha, !n.cut)
	}
	if v > alpha && n.pv && !n.test {
		if s := t.at; s != nil && t.team.rule.broadcast && s.n.ply == ply {
			alpha = max(alpha, int(s.alpha.Load()))
		}
		v = -t.search(ply+1, depth, -beta, -alpha, false)
	}
	return v
}

// extendPV puts m before the principal variation of the next ply.
func (t *Thread) extendPV(ply int, m board.Move) {
	f, next := &t.frames[ply], &t.frames[ply+1]
	f.pv[0] = m
	f.length = 1 + copy(f.pv[1:], next.pv[:min(next.length, maxPly-1)])
}
