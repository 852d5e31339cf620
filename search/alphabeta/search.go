package alphabeta

import (
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// The search of a node: principal variation search (Marsland and Campbell 1982; NegaScout, Reinefeld 1983), an
// alpha-beta search (Knuth and Moore 1975) in its fail-soft form (Fishburn 1983). The steps are numbered here and in
// the code. A step without a source is common practice of engines.
//
//	 1  Quiescence: at depth 0 only captures are searched, and checks at first; see quiescence.go.
//	 2  Limits: the search unwinds when it was stopped.
//	 3  Draws: repetition, fifty moves, material.
//	 4  Mate distance: a mate that is longer than one already found cannot matter.
//	 5  Transposition table (Greenblatt, Eastlake and Crocker 1967): bounds of an earlier search may cut. Histories learn
//	    from such cuts, too.
//	 6  Endgame tables: they know the value of a position with few pieces; see tables.go.
//	 7  Static value of the net, corrected by histories of its errors. The last move's history learns from its change.
//	 8  Razoring (Birmingham and Kent 1977), and reverse futility: a static value far below alpha or above beta cuts.
//	 9  Null move (Donninger 1993), verified at high depth (Tabibi and Netanyahu 2002), and ProbCut (Buro 1995).
//	10  Internal reduction: a node without a table move is searched less deep.
//	11  Move order: the table's move, captures that win, killers (Akl and Newborn 1977), quiet moves by history
//	    (Schaeffer 1989; Uiterwijk 1992), captures that lose; see picker.go and history.go.
//	12  Move pruning: late quiet moves, those with bad histories, futility (Schaeffer 1986; Heinz 1998), losses by static
//	    exchange.
//	13  Singular extension (Anantharaman, Campbell and Hsu 1990), and multi-cut (Björnsson and Marsland 2001).
//	14  The first move is searched with the whole window. The others are searched with a null window and late moves less
//	    deep (late move reductions, as in Fruit, Letouzey 2005), and again when they exceed alpha.
//	15  The value of the move: a new best move, a cutoff, or neither. Histories and killers learn from cutoffs.
//	16  A team of threads, or of processes, may share out the moves that are left; see split.go and remote.go.
//	17  The opponent's last move is rewarded where no move reached alpha.
//	18  Mate and stalemate.
//	19  The corrections and the table learn the value.

// node is a position of the line whose moves are searched, and what the steps found out about it.
type node struct {
	ply, depth int
	asked      int // alpha as the caller gave it
	alpha      int
	beta       int

	inCheck   bool
	pv        bool // the window is open: the node may lie on the principal variation
	cut       bool // the node is expected to fail high
	improving bool // the static value is better than two plies before
	onPV      bool // the node lies on a principal variation, or did in an earlier search
	testOnly  bool // moves that exceed alpha are not searched again here (jamboree)
	found     bool // the table has an entry
	entry     tt128.Entry
	table     board.Move // the entry's move if it is legal

	best   int
	choice board.Move // the last move that raised alpha
	tried  int
	losers [32]board.Move // the first moves, which did not cut

	critical critical // of the critical path, see split.go
}

// search is the value of the position at ply of the line, searched depth plies deep: exact within (alpha, beta), a
// bound outside. cut says that the node is expected to fail high.
func (t *Thread) search(ply, depth, alpha, beta int, cut bool) int {
	if depth <= 0 { // step 1
		return t.quiesce(ply, 0, alpha, beta)
	}
	if t.over() { // step 2
		return 0
	}
	n := node{
		ply: ply, depth: depth, asked: alpha, alpha: alpha, beta: beta, pv: beta-alpha > 1, cut: cut, best: -infinite,
	}
	if v, ok := t.enter(&n); ok {
		return v
	}
	if v, ok := t.evaluate(&n); ok || t.stopped {
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

// enter does steps 3 to 6. It reports whether they give the value.
func (t *Thread) enter(n *node) (value int, ok bool) {
	ply := n.ply
	p, f := &t.pos[ply], &t.frames[ply]
	f.length = 0
	t.selDepth = max(t.selDepth, ply)
	if ply > 0 {
		if t.drawn(ply) { // step 3
			return 0, true
		}
		if ply >= maxPly-quietPlies {
			return t.stack.Value(p), true
		}
		n.alpha, n.beta = max(n.alpha, search.MatedIn(ply)), min(n.beta, search.MateIn(ply+1)) // step 4
		if n.alpha >= n.beta {
			return n.alpha, true
		}
	}
	n.inCheck, n.onPV = p.InCheck(), n.pv
	if f.excluded != board.NullMove {
		return 0, false
	}
	n.entry, n.found = t.table.Probe(p.Key, ply) // step 5
	if n.found && !n.pv && ply > 0 && p.Halfmove < tableHalfmoves && (!t.mode.Verify || n.entry.Draft() == n.depth) {
		if v, ok := t.cuts(n.entry, ply, n.alpha, n.beta, n.depth); ok {
			t.learnTable(n, n.entry.Move(), v)
			return v, true
		}
	}
	if t.tables != nil && ply > 0 { // step 6
		if v, ok := t.probe(n); ok {
			return v, true
		}
	}
	n.onPV = n.pv || n.found && n.entry.PV()
	if m := n.entry.Move(); p.IsLegal(m) {
		n.table = m
	}
	return 0, false
}

// cuts reports whether an entry of the table ends the search of the position at ply, and with which value. A decided
// score does not if the fifty moves may end before it, because the table does not know the halfmove clock.
func (t *Thread) cuts(e tt128.Entry, ply, alpha, beta, depth int) (value int, ok bool) {
	value, ok = e.CutsAt(alpha, beta, depth)
	if ok && search.IsDecided(value) {
		plies, clock := search.Plies(value)-ply, int(t.pos[ply].Halfmove)
		if plies > drawHalfmoves-clock || search.IsTable(value) && plies == 0 && clock > 0 {
			return 0, false
		}
	}
	return value, ok
}

// evaluate does steps 7 to 10. It reports whether the node is cut without a search of its moves.
func (t *Thread) evaluate(n *node) (value int, ok bool) {
	f := &t.frames[n.ply]
	f.static = infinite
	value = infinite
	if !n.inCheck { // step 7
		f.static = t.static(n.ply)
		value = f.static
		if f.excluded == board.NullMove {
			t.learnStatic(n.ply)
		}
		if n.found {
			value = t.better(n.entry, f.static)
		}
		n.improving = n.ply >= 2 && t.frames[n.ply-2].static != infinite && f.static > t.frames[n.ply-2].static
	}
	if t.selective() && !n.pv && n.ply > 0 && !n.inCheck && f.excluded == board.NullMove {
		if v, ok := t.razor(n, value); ok || t.stopped { // step 8
			return v, ok
		}
		if t.farAbove(n, value) {
			return (value + n.beta) / 2, true
		}
		if v, ok := t.nullMove(n, value); ok || t.stopped { // step 9
			return v, ok
		}
		if v, ok := t.probCut(n); ok || t.stopped {
			return v, ok
		}
	}
	if t.selective() && n.table == board.NullMove && n.depth >= internalDepth && (n.pv || n.cut) && n.ply > 0 {
		n.depth-- // step 10
	}
	return 0, false
}

// static is the value of the net, corrected, and with the noise of the thread.
func (t *Thread) static(ply int) int {
	v := t.value(&t.pos[ply]) + t.correction(ply)
	if t.noise != nil {
		v += t.noise(t.pos[ply].Key)
	}
	return v
}

// value is what the net says of the position at the top, from the thread's cache where it is known.
func (t *Thread) value(p *board.Position) int {
	e := t.cached(p.Key)
	if *e>>16 != p.Key>>16 {
		*e = p.Key&^0xffff | uint64(uint16(t.stack.Value(p)))
	}
	return int(int16(*e))
}

// cached is the entry of the cache for a position.
func (t *Thread) cached(key uint64) *uint64 { return &t.values[key%uint64(len(t.values))] }

// better is the static value, or a bound of the table that improves it.
func (t *Thread) better(e tt128.Entry, static int) int {
	if e.Kind() == tt128.Estimate {
		return static
	}
	if lower := e.Lower(); lower > static && lower < search.Decided {
		return lower
	}
	if upper := e.Upper(); upper < static && upper > -search.Decided {
		return upper
	}
	return static
}

// searchMoves does steps 11 to 17: it searches the moves until one cuts. It reports whether the singular search has
// given the value of the node.
func (t *Thread) searchMoves(n *node) (value int, ok bool) {
	ply := n.ply
	p, f := &t.pos[ply], &t.frames[ply]
	t.frames[ply+1].killers = [2]board.Move{}
	k := t.pick(p, ply, n.table)
	for {
		m, score, ok := k.next() // step 11
		if !ok {
			break
		}
		if m == f.excluded || ply == 0 && !t.allowed(m) || t.prunes(n, &k, m, score) { // step 12
			continue
		}
		extension := 0
		if m == n.table && ply > 0 { // step 13
			var v int
			if extension, v, ok = t.singular(n, m); !ok {
				return v, true
			}
		}
		if t.member != nil && t.member.begins(n, &k, m, score, extension) { // step 16
			break
		}
		if t.current != nil && ply == 0 {
			t.current(m, n.tried+1)
		}
		spent := t.nodes
		v := t.try(n, m, score, extension) // step 14
		if ply == 0 {
			t.effort[m] += t.nodes - spent
			if t.member != nil {
				t.member.remember(m)
			}
		}
		if t.stopped || t.record(n, m, v) { // step 15
			break
		}
		if t.member != nil && t.member.divides(n, &k) || t.away != nil && t.away.divides(t, n, &k) { // step 16
			break
		}
	}
	if t.member != nil {
		t.member.endMoves(n, &k)
	}
	if n.best <= n.asked && ply > 0 && f.excluded == board.NullMove && !t.stopped && (n.depth >= refuteDepth || n.pv) { // step 17
		if m := t.frames[ply-1].move; m != board.NullMove && isQuiet(&t.pos[ply-1], m) {
			t.learnContinued(ply-1, m, bonus(n.depth))
		}
	}
	return 0, false
}

// allowed reports whether a move of the root is to be searched.
func (t *Thread) allowed(m board.Move) bool { return t.roots == nil || slices.Contains(t.roots, m) }

// try is the value of a move (step 14).
func (t *Thread) try(n *node, m board.Move, score int32, extension int) int {
	ply, alpha, beta := n.ply, n.alpha, n.beta
	depth := n.depth - 1 + extension
	t.frames[ply].tried = n.tried
	t.push(ply, m)
	defer t.stack.Pop()
	if n.tried == 0 {
		return -t.search(ply+1, depth, -beta, -alpha, !n.pv && !n.cut)
	}
	r := t.lateReduction(n, m, score, depth)
	v := -t.search(ply+1, depth-r, -alpha-1, -alpha, true)
	if v > alpha && r > 0 {
		if v > n.best+deeperMargin {
			depth++
		} else if v < n.best+shallowerMargin {
			depth--
		}
		v = -t.search(ply+1, depth, -alpha-1, -alpha, !n.cut)
		t.learnAgain(ply, depth, m, v > alpha)
	}
	if v > alpha && n.pv && !n.testOnly {
		if t.member != nil {
			alpha = t.member.raised(ply, alpha)
		}
		v = -t.search(ply+1, depth, -beta, -alpha, false)
	}
	return v
}

// record notes the value of a move (step 15). It reports whether the move cuts.
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

// leave is the value of a node whose moves were searched (steps 18 and 19).
func (t *Thread) leave(n *node) int {
	p, f := &t.pos[n.ply], &t.frames[n.ply]
	if n.best == -infinite { // step 18
		switch {
		case f.excluded != board.NullMove:
			return n.alpha
		case n.inCheck:
			return search.MatedIn(n.ply)
		}
		return 0
	}
	if f.excluded != board.NullMove || n.ply == 0 && t.roots != nil { // the value is not that of all moves
		return n.best
	}
	lower, upper := tt128.Window(n.best, n.asked, n.beta) // step 19
	if !t.mode.Verify && !n.inCheck && (n.choice == board.NullMove || isQuiet(p, n.choice)) &&
		!(lower == -infinite && n.best >= f.static) && !(upper == infinite && n.best <= f.static) {
		t.correct(n.ply, n.depth, n.best-f.static)
	}
	t.table.Store(p.Key, n.ply, tt128.NewDraft(lower, upper, n.depth, n.choice, n.pv))
	return n.best
}

// extendPV puts m before the principal variation of the next ply.
func (t *Thread) extendPV(ply int, m board.Move) {
	f, next := &t.frames[ply], &t.frames[ply+1]
	f.pv[0] = m
	f.length = 1 + copy(f.pv[1:], next.pv[:min(next.length, maxPly-1)])
}
