package bestfirst

import (
	"cmp"
	"math"
	"slices"

	"tesla/search"
	"tesla/search/treesearch"
)

// PUCT is the tuning of the baseline: the search by predictor and upper confidence bounds (Rosin 2011; Silver et al. 2017) on the tree
// of the best-first search, so that a comparison is of the idea alone. A descent follows at each node the edge with the highest
//
//	Q + c(N) P sqrt(N) / (1 + n),  c(N) = CPuct + CPuctFactor ln((N + 19652) / 19652),
//
// where Q is the mean value below the edge, N and n count the evaluations below node and edge, pending ones included, P is the policy at
// a temperature, and c grows as AlphaZero's does (Silver et al. 2018). An edge that was never tried has the node's value, less FPU times
// the root of the policy that was tried (Gelly and Wang 2006; Leela Chess Zero). A pending evaluation counts as a visit, and not as a
// loss (docs/log/batches.md#0014). The move played is the one of the best value among those with Choice of the most evaluations.
//
// What the best-first search has beside its idea the baseline has too: a correction history, nodes that lines share, and, since the
// best-first search asks where values still move, an exploration constant that follows the deviation of the values below a node, as in
// KataGo (D. J. Wu, "Other Methods Implemented in KataGo", 2021) and Monty. The words "correct=0 share=off deviation=0" make the plain
// search of AlphaZero.
//
// The tags declare each field once, see treesearch.Tunable. The defaults are what games led to (docs/log; older records call Pending
// flight): 3,456 games of 1,600 evaluations and 1,920 of 800 with plain leaves, and others on a clock with deepened ones.
type PUCT struct {
	CPuct       float64 `plain:"0.44" deepened:"0.3" max:"10" step:"0.05" text:"exploration constant of a small node"`
	CPuctFactor float64 `plain:"3.3" deepened:"3" max:"10" step:"0.4" text:"growth of the exploration constant with the logarithm of the node's evaluations"`
	FPU         float64 `plain:"0.057" deepened:"0" max:"4" step:"0.02" text:"first-play urgency: q that an untried edge is worth less than its node, times the root of the policy tried"`
	Temperature float64 `plain:"1.15" deepened:"1.4" max:"10" step:"0.1" text:"temperature of the policy"`
	Choice      float64 `plain:"0.38" deepened:"0.4" max:"1" step:"0.06" text:"part of the most evaluations that a root move needs to be played for its value"`
	Pending     float64 `plain:"1" deepened:"100" max:"100" step:"0.2" text:"pending limit of a node, as a multiple of its completed evaluations"`

	// Parts that the plain search of AlphaZero lacks (docs/log/puct.md#0077).
	Correct   float64 `plain:"0.4" deepened:"0" max:"1" step:"0.06" text:"share of the correction history that is added to the net's values; 0: no history"`
	Learn     float64 `plain:"0.03" max:"0.1" step:"0.005" text:"rate at which corrections are learned, for each doubling of evaluations"`
	Share     bool    `plain:"on" deepened:"off" text:"lines that reach a position after as many moves share its node"`
	Deviation float64 `plain:"0.8" deepened:"0" max:"4" step:"0.1" text:"how far the exploration constant of a node follows the deviation of the values below it; 0: not at all"`

	Deepen int `plain:"10" max:"50" text:"plies that a deepened leaf is searched further, two at a time, before it gets children"`
}

// DefaultPUCT is the defaults with leaves that are deepened or plain.
func DefaultPUCT(deepened bool) (t PUCT) {
	treesearch.SetDefaults(&t, treesearch.RegimeOf(deepened))
	return t
}

// common is the tuning of what the baseline's tree has in common with that of the best-first search.
func (t *PUCT) common() Tuning {
	return Tuning{Temperature: t.Temperature, Correct: t.Correct, Learn: t.Learn, Pending: t.Pending, Deepen: t.Deepen, Share: t.Share, Reuse: true}
}

const (
	// cpuctBase is the evaluations of a node at which its exploration constant has grown by CPuctFactor ln 2.
	cpuctBase = 19652
	// usualDeviation, q units, is where the exploration constant is as it is without Deviation.
	usualDeviation = 0.13
	// deviationPrior is the evaluations that a new node counts as having, of the usual deviation.
	deviationPrior = 10
	// mostBudgets is the soft budgets of a clock that a search takes where another move has a better value but too few evaluations.
	mostBudgets = 2
	// leastEvals is the evaluations of a search that ends before its soft budget.
	leastEvals = 32
)

// puct is the policy of the baseline. An edge's sigma is the deviation of the values below it, node.second its square.
type puct struct {
	*promoter
	PUCT
}

// choose is the slot of the edge with the highest bound. Proven mates are not followed. A proven draw is visited as often as it
// deserves, so that it counts in the mean of its node and can be played.
func (pu *puct) choose(n *node, ply int) int {
	if ply >= maxPly {
		return -1
	}
	visits, root := float64(n.n), ply == 0
	c := pu.CPuct + pu.CPuctFactor*math.Log((visits+cpuctBase)/cpuctBase)
	if pu.Deviation > 0 {
		const usual = usualDeviation * usualDeviation
		square := (visits*float64(n.second) + deviationPrior*usual) / (visits + deviationPrior)
		c *= 1 + pu.Deviation*(math.Sqrt(square)/usualDeviation-1)
	}
	explore := float32(c * math.Sqrt(max(1, visits-1)) / math.MaxUint16)
	urgency := n.q - float32(pu.FPU*math.Sqrt(float64(1-n.rest)))
	best, slot := float32(math.Inf(-1)), -1
	chunk, last := n.chunk, min(int(n.tried)+1, n.made()) // the first untried edge has the highest prior of these
	if root && pu.loop.Restricted() {
		last = int(n.moves)
	}
	for i := range last {
		if i&(treesearch.ChunkSize-1) == 0 && i > 0 {
			chunk = pu.tree.Chunks.Next[chunk]
		}
		e := &pu.tree.Chunks.Items[chunk][i&(treesearch.ChunkSize-1)]
		if e.has(edgePending) || e.has(edgeProven) && isDecided(e.value) || root && !pu.loop.Allowed(e.move()) {
			continue
		}
		q := urgency
		if e.has(edgeValued) {
			q = qOf[uint16(e.value)]
		}
		if v := q + explore*float32(e.prior)/(1+float32(e.n)); v > best {
			best, slot = v, i
		}
	}
	return slot
}

// squareOf is the square of a sigma's code.
var squareOf = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(codeSigma(uint8(i)) * codeSigma(uint8(i)))
	}
	return t
}()

// refresh makes a node's value the mean of its own and its edges', by evaluations, or proves it: by an edge that wins, or where all
// are proven (MCTS-Solver: Winands, Björnsson and Saito 2008). Its best edge is the one with the most evaluations.
func (pu *puct) refresh(n *node, changed *edge) {
	n.flags = n.flags&^nodeProven | nodeTouched
	if changed != nil && changed.child != none {
		changed.setSigma(sigmaCode(float32(math.Sqrt(float64(pu.tree.Nodes.Items[changed.child].second)))))
	}
	var evals uint32
	var weights, sum, squares float32
	var best *edge
	n.best = noSlot
	all, c := n.moves > 0 && n.tried == n.moves, n.chunk
	for i := range int(n.tried) {
		if i&(treesearch.ChunkSize-1) == 0 && i > 0 {
			c = pu.tree.Chunks.Next[c]
		}
		e := &pu.tree.Chunks.Items[c][i&(treesearch.ChunkSize-1)]
		all = all && e.has(edgeProven)
		evals += e.n
		if !e.has(edgeValued) {
			continue
		}
		q, count := qOf[uint16(e.value)], float32(e.n)
		weights += count
		sum += count * q
		squares += count * (q*q + squareOf[e.sigmaCode()])
		if best == nil || moreVisited(e, best) < 0 {
			best, n.best = e, uint8(i)
		}
	}
	if best != nil && best.has(edgeProven) && (all || isWin(best.value)) && (n.parents == none || treesearch.InTime(int(best.value), n.clock)) {
		n.q, n.value = qOf[uint16(best.value)], best.value
		n.flags |= nodeProven
		return
	}
	own := float32(max(1, int32(n.n-evals)))
	n.q = unproven((sum + own*n.base) / (weights + own))
	n.second = max(0, (squares+own*n.base*n.base)/(weights+own)-n.q*n.q)
	n.value = valueOf(n.q)
}

// moreVisited orders the moves of a node for play: proven wins first, the nearest mate before others; then by evaluations, value and
// prior; proven losses last, the farthest mate first.
func moreVisited(a, b *edge) int {
	return cmp.Or(cmp.Compare(b.decided(), a.decided()), cmp.Compare(b.n, a.n), cmp.Compare(b.value, a.value), cmp.Compare(b.prior, a.prior))
}

// decided is the score of a proven win or loss, 0 of another edge.
func (e *edge) decided() int16 {
	if e.has(edgeProven) && isDecided(e.value) {
		return e.value
	}
	return 0
}

// rankRoot lists the root moves that may be played.
func (pu *puct) rankRoot() {
	n := pu.root()
	pu.roots = pu.roots[:0]
	for i := range int(n.moves) {
		e := pu.tree.edge(n, i)
		if !pu.loop.Allowed(e.move()) {
			continue
		}
		r := rootMove{edge: e, slot: i, q: -1, rank: pu.loop.Rank(e.move())}
		if e.has(edgeValued) {
			r.q = qOf[uint16(e.value)]
		}
		pu.roots = append(pu.roots, r)
	}
}

// playOrder puts that move first which has the best value of those with enough evaluations, unless a mate is proven. A higher rank by
// endgame tables comes before all that.
func (pu *puct) playOrder() []rootMove {
	pu.rankRoot()
	pu.ordered = append(pu.ordered[:0], pu.roots...)
	slices.SortStableFunc(pu.ordered, func(a, b rootMove) int { return cmp.Or(cmp.Compare(b.rank, a.rank), moreVisited(a.edge, b.edge)) })
	best := 0
	for i, r := range pu.ordered {
		first := pu.ordered[0]
		rivals := r.rank == first.rank && first.edge.decided() == 0 && r.edge.decided() == 0
		if rivals && float64(r.edge.n) >= pu.Choice*float64(first.edge.n) && r.q > pu.ordered[best].q {
			best = i
		}
	}
	search.MoveToFront(pu.ordered, best)
	return pu.ordered
}

// timeUp ends a search after the soft budget. It ends earlier when no other move can get as many evaluations as the one that would be
// played, and later while another move has a better value but too few evaluations.
func (pu *puct) timeUp(c treesearch.Clock) search.End {
	order := pu.playOrder()
	switch {
	case len(order) == 1 && c.Evals > 1:
		return search.EndSatisfied
	case c.Evals < leastEvals:
		return search.EndUnknown
	case c.Spent >= mostBudgets*c.Soft:
		return search.EndTime
	case c.Spent >= c.Soft:
		if slices.ContainsFunc(order, func(r rootMove) bool { return r.q > order[0].q }) {
			return search.EndUnknown
		}
		return search.EndTime
	}
	left := c.Rate() * (c.Soft - c.Spent).Seconds()
	if float64(order[0].edge.n) > float64(order[1].edge.n)+left {
		return search.EndSatisfied
	}
	return search.EndUnknown
}
