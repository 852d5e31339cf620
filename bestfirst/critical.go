package bestfirst

import "tesla/search"

// Critical implements search.Critic. A search that knows no errors, as the baseline, has no such line.
func (s *Searcher) Critical() (c search.Critical, ok bool) {
	pr := s.promoter
	if pr.tree.root == none || pr.model == nil {
		return c, false
	}
	pr.model.rankRoot()
	for at := pr.tree.root; at != none && len(c.Line) < maxPly; {
		n := &pr.tree.Nodes.Items[at]
		if n.flags&nodeProven != 0 || n.chunk == none || at != pr.tree.root && n.tried == 0 {
			break
		}
		slot := pr.model.choose(n, len(c.Line))
		if slot < 0 {
			break
		}
		e := pr.tree.edge(n, slot)
		if c.Line = append(c.Line, e.move()); len(c.Line) == 1 {
			c.N, c.Error = int64(e.n), float64(pr.model.errorOf(e))
			c.Gap = float64(pr.model.needOf(n, e, slot))
		}
		at = e.child
	}
	return c, len(c.Line) > 0 && c.Error > 0 && c.Gap != 0
}
