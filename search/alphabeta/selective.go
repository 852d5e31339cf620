package alphabeta

import (
	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// farAbove reports whether the value is so far above beta that the node is cut (reverse futility, step 7).
func (t *Thread) farAbove(n *node, value int) bool {
	depth := n.depth
	if n.improving {
		depth--
	}
	return n.depth <= reverseDepth && value < search.Decided && n.beta > -search.Decided &&
		value-reverseMargin*depth >= n.beta
}

// nullMove reports whether the node fails high even if the side to move passes (step 9).
func (t *Thread) nullMove(n *node, value int) (int, bool) {
	ply, depth, beta := n.ply, n.depth, n.beta
	p := &t.pos[ply]
	if depth < nullDepth || value < beta || beta <= -search.Decided ||
		t.frames[ply].static < beta+nullAbove-nullAbovePly*depth/2 || value < t.frames[ply].static || ply < t.nullFrom ||
		t.moveBefore(ply, 1) == board.NullMove && ply > 0 || !mobile(p) {
		return 0, false
	}
	r := nullReduction + depth/3 + min((value-beta)/nullMargin, nullMost)
	t.push(ply, board.NullMove)
	v := -t.search(ply+1, depth-r, -beta, -beta+1, !n.cut)
	t.stack.Pop()
	if t.stopped || v < beta {
		return 0, false
	}
	if v >= search.Decided {
		v = beta
	}
	if depth < verificationDepth || t.nullFrom > 0 {
		return v, true
	}
	t.nullFrom = ply + 3*(depth-r)/4
	verified := t.search(ply, depth-r, beta-1, beta, false)
	t.nullFrom = 0
	return v, verified >= beta && !t.stopped
}

// razor reports whether the value is far below alpha and a quiescence search confirms that. Then its value is the node's
// (step 8).
func (t *Thread) razor(n *node, value int) (int, bool) {
	if n.alpha <= -search.Decided || value >= n.alpha-razorMargin-razorMarginPly*n.depth*n.depth {
		return 0, false
	}
	v := t.quiesce(n.ply, 0, n.alpha-1, n.alpha)
	return v, v < n.alpha && !t.stopped
}

// probCut reports whether a capture stays far above beta in a shallower search, which gives the value (step 9).
func (t *Thread) probCut(n *node) (int, bool) {
	bar := n.beta + probCutMargin
	if n.improving {
		bar -= probCutImproving
	}
	if n.depth < probCutDepth || search.IsDecided(n.beta) ||
		n.found && n.entry.Draft() > n.depth-probCutReduction && n.entry.Upper() < bar {
		return 0, false
	}
	p, ply := &t.pos[n.ply], n.ply
	begin := len(t.moves)
	defer func() { t.moves = t.moves[:begin] }()
	k := t.pickCaptures(p, n.table)
	for {
		m, _, ok := k.next()
		if !ok {
			return 0, false
		}
		if !p.SEE(m, bar-t.frames[ply].static) {
			continue
		}
		t.push(ply, m)
		v := -t.quiesce(ply+1, 0, -bar, -bar+1)
		if v >= bar && !t.stopped {
			v = -t.search(ply+1, n.depth-probCutReduction, -bar, -bar+1, !n.cut)
		}
		t.stack.Pop()
		if t.stopped {
			return 0, false
		}
		if v >= bar {
			t.table.Store(p.Key, ply, tt128.NewDraft(v, infinite, n.depth-probCutReduction+1, m, false))
			return v, true
		}
	}
}

// mobile reports whether zugzwang is unlikely: the side to move has a rook, a queen, or two minor pieces.
func mobile(p *board.Position) bool {
	return p.Ours&(p.Rooks|p.Queens) != 0 || (p.Ours&(p.Knights|p.Bishops)).Count() > 1
}

// prunes reports whether a move is not worth a search (step 12). No move is pruned before one has avoided a mate.
func (t *Thread) prunes(n *node, k *picker, m board.Move, score int32) bool {
	if !t.selective() || n.ply == 0 || n.best <= -search.Decided {
		return false
	}
	p := &t.pos[n.ply]
	if !isQuiet(p, m) {
		return n.depth <= seeDepth && score < 0 && !p.SEE(m, -seeCaptureMargin*n.depth)
	}
	if n.inCheck {
		return false
	}
	if n.depth <= lateDepth && n.tried >= lateMoves(n.depth, n.improving || n.pv) {
		k.dropQuiet()
		return true
	}
	left := max(1, n.depth-reduction(n.depth, n.tried+1))
	if left <= futilityDepth && !p.GivesCheck(m) {
		h := t.continuedHistory(n.ply, m)
		if left <= historyPruningDepth && h < -historyPruningPly*(n.depth-1) {
			return true
		}
		h += t.butterflyHistory(p, m)
		if t.frames[n.ply].static+futilityBase+futilityMargin*left+h/futilityHistory <= n.alpha {
			return true
		}
	}
	return left <= seeDepth && !p.SEE(m, -seeQuietMargin*left)
}

// singular is the number of plies by which the table's move is extended (step 13). A search without the move tells: the
// move is singular if all others stay below its value by a margin. If several moves fail high, it is reduced, or
// (multi-cut) the node is cut: then ok is false, and value is that of the node.
func (t *Thread) singular(n *node, m board.Move) (extension, value int, ok bool) {
	ply := n.ply
	f := &t.frames[ply]
	lower := n.entry.Lower()
	if !t.selective() || n.depth < singularDepth || f.excluded != board.NullMove ||
		n.entry.Draft() < n.depth-singularDraft || search.IsDecided(lower) {
		return 0, 0, true
	}
	bar := lower - singularMargin*n.depth/16
	f.excluded = m
	killers := f.killers
	v := t.search(ply, (n.depth-1)/2, bar-1, bar, n.cut)
	f.excluded, f.killers = board.NullMove, killers
	switch {
	case t.stopped:
		return 0, 0, true
	case v < bar && ply >= 2*t.rootDepth:
		return 0, 0, true
	case v < bar-doubleMargin && !n.pv:
		return 2, 0, true
	case v < bar:
		return 1, 0, true
	case v >= n.beta && v < search.Decided:
		return 0, v, false
	case lower >= n.beta:
		return -2, 0, true
	case n.cut:
		return -1, 0, true
	}
	return 0, 0, true
}

// lateReduction is the number of plies by which a move is searched less deep at first (step 14). depth is its depth
// without it; the move has been made.
func (t *Thread) lateReduction(n *node, m board.Move, score int32, depth int) int {
	quiet := isQuiet(&t.pos[n.ply], m)
	if !t.selective() || n.depth < reductionDepth || n.tried < reductionMoves || !quiet && score >= 0 {
		return 0
	}
	r := reduction(n.depth, n.tried+1)
	if n.cut {
		r++
	}
	if n.onPV {
		r--
	}
	if !n.improving {
		r++
	}
	if t.pos[n.ply+1].InCheck() {
		r--
	}
	if quiet {
		if score >= killerOrder-1 {
			r--
		} else {
			h := t.butterflyHistory(&t.pos[n.ply], m) + t.continuedHistory(n.ply, m) - reductionMiddle
			r -= h / reductionHistory
		}
	}
	return max(0, min(r, depth-1))
}
