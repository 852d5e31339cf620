package tt128

import (
	"math"

	"tesla/board"
	"tesla/search"
)

const (
	// Infinity is the open end of an interval, in the unit of scores.
	Infinity = math.MaxInt16
	// maxEval is the largest score, in centipawns, that is not decided.
	maxEval = search.Decided - 1
	// MaxDraft is the deepest draft an entry can carry, in plies.
	MaxDraft = 127
	// MaxEffort is the largest effort of an estimate, see EffortOf.
	MaxEffort = 127
)

const (
	upperShift = 16
	moveShift  = 32
	pvShift    = 50
	depthShift = 51
	ageShift   = 59

	evalMask = 1<<32 - 1
	moveMask = 1<<18 - 1
	ageMask  = 31 << ageShift

	// estimateMark is the bit of depth that tells an estimate from a draft.
	estimateMark = 128
	// noLower is -Infinity as stored; it is one more than the least int16.
	noLower = -Infinity
)

// Entry is the data of one table entry. The zero value is no entry. It is a copy:
// only Store changes the table.
type Entry uint64

// Kind is the meaning of an entry's interval.
type Kind uint8

const (
	Draft    Kind = iota // bounds from an alpha-beta search
	Estimate             // v - sigma and v + sigma from the best-first search
)

// Bound is the form of an interval.
type Bound uint8

const (
	BoundNone  Bound = iota // no bound, or an estimate
	BoundExact              // lower == upper
	BoundLower              // a fail-high: the score is at least lower
	BoundUpper              // a fail-low: the score is at most upper
	BoundBoth               // two different finite bounds
)

// NewDraft is the entry of an alpha-beta search to the given draft (plies,
// clamped to 0..MaxDraft): the score lies in [lower, upper]. Scores are clamped
// to [-Infinity, Infinity]; m may be NullMove.
func NewDraft(lower, upper, draft int, m board.Move, pv bool) Entry {
	draft = max(0, min(draft, MaxDraft))
	return pack(clampScore(lower), clampScore(upper), draft, m, pv)
}

// NewEstimate is the entry of a best-first search: value and sigma in
// centipawns, effort as from EffortOf. The value is clamped to the scores that are
// not decided, and sigma to the room that is left on either side of it, so that the
// midpoint is the value. A proven score is no estimate: store it as a draft of
// MaxDraft.
func NewEstimate(value, sigma, effort int, m board.Move, pv bool) Entry {
	value = max(-maxEval, min(value, maxEval))
	sigma = max(0, min(sigma, maxEval-max(value, -value)))
	effort = max(0, min(effort, MaxEffort))
	return pack(value-sigma, value+sigma, estimateMark|effort, m, pv)
}

func pack(lower, upper, depth int, m board.Move, pv bool) Entry {
	e := Entry(uint16(int16(lower))) | Entry(uint16(int16(upper)))<<upperShift |
		Entry(m&moveMask)<<moveShift | Entry(depth)<<depthShift
	if pv {
		e |= 1 << pvShift
	}
	return e
}

func clampScore(s int) int { return max(-Infinity, min(s, Infinity)) }

// Window is the interval that a fail-soft search with window (alpha, beta)
// proves by returning score.
func Window(score, alpha, beta int) (lower, upper int) {
	switch {
	case score >= beta:
		return score, Infinity
	case score <= alpha:
		return -Infinity, score
	}
	return score, score
}

// Lower is the lower end of the interval, -Infinity where it is open.
func (e Entry) Lower() int { return int(int16(e)) }

// Upper is the upper end of the interval, Infinity where it is open.
func (e Entry) Upper() int { return int(int16(e >> upperShift)) }

// Move is the best or refuting move, or NullMove. Its legality is not checked.
func (e Entry) Move() board.Move { return board.Move(e >> moveShift & moveMask) }

// PV reports whether the entry lay on a principal variation.
func (e Entry) PV() bool { return e>>pvShift&1 != 0 }

// Depth is the raw depth field, 0..255.
func (e Entry) Depth() int { return int(e >> depthShift & 255) }

// Kind reports whether the interval is a pair of bounds or an estimate.
func (e Entry) Kind() Kind { return Kind(e.Depth() / estimateMark) }

// Draft is the depth in plies of an alpha-beta entry. For an estimate it is -1,
// less than the draft that any search asks for.
func (e Entry) Draft() int {
	if e.Kind() == Estimate {
		return -1
	}
	return e.Depth()
}

// Effort is the effort of an estimate, see EffortOf; 0 for a draft.
func (e Entry) Effort() int {
	if e.Kind() == Draft {
		return 0
	}
	return e.Depth() - estimateMark
}

// Bound is the form of the interval; BoundNone for an estimate.
func (e Entry) Bound() Bound {
	lower, upper := e.Lower(), e.Upper()
	switch {
	case e.Kind() == Estimate || lower <= noLower && upper == Infinity:
		return BoundNone
	case lower == upper:
		return BoundExact
	case upper == Infinity:
		return BoundLower
	case lower <= noLower:
		return BoundUpper
	}
	return BoundBoth
}

// CutsAt reports whether the entry ends a search of the given draft (plies) and
// window (alpha, beta), and the score to return, fail-soft. It is false for
// every estimate. Call it on what Probe returned for the node's own ply.
func (e Entry) CutsAt(alpha, beta, draft int) (score int, ok bool) {
	if e.Draft() < max(draft, 0) {
		return 0, false
	}
	lower, upper := e.Lower(), e.Upper()
	switch {
	case lower >= beta:
		return lower, true
	case upper <= alpha:
		return upper, true
	}
	return lower, lower == upper
}

// Midpoint is the middle of the interval, in centipawns: the value of an
// estimate. It is the other end where one end is open, and 0 where both are.
func (e Entry) Midpoint() int {
	lower, upper := e.Lower(), e.Upper()
	switch {
	case lower <= noLower && upper == Infinity:
		return 0
	case upper == Infinity:
		return lower
	case lower <= noLower:
		return upper
	}
	return (lower + upper) / 2
}

// age is the number of the search that stored the entry, 1..maxAge. It is 0 in an
// empty slot only.
func (e Entry) age() uint32 { return uint32(e >> ageShift) }

// EffortOf is the effort of an estimate with the given evaluations below it:
// 4 log2 of them, rounded down, at most MaxEffort.
func EffortOf(evaluations int64) int {
	if evaluations < 1 {
		return 0
	}
	return min(int(4*math.Log2(float64(evaluations))), MaxEffort)
}

// Evaluations is the inverse of EffortOf: the least count with that effort.
func Evaluations(effort int) float64 { return math.Exp2(float64(effort) / 4) }

// scoreToTable turns a score at a node ply plies from the root into one counted from
// the node: distances of decided scores shrink by ply, and other scores stay as they are.
func scoreToTable(score, ply int) int {
	switch {
	case score >= search.Proven && score <= search.MateScore:
		return min(score+ply, search.MateScore)
	case score <= -search.Proven && score >= -search.MateScore:
		return max(score-ply, -search.MateScore)
	case !search.IsTable(score):
		return score
	case score > 0:
		return min(score+ply, search.TableScore)
	}
	return max(score-ply, -search.TableScore)
}

// scoreFromTable is the inverse of scoreToTable, for the ply of the node that reads.
func scoreFromTable(score, ply int) int {
	switch {
	case score >= search.Proven && score <= search.MateScore:
		return score - ply
	case score <= -search.Proven && score >= -search.MateScore:
		return score + ply
	case !search.IsTable(score):
		return score
	case score > 0:
		return max(score-ply, search.Decided)
	}
	return min(score+ply, -search.Decided)
}

// withScores is the entry with the given interval.
func (e Entry) withScores(lower, upper int) Entry {
	return e&^evalMask | Entry(uint16(int16(lower))) | Entry(uint16(int16(upper)))<<upperShift
}

// toTable and fromTable turn both ends of the interval as scoreToTable and
// scoreFromTable do.
func (e Entry) toTable(ply int) Entry {
	return e.withScores(scoreToTable(e.Lower(), ply), scoreToTable(e.Upper(), ply))
}

func (e Entry) fromTable(ply int) Entry {
	return e.withScores(scoreFromTable(e.Lower(), ply), scoreFromTable(e.Upper(), ply))
}

// merge is what the table keeps of an older and a newer entry of one position.
// Both are as stored, from the node's point of view; the age is the newer's.
func merge(older, newer Entry) Entry {
	if newer.Move() == board.NullMove {
		newer |= older & (moveMask << moveShift)
	}
	if newer.Kind() == Estimate || newer.Depth() != older.Depth() {
		return newer
	}
	newer |= older & (1 << pvShift)
	lower := max(older.Lower(), newer.Lower())
	upper := min(older.Upper(), newer.Upper())
	if lower > upper {
		return newer
	}
	return newer.withScores(lower, upper)
}
