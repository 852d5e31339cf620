package alphabeta

import (
	"math"

	"tesla/search"
	"tesla/search/sure"
)

// sureness is how sure a search is of its first line, after the last depth. It is unknown where there is no model.
type sureness struct {
	choice sure.Choice
	last   search.Sureness
}

// UseSureness has a model judge the first line after each depth; nil: nothing does. It is called between searches.
func (s *Searcher) UseSureness(m *sure.Model) { s.sure = m }

// judge judges the best line of a depth that the first thread has searched to its end.
func (x *running) judge(t *Thread, best *Line) {
	if x.sure == nil || !x.limits.Judged() {
		return
	}
	first, q := best.PV[0], search.CPToQ(best.Score)
	most, spent := int64(0), float64(max(1, t.nodes))
	for m, nodes := range t.effort {
		if m != first {
			most = max(most, nodes)
		}
	}
	s := &x.sureness
	effort := float64(x.nodes.Load())
	s.choice.See(first, q, effort)
	f := sure.Facts{First: first, Effort: effort, Moves: len(x.roots), Q: q, Draws: x.draws * (1 - math.Abs(q)),
		Share: float64(t.effort[first]) / spent, Next: float64(most) / spent, Depth: best.Depth}
	s.choice.Fill(&f)
	s.last = x.sure.Judge(&f)
}

// isSure reports whether sureness ends the search: it is as sure as it was asked to be, or can state nothing more.
func (x *running) isSure() bool {
	l := &x.limits
	return l.Sure > 0 && (x.sureness.last.Best >= l.Sure || l.SureAlone() && (!l.Judged() || x.sure.Spent(float64(x.nodes.Load()))))
}
