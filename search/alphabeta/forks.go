package alphabeta

import "tesla/board"

// Where the moves of a node may be shared out (step 16): its moves fork there, whether a member waits or not. The
// critical path and the log of the tree follow the forks.

// begins is called before a move of a node is searched: its path begins where the moves fork. At an all-node that is
// before the first move, for all moves must be searched there, and none raises alpha. A move that is extended is
// searched alone. begins reports whether it has shared out the moves instead.
func (m *member) begins(n *node, k *picker, move board.Move, score int32, extension int) (shared bool) {
	if n.tried == 0 && n.kind() == AllNode && extension == 0 && m.forks(n, k) && m.team.waiting.Load() > 0 {
		k.generate()
		k.put(move, score)
		m.divide(n, k)
		return true
	}
	if n.critical.fork > 0 {
		m.setPath(n.critical.fork)
		if m.log != nil {
			m.log.beginMove(m.nodes)
		}
	}
	if n.ply == 0 {
		m.recall(move)
	}
	return false
}

// endMoves is called when no move of a node is left, or one has cut.
func (m *member) endMoves(n *node, k *picker) {
	if n.critical.fork > 0 && m.log != nil {
		m.log.close(m.unpruned(*n, k), m.stopped, m.nodes)
	}
}

// unpruned is how many of the moves that are left would be searched. It takes them all.
func (m *member) unpruned(n node, k *picker) (count int) {
	for {
		move, score, ok := k.next()
		if !ok {
			return count
		}
		if (n.ply > 0 || m.allowed(move)) && !m.prunes(&n, k, move, score) {
			count, n.tried = count+1, n.tried+1
		}
	}
}

// below reports whether the member works at a move that may be another member's, too.
func (m *member) below() bool { return m.at != nil || m.log != nil && len(m.log.forks) > 0 }

// divides is called after a move did not cut. It shares out the moves that are left if it may and if another member
// waits, and reports whether it did.
func (m *member) divides(n *node, k *picker) bool {
	n.critical.longest = max(n.critical.longest, m.path())
	m.setPath(n.critical.longest)
	if n.critical.fork > 0 && m.log != nil {
		m.log.endMove(m.nodes)
	}
	if !m.forks(n, k) || m.team.waiting.Load() == 0 {
		return false
	}
	m.divide(n, k)
	return true
}

// forks reports whether the moves that are left may be shared out.
func (m *member) forks(n *node, k *picker) bool {
	if n.critical.fork > 0 {
		return true
	}
	r := &m.team.rule
	if n.depth < r.depth || m.frames[n.ply].excluded != board.NullMove {
		return false
	}
	if r.principal && !n.pv && !(r.resplit && m.below()) {
		return false
	}
	if n.tried > 0 { // generated earlier, the moves would have other scores
		k.generate()
		if len(k.moves) == 0 {
			return false
		}
	}
	if float64(n.tried) < r.sequential*float64(n.tried+len(k.moves)) || n.tried == 0 && r.sequential > 0 {
		return false
	}
	n.critical.fork = m.path()
	if m.log != nil {
		m.log.fork(n, m.nodes)
	}
	return true
}
