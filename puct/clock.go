package puct

import (
	"math/bits"

	"tesla/search"
	"tesla/treesearch"
)

// A search on a clock ends after its soft budget. It ends earlier when no other move can get as many evaluations as the
// one that would be played, and later, up to mostShare of the budget, while another move has a better value but too few
// evaluations.
const (
	mostShare  = 2
	leastEvals = 32 // of a search that ends early
)

// TimeUp implements treesearch.Tree.
func (pr *promoter) TimeUp(c treesearch.Clock) search.End {
	switch {
	case c.Spent >= c.Hard:
		return search.EndTime
	case c.Soft >= c.Hard: // a fixed time is to be used
		return search.EndUnknown
	}
	order := pr.playOrder()
	switch {
	case len(order) == 1 && c.Evals > 1:
		return search.EndSatisfied
	case c.Evals < leastEvals:
		return search.EndUnknown
	case c.Spent >= mostShare*c.Soft:
		return search.EndTime
	case c.Spent >= c.Soft:
		for _, e := range order {
			if e.value() > order[0].value() && e.n > 0 {
				return search.EndUnknown
			}
		}
		return search.EndTime
	}
	left := c.Rate() * (c.Soft - c.Spent).Seconds()
	if float64(order[0].n) > float64(order[1].n)+left {
		return search.EndSatisfied
	}
	return search.EndUnknown
}

// AnyProven implements treesearch.Tree. The root's flags tell of all moves together, so they do not tell where not all
// may be played.
func (pr *promoter) AnyProven() bool {
	return pr.loop.Restricted() || pr.root().flags&nodeProven != 0
}

// Depth implements treesearch.Tree, as the best-first search does: it counts the doublings of the root's evaluations.
func (pr *promoter) Depth() int { return bits.Len32(pr.root().n) }
