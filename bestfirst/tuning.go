package bestfirst

import "tesla/search/treesearch"

// Tuning is what the search can be tuned by. The tags declare each field once, see treesearch.Tunable: its defaults
// with plain leaves and with deepened ones, its range and the step by which scripts/tune moves it. The defaults are
// what games led to (docs/log/puct.md#0086; docs/log/README.md has the names of older records).
type Tuning struct {
	// Of the policy: priors are its probabilities to the power 1/Temperature.
	Temperature float64 `plain:"1.4" deepened:"1.3" max:"10" step:"0.1" text:"temperature of the policy"`
	Prior       float64 `plain:"0.88" deepened:"1.1" max:"4" step:"0.08" text:"exponent of a prior as the weight of its move's promotions"`

	// Of the chance that a gap is crossed. Settle makes a choice firm up as its node grows, Widen keeps large trees
	// wide.
	Settle float64 `plain:"0.31" deepened:"0" max:"1" step:"0.04" text:"exponent: a node's gaps are multiplied by N^settle, N its evaluations; 0: each move's own N counts (Fit)"`
	Widen  float64 `plain:"0.9" max:"10" step:"0.1" text:"how much less gaps are multiplied in a large tree, by the logarithm of its evaluations; needs settle"`
	Tails  float64 `plain:"1.12" deepened:"0" max:"100" step:"0.15" text:"degrees of freedom of Student's t, the distribution of changes; 0: the fit's"`
	Gap    float64 `plain:"0.72" deepened:"1" max:"10" step:"0.06" text:"factor of all gaps"`

	// Of values. With Width 0 a node is worth its best move, as in minimax.
	Evidence float64 `plain:"0.19" deepened:"0.6" max:"10" step:"0.04" text:"weight of the policy in a move's value; 0: none"`
	Width    float64 `plain:"0.28" deepened:"0" max:"10" step:"0.05" text:"q below the best move at which a move's weight in its node's mean is 0.4; 0: the best move counts alone"`
	LCB      float64 `plain:"1.25" deepened:"1.35" max:"10" step:"0.2" text:"errors that a root move's lower confidence bound, by which it is played, lies below its value"`

	// Of the correction history (search/treesearch/correction.go).
	Correct float64 `plain:"0.54" deepened:"0" max:"1" step:"0.06" text:"share of the correction history that is added to the net's values; 0: no history"`
	Learn   float64 `plain:"0.03" max:"0.1" step:"0.005" text:"rate at which corrections are learned, for each doubling of evaluations"`

	Pending float64 `plain:"1.3" deepened:"100" max:"100" step:"0.2" text:"pending limit of a node, as a multiple of its completed evaluations"`
	Deepen  int     `plain:"10" max:"50" text:"plies that a deepened leaf is searched further, two at a time, before it gets children"`

	Share   bool `plain:"on" text:"lines that reach a position after as many moves share its node"`
	Reuse   bool `plain:"on" text:"the tree of the search before is kept"`
	Satisfy bool `plain:"on" text:"a clock's budget is left early, or exceeded, by what more time promises; off: the budget is spent"`
}

// DefaultTuning is the defaults with leaves that are deepened or plain.
func DefaultTuning(deepened bool) (t Tuning) {
	treesearch.SetDefaults(&t, treesearch.RegimeOf(deepened))
	return t
}
