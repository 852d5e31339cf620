package sure

import (
	"cmp"
	"math"

	"tesla/board"
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

// Certain reports whether nothing is in doubt: a mate, a win by tables, the end of a game.
func (v Value) Certain() bool { return v.Half == 0 }

// Interval is the 90 % interval of the value.
func (v Value) Interval() (low, high float64) {
	return max(0, v.Middle-v.Half), min(1, v.Middle+v.Half)
}

// Towards is the value for the other side.
func (v Value) Towards() Value { return Value{1 - v.Middle, v.Half} }

// Watch keeps what a search last stated of its value and its first move. A search that goes on beyond the efforts of the fit keeps
// the width that it had at their end.
type Watch struct {
	value  Value
	cp     int // the score when it was stated
	stated bool

	best, stays said
}

// said is a probability that was stated.
type said struct {
	p      float64 // 0: none was
	of     board.Move
	effort int64 // nodes of alpha-beta, evaluations of a tree
}

// tenfold is the effort, in parts of that now, at which P(stays) says which move is first.
const tenfold = 10

// See takes a report of the first line.
func (w *Watch) See(in *search.Info) {
	if v, ok := ValueOf(in); ok {
		w.value, w.cp, w.stated = v, in.Score.Value(), true
	}
	if s := &in.Sure; s.Best > 0 && len(in.PV) > 0 {
		w.best = said{s.Best, in.PV[0], effort(in)}
	}
	if s := &in.Sure; s.Stays > 0 && len(in.PV) > 0 {
		w.stays = said{s.Stays, in.PV[0], effort(in)}
	}
}

func effort(in *search.Info) int64 { return cmp.Or(in.Evals, in.Nodes) }

// Held is what a search states by a report of its first line, and what it stated before where that still holds: P(best) while
// the first move is the same, P(stays) until ten times the effort too, the interval with its last width. at is the effort at which
// P(best) was stated.
func (w *Watch) Held(in *search.Info) (s search.Sureness, at int64) {
	holds := func(x *said) bool { return x.p > 0 && len(in.PV) > 0 && x.of == in.PV[0] }
	if holds(&w.best) {
		s.Best, at = w.best.p, w.best.effort
	}
	if holds(&w.stays) && effort(in) < tenfold*w.stays.effort {
		s.Stays = w.stays.p
	}
	if v, ok := w.At(in.Score.Value()); ok && !v.Certain() {
		s.Low, s.High = v.Interval()
	}
	return s, at
}

// At is the value at the last score of the search. stated is false where nothing is stated of it.
func (w *Watch) At(cp int) (v Value, stated bool) {
	switch {
	case search.IsDecided(cp):
		return Decided(cp), true
	case !w.stated || search.IsDecided(w.cp):
		return v, false
	case cp != w.cp:
		return Value{max(0, min(1, w.value.Middle+Points(cp)-Points(w.cp))), w.value.Half}, true
	}
	return w.value, true
}

// Gap is how two values of one searcher differ, in positions that are a move or two apart. It was fitted, see
// docs/log/marks.md#0111.
type Gap struct {
	Marks   bool    // where Below was at least 0.9, it came true that often
	stretch float64 // by which the middles are too close
	apart   float64 // share of the error of two independent values that their difference has
}

// GapOf is that of a searcher with its default options. fitted is false where none was fitted.
func GapOf(searcher string) (g Gap, fitted bool) {
	switch searcher {
	case "lazysmp":
		return Gap{true, 1.2, 0.8}, true
	case "bestfirst":
		return Gap{false, 1.2, 1}, true
	}
	return Gap{}, false
}

// deviations is how many standard deviations half of a 90 % interval has, where errors are normal.
const deviations = 1.645

// Loss is how many points a value is below another one, for the same side, and half of the 90 % interval of that. It is no more than
// the other value has, and no less than what that one lacks. Where one of them is certain, the interval is that of the other.
func (g Gap) Loss(v, other Value) (points, half float64) {
	points = other.Middle - v.Middle
	if v.Certain() || other.Certain() {
		return points, v.Half + other.Half
	}
	return max(other.Middle-1, min(other.Middle, g.stretch*points)), g.apart * math.Hypot(v.Half, other.Half)
}

// LossInterval is the 90 % interval of the loss, as far as it is possible: no move is better than its position, and none loses more
// than the upper end of the other value allows.
func (g Gap) LossInterval(v, other Value) (low, high float64) {
	points, half := g.Loss(v, other)
	_, most := other.Interval()
	if v.Certain() {
		most -= v.Middle
	}
	high = max(0, min(most, points+half))
	return max(0, min(high, points-half)), high
}

// Below is the probability that a value is below another one, for the same side, by at least so many points.
func (g Gap) Below(v, other Value, points float64) float64 {
	less, half := g.Loss(v, other)
	if less -= points; half > 0 {
		return 0.5 * math.Erfc(-less/(math.Sqrt2*half/deviations))
	}
	if less >= 0 {
		return 1
	}
	return 0
}
