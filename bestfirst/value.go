package bestfirst

import (
	"math"

	"tesla/search"
)

// An edge and a node keep a value in 16 bits: eighths of a centipawn, or a decided score in whole centipawns, which lies
// beyond. Ranking reads q from a table of all 65,536 values, and a search in a table inverts that.
const (
	cpLimit = 3500 // centipawns beyond which unproven values are not told apart
	fine    = 8    // parts of a centipawn
	qShare  = 0.02 // share of plain centipawns in q, so that ranking is not blind in won games
)

// qOf is the q of a value: tanh(cp/700) with a small share of centipawns added. Mates lie outside (-1, 1), nearer ones
// further out. Wins by endgame tables lie between them and all other values, in steps of the least float32 below 1.
var qOf = func() (t [1 << 16]float32) {
	for v := -1 << 15; v < 1<<15; v++ {
		c := max(-cpLimit, min(cpLimit, float64(v)/fine))
		q := (1-qShare)*math.Tanh(c/700) + qShare*c/cpLimit
		switch {
		case v >= search.Proven:
			q = 1 + float64(v-search.Proven)*1e-5
		case v <= -search.Proven:
			q = -1 + float64(v+search.Proven)*1e-5
		case search.IsTable(v) && v > 0:
			q = 1 - float64(search.TableScore+1-v)*0x1p-24
		case search.IsTable(v):
			q = -1 + float64(search.TableScore+1+v)*0x1p-24
		}
		t[uint16(int16(v))] = float32(q)
	}
	return t
}()

// unproven keeps a q off the ends of its range, which decided scores alone reach.
func unproven(q float32) float32 { return max(-0.999, min(0.999, q)) }

// valueTable inverts qOf on [-1, 1], in steps of 1/2048.
var valueTable = func() (t [4097]float32) {
	v := -cpLimit * fine
	for i := range t {
		q := float32(i)/2048 - 1
		for v < cpLimit*fine && qOf[uint16(int16(v))] < q {
			v++
		}
		t[i] = float32(v)
	}
	return t
}()

// valueOf is the value of an unproven q, interpolated.
func valueOf(q float32) int16 {
	x := (max(-1, min(1, q)) + 1) * 2048
	i := min(4095, int(x))
	return int16(math.Round(float64(valueTable[i] + (valueTable[i+1]-valueTable[i])*(x-float32(i)))))
}

// cpOf is the centipawns of a value.
func cpOf(value int16) int {
	if isDecided(value) {
		return int(value)
	}
	return int(math.Round(float64(value) / fine))
}

// isDecided reports whether a value is a certain win or loss, by mate or by tables.
func isDecided(value int16) bool { return search.IsDecided(int(value)) }

// isWin reports whether a value is a certain win.
func isWin(value int16) bool { return value >= search.Decided }

// qOfCP is the q of an unproven centipawn score.
func qOfCP(cp int) float32 { return qOf[uint16(int16(fine*max(-cpLimit, min(cpLimit, cp))))] }

// sigmaCode stores a sigma in (0, 1] in eight bits, sixteen steps to a doubling.
func sigmaCode(s float32) uint8 {
	c := math.Round(math.Log2(max(1e-6, float64(s)))*16) + 240
	return uint8(max(0, min(255, c)))
}

func codeSigma(c uint8) float64 { return math.Exp2((float64(c) - 240) / 16) }
