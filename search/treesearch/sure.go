package treesearch

import (
	"slices"

	"tesla/search"
	"tesla/search/sure"
)

// lookEvery is by how much the evaluations of the root grow between two looks at the choice: an eighth of a doubling.
const lookEvery = 1.09

// sureness is how sure the search is of its choice. It is unknown where the options have no model.
type sureness struct {
	choice sure.Choice
	facts  sure.Facts
	next   float64 // the effort at which the choice is looked at next
	last   search.Sureness
}

// look judges the choice when the tree has grown enough since the last look, or at once.
func (l *Loop) look(now bool) {
	s := &l.sureness
	if l.opts.Sure == nil || !l.limits.Judged() || !l.rooted() || !now && float64(l.evals) < s.next {
		return
	}
	roots := l.tree.RootMoves(0)
	if len(roots) == 0 {
		return
	}
	s.next = lookEvery * float64(l.evals)
	f := &s.facts
	*f = sure.Facts{First: roots[0].Move, Moves: len(roots), Q: clip(roots[0].Q), Draws: roots[0].Draws, Rivals: f.Rivals[:0]}
	most := 0.0
	for i, r := range roots {
		n := float64(r.N)
		f.Effort += n
		if i > 0 {
			most = max(most, n)
		}
		if n == 0 {
			f.Untried += r.Policy
			continue
		}
		f.Rivals = append(f.Rivals, sure.Rival{Move: r.Move, N: n, Q: clip(r.Q), Prior: r.Policy, Error: r.Error})
	}
	if f.Effort == 0 || len(f.Rivals) == 0 || f.Rivals[0].Move != roots[0].Move {
		return // the choice is the policy's alone
	}
	f.Share, f.Next = f.Rivals[0].N/f.Effort, most/f.Effort
	s.choice.See(roots[0].Move, f.Q, f.Effort)
	s.choice.Fill(f)
	s.last = l.opts.Sure.Judge(f)
}

// behind adds to root moves how probable it is that they are behind the first, as the last look found.
func (l *Loop) behind(roots []search.RootMove) {
	f := &l.sureness.facts
	for i := range roots {
		k := slices.IndexFunc(f.Rivals, func(r sure.Rival) bool { return r.Move == roots[i].Move })
		if k > 0 {
			roots[i].Behind = l.opts.Sure.Behind(f, k)
		}
	}
}

// sure reports whether sureness ends the search. It is search.EndUnknown where it does not.
func (l *Loop) sure() search.End {
	switch limit := l.limits.Sure; {
	case limit == 0:
	case l.sureness.last.Best >= limit:
		return search.EndSure
	case l.limits.SureAlone() && (!l.limits.Judged() || l.opts.Sure.Spent(l.sureness.facts.Effort)):
		return search.EndUnsure
	}
	return search.EndUnknown
}

// clip brings proven values, which lie beyond -1 and 1, into the range of the others.
func clip(q float64) float64 { return max(-1, min(1, q)) }
