package bestfirst

import (
	"iter"

	"tesla/board"
)

// Leaves are the leaves of the last search's tree: the positions that were evaluated and have no evaluated move, each
// once, a move's before those of the moves after it. Positions whose value is proven are not among them. The tree must
// not be searched on meanwhile.
func (s *Searcher) Leaves() iter.Seq[board.Position] {
	t := s.promoter.tree
	seen := map[uint32]bool{}
	return func(yield func(board.Position) bool) {
		var below func(index uint32, p *board.Position) bool
		below = func(index uint32, p *board.Position) bool {
			n := &t.Nodes.Items[index]
			seen[index] = true
			if n.best == noSlot {
				return n.flags&nodeProven != 0 || yield(*p)
			}
			for i := range n.made() {
				e := t.edge(n, i)
				if !e.has(edgeValued) || e.child == none || seen[e.child] {
					continue
				}
				next := p.After(e.move())
				if !below(e.child, &next) {
					return false
				}
			}
			return true
		}
		if t.root != none {
			root := s.promoter.loop.Game().Pos
			below(t.root, &root)
		}
	}
}
