package sure

import (
	"math"

	"tesla/search"
)

// Value is what a search states of the expected points of the side to move: the middle of a 90 % interval, and half of its
// width. A value without width is certain.
type Value struct {
	Middle float64 `json:"middle"`
	Half   float64 `json:"half"`
}

// ValueOf is the value that a report states. stated is false where it states none.
func ValueOf(in *search.Info) (v Value, stated bool) {
	if cp := in.Score.Value(); search.IsDecided(cp) {
		return Decided(cp), true
	}
	s := &in.Sure
	return Value{(s.Low + s.High) / 2, (s.High - s.Low) / 2}, s.High > 0
}

// won is the score, in centipawns, beyond which scores and decided ones are worth the same: nobody loses from there.
const won = 1000

// Decided is the value of a decided score.
func Decided(cp int) Value { return Value{Points(max(-won, min(won, cp))), 0} }

// Towards is the value for the other side.
func (v Value) Towards() Value { return Value{1 - v.Middle, v.Half} }

// Moved is the value when the score of the same search has gone from one to another since it was stated.
func (v Value) Moved(from, to int) Value {
	return Value{max(0, min(1, v.Middle+Points(to)-Points(from))), v.Half}
}

// How two values of one net, in positions that are a move apart, differ: what was fitted, see docs/log/sure.md#0111.
const (
	deviations = 1.645 // standard deviations that half of a 90 % interval has, where errors are normal
	stretch    = 1.15  // by which the middles are too close
	apart      = 0.75  // share of the error of two independent values that their difference has
)

// Below is the probability that a value is below another one, for the same side, by at least so many points.
func (v Value) Below(other Value, points float64) float64 {
	less := stretch*(other.Middle-v.Middle) - points
	if error := apart * math.Hypot(v.Half, other.Half) / deviations; error > 0 {
		return 0.5 * math.Erfc(-less/(math.Sqrt2*error))
	}
	if less >= 0 {
		return 1
	}
	return 0
}
