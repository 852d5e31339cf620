package alphabeta

import "tesla/board"

// settles tells whether a node outside the principal variation is decided by its value without trying its moves.
func (t *Thread) settles(n *node, value int) (int, bool) {
	depth, beta := n.depth, n.beta
	better := 0
	if n.improving {
		better = 1
	}
	if t.parts.ReverseFutility && depth <= reverseDepth && value < decided && beta > -decided &&
		value-reverseMargin*(depth-better) >= beta {
		return (value + beta) / 2, true
	}
	return t.nullCuts(n, value)
}

// nullCuts tells whether the node fails high even if the side to move passes.
func (t *Thread) nullCuts(n *node, value int) (int, bool) {
	ply, depth, beta := n.ply, n.depth, n.beta
	p := &t.pos[ply]
	if !t.parts.NullMove || depth < nullDepth || value < beta || t.frames[ply].static < beta+nullAbove-nullAbovePly*depth || beta <= -decided ||
		ply < t.nullFrom || t.before(ply, 1) == board.NullMove && ply > 0 || !mobile(p) {
		return 0, false
	}
	r := nullReduction + depth/3 + min((value-beta)/nullMargin, nullMost)
	t.push(ply, board.NullMove)
	v := -t.search(ply+1, depth-r, -beta, -beta+1, !n.cut)
	t.stack.Pop()
	if t.stopped || v < beta {
		return 0, false
	}
	if v >= decided {
		v = beta
	}
	if !t.parts.Verification || depth < verificationDepth || t.nullFrom > 0 {
		return v, true
	}
	t.nullFrom = ply + 3*(depth-r)/4
	verified := t.search(ply, depth-r, beta-1, beta, false)
	t.nullFrom = 0
	return v, verified >= beta && !t.stopped
}

// mobile tells whether zugzwang is unlikely: the side to move has a rook, a queen, or two minor pieces.
func mobile(p *board.Position) bool {
	return p.Ours&(p.Rooks|p.Queens) != 0 || (p.Ours&(p.Knights|p.Bishops)).Count() > 1
}

// prunes tells whether a move is not worth a search.
func (t *Thread) prunes(n *node, k *picker, m board.Move, score int32) bool {
	if n.ply == 0 || n.best <= -decided {
		return false
	}
	p := &t.pos[n.ply]
	if !quiet(p, m) {
		return t.parts.SEEPruning && n.depth <= seeDepth && score < 0 && !p.SEE(m, -seeCaptureMargin*n.depth)
	}
	if n.check {
		return false
	}
	if t.parts.LateMovePruning && n.depth <= lateDepth && n.tried >= lateMoves(n.depth, n.improving || n.pv) {
		k.dropQuiet()
		return true
	}
	left := max(1, n.depth-reduction(n.depth, n.tried+1))
	if t.parts.Futility && left <= futilityDepth && t.frames[n.ply].static+futilityBase+futilityMargin*left <= n.alpha &&
		score < killerOrder-1 && !p.GivesCheck(m) {
		return true
	}
	return t.parts.SEEPruning && left <= seeDepth && !p.SEE(m, -seeQuietMargin*left)
}

// singular is how much deeper the table's move is searched: a ply where all others fall short of its value, less where
// it is only one of several that fail high. Where the others exceed beta without it, the node's value is returned.
func (t *Thread) singular(n *node, m board.Move) (extension, value int, ok bool) {
	ply := n.ply
	f := &t.frames[ply]
	lower := n.entry.Lower()
	if !t.parts.Singular || n.depth < singularDepth || f.excluded != board.NullMove || n.entry.Draft() < n.depth-singularDraft ||
		lower <= -decided || lower >= decided {
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
	case v >= n.beta && v < decided:
		return 0, v, false
	case lower >= n.beta:
		return -2, 0, true
	case n.cut:
		return -1, 0, true
	}
	return 0, 0, true
}
