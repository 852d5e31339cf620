package stats

import "fmt"

// Referee shows a test the pairs of a match in the order of the games, not of their ends: the test sees pair k when
// all pairs before it are complete. So the decision depends on the games alone and not on how many ran at a time.
// After it has decided the test sees no more pairs.
type Referee struct {
	Test *SPRT

	seen     Pentanomial
	pairs    int // that the test has seen
	llr      float64
	decision Decision
}

// Stop gets A's half points (0, 1, 2) in all games from the first on, in game order and without gaps, those of earlier
// calls included. It reports whether the test has decided.
func (r *Referee) Stop(points []int) bool {
	for r.decision == Undecided && 2*r.pairs+1 < len(points) {
		r.pair(points[2*r.pairs] + points[2*r.pairs+1])
	}
	return r.decision != Undecided
}

// pair shows the test the next pair.
func (r *Referee) pair(halfPoints int) {
	r.seen[halfPoints]++
	r.pairs++
	r.llr = r.Test.LLR(r.seen)
	r.decision = r.Test.Decide(r.llr)
}

// Report writes the state of the test into a result.
func (r *Referee) Report(to *Result) {
	to.LLR = r.llr
	lower, upper := r.Test.Bounds()
	to.SPRT = &SPRTResult{SPRT: *r.Test, Lower: lower, Upper: upper, Pairs: r.pairs, Decision: r.decision}
}

// String is the state of the test in a few words.
func (r *Referee) String() string {
	lower, upper := r.Test.Bounds()
	s := fmt.Sprintf("LLR %.2f (%.2f, %.2f)", r.llr, lower, upper)
	if r.decision != Undecided {
		s += ", " + r.decision.String()
	}
	return s
}
