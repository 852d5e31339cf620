package treesearch

import (
	"math"

	"tesla/batcher"
	"tesla/board"
	"tesla/tt128"
)

// Floors are the least probabilities of moves that a policy often overlooks, so that the search looks at them.
const (
	checkFloor   = 0.01  // checks
	captureFloor = 0.005 // captures that lose nothing by static exchange
	bestFloor    = 0.5   // the move that a Deepener found best, or an alpha-beta search before this one
)

// hintDraft is the least depth of an alpha-beta search whose move is taken for the best, plies.
const hintDraft = 4

// Policy makes priors of a policy's probabilities: p^(1/temperature), normalized, which is the softmax of the net's
// outputs at that temperature. The powers are tabulated for 256 values of p to a doubling, from 2^-20 on.
type Policy struct {
	tempered [256*20 + 1]float32
	table    *tt128.Table // of the searchers; nil: none
}

// firstTempered is the exponent and the first eight bits of 2^-20 as a float32.
const firstTempered = (127 - 20) << 8

// NewPolicy returns a policy of a temperature above 0.
func NewPolicy(temperature float64) *Policy {
	p := &Policy{}
	for i := range p.tempered {
		middle := float64(math.Float32frombits(uint32(i+firstTempered)<<15 + 1<<14))
		p.tempered[i] = float32(math.Pow(middle, 1/temperature))
	}
	return p
}

// temper is the prior of a probability before normalization.
func (p *Policy) temper(x float32) float32 {
	return p.tempered[int(math.Float32bits(max(0x1p-20, min(1, x)))>>15)-firstTempered]
}

// Order is the moves of an evaluated leaf in the order of their priors, the highest first.
type Order struct {
	keys [board.MaxMoves]uint32 // prior<<8 | index
	n    int
}

// Len is the number of moves.
func (o *Order) Len() int { return o.n }

// At is the index of the i-th move, and its prior in 65535ths, at least 1.
func (o *Order) At(i int) (index int, prior uint16) {
	return int(uint8(o.keys[i])), uint16(o.keys[i] >> 8)
}

// Lead makes some moves the first, in their order. moves are those that the order is of.
func (o *Order) Lead(moves, first []board.Move) {
	for k, m := range first {
		for j := k; j < o.n; j++ {
			if key := o.keys[j]; moves[uint8(key)] == m {
				copy(o.keys[k+1:j+1], o.keys[k:j])
				o.keys[k] = key
				break
			}
		}
	}
}

// Order orders the moves of a leaf by the floored and tempered policy of its evaluated item.
func (p *Policy) Order(it *batcher.Item, l *Leaf) {
	var buffer [board.MaxMoves]float32
	priors, sum := l.floored(it, p.hint(it, l), buffer[:0]), float32(0)
	for i, x := range priors {
		priors[i] = p.temper(x)
		sum += priors[i]
	}
	l.Order.n = len(priors)
	sortPriors(priors, 65535/max(sum, 1e-9), l.Order.keys[:l.Order.n])
}

// hint is the move that an alpha-beta search found best, of the leaf's deepener or of a searcher before this one; else
// NullMove. Proven entries are passed over: this search stores such, and another goroutine reads them here.
func (p *Policy) hint(it *batcher.Item, l *Leaf) board.Move {
	if l.deep {
		return l.best
	}
	if p.table != nil && p.table.Handed() {
		if e, ok := p.table.Probe(it.Position.Key, 0); ok && e.Draft() >= hintDraft && e.Draft() < tt128.MaxDraft {
			return e.Move()
		}
	}
	return board.NullMove
}

// floored appends the floored policy of the moves to priors; best is the move of hint.
func (l *Leaf) floored(it *batcher.Item, best board.Move, priors []float32) []float32 {
	for i, p := range it.Policy {
		switch m := it.Moves[i]; {
		case p < checkFloor && l.checks[i>>6]>>(i&63)&1 != 0:
			p = checkFloor
		case p < captureFloor && m.IsCapture() && it.Position.SEE(m, 0):
			p = captureFloor
		}
		if it.Moves[i] == best {
			p = max(p, bestFloor)
		}
		priors = append(priors, p)
	}
	return priors
}

// sortPriors fills sorted with max(1, prior * scale)<<8 | index, largest first: a counting sort by logarithm, four
// buckets to a doubling, then insertion within the buckets.
func sortPriors(priors []float32, scale float32, sorted []uint32) {
	var end [64]uint8
	for i, p := range priors {
		p = max(1, p*scale)
		priors[i] = p
		end[bucketPrior(p)]++
	}
	sum := uint8(0)
	for i := len(end) - 1; i >= 0; i-- {
		sum, end[i] = sum+end[i], sum
	}
	for i, p := range priors {
		at := &end[bucketPrior(p)]
		sorted[*at] = uint32(p)<<8 | uint32(i)
		*at++
	}
	for i := 1; i < len(sorted); i++ {
		key, k := sorted[i], i
		for ; k > 0 && sorted[k-1] < key; k-- {
			sorted[k] = sorted[k-1]
		}
		sorted[k] = key
	}
}

func bucketPrior(p float32) int { return int(math.Float32bits(p)>>21-127<<2) & 63 }

// Finish returns a function that orders the moves of the first Asked items of an evaluated batch, off the search's
// goroutine.
func (p *Policy) Finish(of func(ref uint32) *Leaf) func(*batcher.Batch) {
	return func(b *batcher.Batch) {
		for i := range b.Asked {
			it := &b.Items[i]
			p.Order(it, of(it.Ref))
		}
	}
}
