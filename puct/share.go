package puct

import (
	"tesla/board"
	"tesla/search"
	"tesla/treesearch"
)

// Lines that reach a position after the same number of moves share one node, as in the best-first search
// (bestfirst/share.go). An edge counts the evaluations that came through it alone, and takes over its node's mean with
// each of them, as in Monte Carlo graph search (Czech, Korus and Kersting 2021).
//
// What depends on the path stays on edges: a draw by repetition or fifty moves is settled before a node is looked for,
// and no further line joins a node that is a proven draw, or one near the fifty moves. Lines that joined it before take
// its draw for theirs.

// shared is the node that a line may share which reaches a position some plies below the root; none where there is
// none.
func (pr *promoter) shared(p *board.Position, ply int) uint32 {
	if !pr.opts.Share || p.Halfmove >= treesearch.ShareHalfmove {
		return none
	}
	i := pr.tree.index.Find(p.Key, pr.plies+uint16(ply))
	n := &pr.tree.Nodes.Items[i]
	if n.flags&nodeProven != 0 && (!search.IsDecided(int(n.cp)) || !treesearch.InTime(int(n.cp), p.Halfmove)) {
		return none
	}
	return i
}

// join hangs the shared node of a position, at the end of a path, below the path's last edge, and backs its value up;
// false where there is no such node.
func (pr *promoter) join(path []step, p *board.Position) bool {
	i := pr.shared(p, len(path))
	if i == none {
		return false
	}
	n, last := &pr.tree.Nodes.Items[i], path[len(path)-1].edge
	n.clock = max(n.clock, p.Halfmove)
	n.flags |= nodeShared
	last.child = i
	last.bits &^= edgePending
	if n.flags&nodeProven != 0 {
		pr.settle(path, search.Towards(int(n.cp)))
		return true
	}
	pr.backup(path, n.q)
	return true
}

// enter makes a node known to lines that reach its position some plies below the root.
func (pr *promoter) enter(i uint32, ply int) {
	pr.tree.Nodes.Items[i].ply = pr.plies + uint16(ply)
	if pr.opts.Share {
		pr.tree.index.Enter(i)
	}
}
