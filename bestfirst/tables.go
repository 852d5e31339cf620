package bestfirst

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// The tables are indexed by logarithms, read off the bits of a float32. The counts below are asm/main.go's, too.
const (
	nBuckets     = 4*26 + 1 // of n: four to a doubling, and bucket 0 for n = 0
	zBuckets     = 16 * 10  // of zOffset + gap / scale: sixteen to a doubling
	priorBuckets = 16 * 17  // of a prior: sixteen to a doubling
	zOffset      = 0.125
	zBase        = 124 << 4 // of zOffset, 2^-3
)

const (
	// minGap keeps equal moves from asking for no change at all, q units.
	minGap = 0.002
	// restGone is the policy mass below which the moves without an evaluation no longer count.
	restGone = 0.02
	// widenBase is the evaluations of a tree at which Tuning.Widen has taken effect ln 2 times; far smaller trees are
	// hardly wider.
	widenBase = 8000
)

// The ways in which a node's own value must move, as an index of the tables. It rises for the side to move there, so a
// node must rise to disprove the move that led to it, and fall to prove it.
const (
	rises = 0
	falls = 1
)

// tables is what ranking needs of the change model and the tuning. It is constant once made. What would be divided or
// squared in the inner loops is multiplied instead: the noise of an edge is noiseSigma * noiseN.
type tables struct {
	// Read by the kernels, too: asm/main.go has their offsets.
	perNat     float32                        // q that a move loses for each nat that its prior lies below the best
	perWidth   float32                        // 1 / Tuning.Width
	minGap     float32                        //
	noiseSigma [256]float32                   // by the sigma's code; zero in plain minimax
	noiseN     [nBuckets]float32              //
	perSigma   [256]float32                   // 1 / sigma
	perScale   [2][nBuckets]float32           // 1 / scale of chance, for a sigma of one
	weight     [priorBuckets]float32          // of a prior: its power Tuning.Prior
	nats       [priorBuckets]float32          // that a prior lies below one
	chance     [2][nBuckets][zBuckets]float32 // that a gap is crossed, per evaluation, by way, n and gap / scale

	// Read by Go alone.
	gain      [2][nBuckets][zBuckets]float32 // expected gain per evaluation, for a sigma of one
	gainScale [2][nBuckets]float32           // 1 / scale of gain
	growth    [nBuckets]float32              // by how much all gaps of a node count as wider
	err       [nBuckets]float32              // scale of the error, for a sigma of one
	sigma     [256]float32                   // sigma^Power of a sigma's code
	fresh     uint8                          // code of an edge without an evaluation: of the spread of first evaluations
	settles   bool                           // Tuning.Settle is above 0
	widen     float64                        // Tuning.Widen
}

func newTables(f Fit, o Tuning) *tables {
	tb := &tables{perNat: float32(f.Loss), minGap: minGap, fresh: sigmaCode(float32(math.Pow(f.Spread, 1/f.Power))),
		settles: o.Settle > 0, widen: o.Widen}
	if o.Width > 0 {
		tb.perWidth = float32(1 / o.Width)
	}
	for i := range tb.sigma {
		sigma := math.Pow(codeSigma(uint8(i)), f.Power)
		tb.sigma[i], tb.perSigma[i] = float32(sigma), float32(1/sigma)
		tb.noiseSigma[i] = float32(o.Evidence * sigma * sigma / (f.Spread * f.Spread))
	}
	for i := range tb.nats { // prior / 65535 = 2^(i/16 - 16), in the middle of the bucket
		doublings := float64(i)/16 - 16 + 1.0/32
		tb.weight[i] = float32(math.Exp2(o.Prior * doublings))
		tb.nats[i] = float32(-math.Ln2 * doublings)
	}
	for n := range nBuckets {
		count, decay := bucketCount(n), 1.0
		if n > 0 {
			decay = math.Pow(count, -f.Decay)
		}
		tb.err[n] = float32(math.Exp(f.Error) * decay)
		tb.noiseN[n] = tb.err[n] * tb.err[n]
		tb.growth[n] = 1
		if tb.settles {
			tb.growth[n] = float32(math.Pow(max(1, count), o.Settle))
		}
		for way, fall := range [2]float64{1, math.Exp(f.Fall)} {
			tb.fill(f, o, way, n, decay, fall)
		}
	}
	return tb
}

// fill makes chance and gain of one way and bucket of n. A node's change there falls by decay, and by fall on the way
// down. A promotion is thought to go on for one ply, a doubling of n: with the shipped fits a second ply is worth less
// than its cost at every gap (docs/log/promotions.md#0121).
func (tb *tables) fill(f Fit, o Tuning, way, n int, decay, fall float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: f.Nu}
	tails := t
	if o.Tails > 0 {
		tails.Nu = o.Tails
	}
	chance, gain := &tb.chance[way][n], &tb.gain[way][n]
	if n == 0 { // a first evaluation, on a scale of one
		tb.perScale[way][n], tb.gainScale[way][n] = 1, 1
		for i := range zBuckets {
			z := bucketGap(i)
			chance[i], gain[i] = float32(tails.Survival(o.Gap*z)), float32(expectedGain(t, z))
		}
		return
	}
	settling := decay
	if tb.settles { // by the node's evaluations instead
		settling = 1
	}
	first, share := math.Exp(f.Change[0])*fall, 2*f.Share[way]/bucketCount(n)
	tb.perScale[way][n], tb.gainScale[way][n] = float32(1/(first*settling)), float32(1/(first*decay))
	for i := range zBuckets {
		z := bucketGap(i)
		chance[i] = float32(share * tails.Survival(o.Gap*z))
		gain[i] = float32(share * first * decay * expectedGain(t, z))
	}
}

// expectedGain is E max(0, X - z) of a standardized change X.
func expectedGain(t distuv.StudentsT, z float64) float64 {
	return (t.Nu+z*z)/(t.Nu-1)*t.Prob(z) - z*t.Survival(z)
}

// bucketCount is the evaluations in the middle of a bucket.
func bucketCount(i int) float64 { return math.Exp2((float64(i-1) + 0.5) / 4) }

func bucketN(n uint32) int {
	if n == 0 {
		return 0
	}
	return min(nBuckets-1, int(math.Float32bits(float32(n))>>21)-127<<2+1)
}

// bucketGap is gap / scale in the middle of a bucket.
func bucketGap(i int) float64 {
	edge := func(i int) float64 { return float64(math.Float32frombits(uint32(i+zBase) << 19)) }
	return max(0, (edge(i)+edge(i+1))/2-zOffset)
}

// bucketZ is the bucket of gap / scale.
func bucketZ(z float32) int {
	return min(zBuckets-1, int(math.Float32bits(z+zOffset)>>19)-zBase)
}

// bucketPrior is the bucket of a prior.
func bucketPrior(prior uint16) int { return int(math.Float32bits(float32(max(1, prior)))>>19) - 127<<4 }

// natsOf is how far a prior lies below one, in nats.
func (tb *tables) natsOf(prior uint16) float32 { return tb.nats[bucketPrior(prior)] }

// weightOf is the weight of a prior: a move that the policy thinks hopeless is rarely worth an evaluation.
func (tb *tables) weightOf(prior uint16) float32 { return tb.weight[bucketPrior(prior)] }

// noise is the variance of what search found over that of what the policy implied, zero where the policy has no weight.
func (tb *tables) noise(e *edge) float32 {
	return tb.noiseSigma[e.sigmaCode()] * tb.noiseN[bucketN(e.n)]
}

// valueOf is an edge's q for the side that moves: the precision-weighted mean of what search found and what the policy
// implied. top is the nats of the node's best prior. A proven value stands alone; before the first evaluation the
// policy does.
func (tb *tables) valueOf(n *node, e *edge, top float32) float32 {
	if !e.has(edgeValued) {
		return tb.implied(n, e.prior, top)
	}
	q := qOf[uint16(e.value)]
	if e.has(edgeProven) {
		return q
	}
	x := tb.noise(e)
	return (q + x*tb.implied(n, e.prior, top)) / (1 + x)
}

// implied is the q that the policy implies for an edge by its prior: the node's present value less a loss that makes
// the prior the logistic probability of being best.
func (tb *tables) implied(n *node, prior uint16, top float32) float32 {
	return n.q - tb.perNat*max(0, tb.natsOf(prior)-top)
}

// restValue is the q of the rest, the moves without an evaluation, taken as one move; false when their mass is gone.
func (tb *tables) restValue(n *node, top float32) (float32, bool) {
	if n.rest < restGone {
		return 0, false
	}
	return tb.implied(n, uint16(n.rest*65535), top), true
}

// ratioOf is the benefit per evaluation of promoting an edge whose child's value must move by gap. Gaps count as grow
// times wider. Where choices settle it is how likely the move is the best after all, and the gap of the best one is the
// least: its lead was no better (docs/log/promotions.md#0121).
func (tb *tables) ratioOf(e *edge, gap float32, way int, grow float32) float32 {
	if tb.settles && way == rises {
		gap = minGap
	}
	return tb.weightOf(e.prior) * tb.lookup(&tb.chance[way], &tb.perScale[way], e, gap*grow)
}

// gainOf is the expected gain per evaluation of promoting an edge, q units.
func (tb *tables) gainOf(e *edge, gap float32, way int) float32 {
	return tb.lookup(&tb.gain[way], &tb.gainScale[way], e, gap) * tb.sigma[e.sigmaCode()]
}

// lookup reads a table for an edge, whose unit is the edge's sigma. An edge has no evaluations before it has a value.
func (tb *tables) lookup(table *[nBuckets][zBuckets]float32, perScale *[nBuckets]float32, e *edge, gap float32) float32 {
	b := bucketN(e.n)
	return table[b][bucketZ(gap*tb.perSigma[e.sigmaCode()]*perScale[b])]
}

// shrinkOf is by how much less all gaps count as wider in a tree of some evaluations: where choices settle, a large
// tree is wider at all of its nodes, as the exploration of AlphaZero grows with the visits (Silver et al. 2018).
func (tb *tables) shrinkOf(evals uint32) float32 {
	if !tb.settles {
		return 1
	}
	size := float64(evals) / widenBase
	return float32(1 / (1 + tb.widen*math.Log1p(size*size)))
}
