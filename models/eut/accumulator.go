package eut

import (
	"fmt"

	"tesla/board"
)

// pack puts two columns into one word, lo + hi * 2^32. Packing is linear: the sum of packed words is the packed pair of
// the sums, modulo 2^64. So one 64-bit addition adds two columns, also where they are negative.
func pack(lo, hi int32) int64 { return int64(lo) + int64(hi)<<32 }

// unpack is the inverse of pack if both sums fit into an int32.
func unpack(v int64) (lo, hi int32) {
	lo = int32(v)
	return lo, int32((v - int64(lo)) >> 32)
}

// Accumulator is the first layer of the net for one position: the sum of the table's rows of its features. To move to
// another position, it adds and subtracts the rows that differ. It belongs to one goroutine.
type Accumulator struct {
	net  *Net
	have featureSet
	sums []int64 // [Width/2], packed
	diff [2 * Features]uint16
}

// NewAccumulator returns the accumulator of an empty board.
func NewAccumulator(n *Net) *Accumulator {
	return &Accumulator{net: n, sums: make([]int64, n.Width/2)}
}

// Set moves the accumulator to p.
func (a *Accumulator) Set(p *board.Position) {
	var want featureSet
	want.set(p)
	a.move(&want)
}

// Write writes the sums to dst[:Width], one int32 for each column.
func (a *Accumulator) Write(dst []int32) {
	dst = dst[:2*len(a.sums)]
	for i, v := range a.sums {
		lo, hi := unpack(v)
		pair := dst[2*i : 2*i+2 : 2*i+2]
		pair[0], pair[1] = lo, hi
	}
}

// move changes the features to want. It starts from an empty board if that takes fewer rows.
func (a *Accumulator) move(want *featureSet) {
	if want.count() < want.distance(&a.have) {
		clear(a.sums)
		a.have = featureSet{}
	}
	added := want.appendMinus(&a.have, a.diff[:0])
	all := a.have.appendMinus(want, added)
	a.apply(added, all[len(added):])
	a.have = *want
}

// row is the packed row of feature f in the table.
func (n *Net) row(f uint16) []int64 {
	half := n.Width / 2
	return n.table[int(f)*half:][:half:half]
}

// apply adds and subtracts rows, up to four in each pass over the sums.
func (a *Accumulator) apply(added, removed []uint16) {
	n := a.net
	for len(added) >= 1 && len(removed) >= 1 {
		if len(added) >= 2 && len(removed) >= 2 {
			add2sub2(a.sums, n.row(added[0]), n.row(added[1]), n.row(removed[0]), n.row(removed[1]))
			added, removed = added[2:], removed[2:]
			continue
		}
		add1sub1(a.sums, n.row(added[0]), n.row(removed[0]))
		added, removed = added[1:], removed[1:]
	}
	for ; len(added) >= 4; added = added[4:] {
		add4(a.sums, n.row(added[0]), n.row(added[1]), n.row(added[2]), n.row(added[3]))
	}
	for _, f := range added {
		add1(a.sums, n.row(f))
	}
	for _, f := range removed {
		sub1(a.sums, n.row(f))
	}
}

// The kernels take slices of equal length. Slicing them again tells the compiler so, and it drops its bounds checks.

func add1(s, a []int64) {
	a = a[:len(s)]
	for i := range s {
		s[i] += a[i]
	}
}

func sub1(s, a []int64) {
	a = a[:len(s)]
	for i := range s {
		s[i] -= a[i]
	}
}

func add1sub1(s, a, b []int64) {
	a, b = a[:len(s)], b[:len(s)]
	for i := range s {
		s[i] += a[i] - b[i]
	}
}

func add2sub2(s, a, b, c, d []int64) {
	a, b, c, d = a[:len(s)], b[:len(s)], c[:len(s)], d[:len(s)]
	for i := range s {
		s[i] += a[i] + b[i] - c[i] - d[i]
	}
}

func add4(s, a, b, c, d []int64) {
	a, b, c, d = a[:len(s)], b[:len(s)], c[:len(s)], d[:len(s)]
	for i := range s {
		s[i] += a[i] + b[i] + c[i] + d[i]
	}
}

// Encoder computes the accumulators of positions in any order. It keeps the accumulators of a few recent positions, and
// moves the one that differs least. It belongs to one goroutine.
type Encoder struct {
	recent []*Accumulator
	used   []uint64 // the clock when recent[i] was last moved
	clock  uint64
	codes  Squares
}

// recentAccumulators is the number of accumulators of an Encoder. It was tuned on leaves in the order of a best-first
// search; see BenchmarkEncode.
const recentAccumulators = 4

// NewEncoder returns an encoder for n.
func NewEncoder(n *Net) *Encoder {
	e := &Encoder{used: make([]uint64, recentAccumulators)}
	for range recentAccumulators {
		e.recent = append(e.recent, NewAccumulator(n))
	}
	return e
}

// Encode writes the graph's input for p to dst[:Row].
func (e *Encoder) Encode(p *board.Position, dst []int32) {
	var want featureSet
	want.set(p)
	e.clock++
	best, nearest, oldest := 0, 1<<30, 0
	for i, a := range e.recent {
		if d := want.distance(&a.have); d < nearest {
			best, nearest = i, d
		}
		if e.used[i] < e.used[oldest] {
			oldest = i
		}
	}
	if nearest > farAway {
		// A new part of the tree: keep the nearest accumulator and move the least recently used one.
		if best != oldest && e.recent[best].have != (featureSet{}) {
			e.recent[oldest].copyFrom(e.recent[best])
		}
		best = oldest
	}
	e.used[best] = e.clock
	e.recent[best].move(&want)
	e.recent[best].Write(dst)
	e.codes.Set(p)
	e.codes.Write(dst[2*len(e.recent[best].sums):])
}

// farAway is the number of differing features above which an Encoder takes another accumulator for a position.
const farAway = 8

// copyFrom makes a the accumulator of the position of b, of the same net.
func (a *Accumulator) copyFrom(b *Accumulator) {
	copy(a.sums, b.sums)
	a.have = b.have
}

// Checker tells rows that an Encoder could have written from others, which a graph would answer with nonsense or an
// error. It is constant and safe for concurrent use.
type Checker struct {
	bounds []int64 // of the absolute sum of each column: a position has at most listed features
}

// NewChecker returns a checker of rows for n.
func NewChecker(n *Net) *Checker {
	c := &Checker{bounds: make([]int64, n.Width)}
	for f := range uint16(Features) {
		for i, v := range n.row(f) {
			lo, hi := unpack(v)
			for k, x := range [2]int64{int64(lo), int64(hi)} {
				c.bounds[2*i+k] = max(c.bounds[2*i+k], listed*x, -listed*x)
			}
		}
	}
	return c
}

// Check is an error that names the column where no position has row[:Row]. It allows for every sum that some features
// might have, so not each row that it passes is a position's.
func (c *Checker) Check(row []int32) error {
	for i, bound := range c.bounds {
		if x := int64(row[i]); x > bound || -x > bound {
			return fmt.Errorf("column %d is %d, want at most %d", i, x, bound)
		}
	}
	return checkCodes(row[len(c.bounds):])
}
