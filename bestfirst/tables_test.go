package bestfirst

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"tesla/models"
	"tesla/search"
)

// fitOfTest is the fit of the built-in net nnue.
func fitOfTest(t *testing.T) Fit {
	t.Helper()
	n, err := models.DefaultNNUE()
	if err != nil {
		t.Fatal(err)
	}
	f, err := FitOf(n.ShortHash())
	if err != nil || f.Net != n.ShortHash() {
		t.Fatalf("the fit of net %q for net %s: %v", f.Net, n.Hash, err)
	}
	return f
}

// near reports whether two numbers agree to a part of the second.
func near(got float32, want, part float64) bool {
	return math.Abs(float64(got)-want) <= part*math.Abs(want)
}

// The chance that a gap is crossed, per evaluation, is 2 Share T(Gap gap / s_1) / n, in both regimes.
func TestChance(t *testing.T) {
	f := fitOfTest(t)
	for _, o := range []Tuning{DefaultTuning(false), DefaultTuning(true)} {
		tb := newTables(f, o)
		nu := o.Tails
		if nu == 0 {
			nu = f.Nu
		}
		student := distuv.StudentsT{Sigma: 1, Nu: nu}
		for _, n := range []uint32{1, 9, 100, 5000} {
			for _, gap := range []float64{0.01, 0.05, 0.3} {
				for way, fall := range []float64{1, math.Exp(f.Fall)} {
					e := &edge{n: n, prior: math.MaxUint16}
					e.setSigma(sigmaCode(0.1))
					count, scale := bucketCount(bucketN(n)), math.Pow(codeSigma(e.sigmaCode()), f.Power)*math.Exp(f.Change[0])*fall
					if o.Settle == 0 {
						scale *= math.Pow(count, -f.Decay)
					}
					z := bucketGap(bucketZ(float32(gap / scale))) // as the tables have it, in the middle of the bucket
					if math.Abs(z*scale-gap) > 0.08*gap+0.01*scale {
						t.Errorf("gap %v is taken for %v", gap, z*scale)
					}
					want := 2 * f.Share[way] * student.Survival(o.Gap*z) / count
					got := tb.lookup(&tb.chance[way], &tb.perScale[way], e, float32(gap))
					if !near(got, want, 1e-4) {
						t.Errorf("settle %v, n %d, gap %v, way %d: chance %v, want %v", o.Settle, n, gap, way, got, want)
					}
				}
			}
		}
	}
}

// The expected gain is E max(0, X - z), here by quadrature.
func TestExpectedGain(t *testing.T) {
	for _, nu := range []float64{2.1, 6.3} {
		student := distuv.StudentsT{Sigma: 1, Nu: nu}
		for _, z := range []float64{0, 0.5, 2, 10} {

			want := quad.Fixed(func(u float64) float64 { // x = u / (1 - u)
				x := u / (1 - u)
				return x * student.Prob(z+x) / ((1 - u) * (1 - u))
			}, 0, 1, 400, nil, 0)
			if got := expectedGain(student, z); math.Abs(got-want) > 0.01*want {
				t.Errorf("nu %v, z %v: %v, want %v", nu, z, got, want)
			}
		}
	}
}

// A move's value is the mean of what search found and what the policy implied, by precision.
func TestValueOf(t *testing.T) {
	f, o := fitOfTest(t), DefaultTuning(false)
	tb := newTables(f, o)
	n := &node{q: 0.2, rest: 0.25}
	best := 0.5
	top := tb.natsOf(uint16(best * 65535))
	for _, evals := range []uint32{1, 16, 1000} {
		e := &edge{n: evals, prior: 6553, value: valueOf(0.3)}
		e.setSigma(sigmaCode(0.1))
		implied := 0.2 - f.Loss*math.Log(best/0.1)
		if got := tb.valueOf(n, e, top); math.Abs(float64(got)-implied) > 0.005 {
			t.Errorf("without an evaluation: %v, want %v", got, implied)
		}
		e.bits |= edgeValued
		deviation := math.Pow(0.1, f.Power) * math.Exp(f.Error) * math.Pow(float64(evals), -f.Decay)
		x := o.Evidence * deviation * deviation / (f.Spread * f.Spread)
		want := (0.3 + x*implied) / (1 + x)
		if got := tb.valueOf(n, e, top); math.Abs(float64(got)-want) > 0.005 {
			t.Errorf("after %d evaluations: %v, want %v", evals, got, want)
		}
		if e.bits |= edgeProven; tb.valueOf(n, e, top) != qOf[uint16(e.value)] {
			t.Error("a proven value is mixed with what the policy implied")
		}
	}
	want := 0.2 - f.Loss*math.Log(best/0.25)
	if rest, ok := tb.restValue(n, top); !ok || math.Abs(float64(rest)-want) > 0.005 {
		t.Errorf("the rest has the value %v, want %v", rest, want)
	}
	n.rest = 0.01
	if _, ok := tb.restValue(n, top); ok {
		t.Error("a rest of 1 % counts")
	}
}

// Gaps grow with N^Settle, less in large trees; without Settle neither counts.
func TestGrowth(t *testing.T) {
	o := DefaultTuning(false)
	frame := newFrame(newTables(fitOfTest(t), o))
	for _, n := range []uint32{1, 50, 3000} {
		if got, want := frame.growthOf(&node{n: n}), math.Pow(float64(n), o.Settle); !near(got, want, 0.04) {
			t.Errorf("%d evaluations: gaps grow by %v, want %v", n, got, want)
		}
	}
	small, large := frame.tables.shrinkOf(100), frame.tables.shrinkOf(widenBase)
	if small < 0.999 || !near(large, 1/(1+o.Widen*math.Ln2), 1e-6) {
		t.Errorf("gaps shrink by %v in a small tree, by %v in a large one", small, large)
	}
	plain := newFrame(newTables(fitOfTest(t), DefaultTuning(true)))
	if plain.growthOf(&node{n: 3000}) != 1 || plain.tables.shrinkOf(1<<20) != 1 {
		t.Error("gaps grow or shrink without settle")
	}
}

// Buckets hold what is a little above and below their middle.
func TestBuckets(t *testing.T) {
	for _, n := range []uint32{1, 2, 3, 100, 12345, 1 << 25} {
		if ratio := bucketCount(bucketN(n)) / float64(n); ratio < 0.83 || ratio > 1.2 {
			t.Errorf("%d is in the bucket of %v", n, bucketCount(bucketN(n)))
		}
	}
	if bucketN(0) != 0 || bucketN(math.MaxUint32) != nBuckets-1 || bucketZ(1e9) != zBuckets-1 || bucketZ(0) != 0 {
		t.Error("a number out of range is not in the last bucket")
	}
	for _, z := range []float32{0.3, 1, 7, 60} {
		if got := bucketGap(bucketZ(z)); !near(z, got, 0.08) {
			t.Errorf("%v is in the bucket of %v", z, got)
		}
	}
	o := DefaultTuning(false)
	tb := newTables(fitOfTest(t), o)
	for _, prior := range []uint16{1, 600, 30000, math.MaxUint16} {
		p := float64(prior) / 65535
		if math.Abs(float64(tb.natsOf(prior))+math.Log(p)) > 0.09 || !near(tb.weightOf(prior), math.Pow(p, o.Prior), 0.08) {
			t.Errorf("prior %v: %v nats, weight %v", p, tb.natsOf(prior), tb.weightOf(prior))
		}
	}
}

// Values in 16 bits keep centipawns, and order proven scores beyond all others.
func TestValues(t *testing.T) {
	for cp := -3430; cp <= 3430; cp += 7 {
		if got := cpOf(valueOf(qOfCP(cp))); got < cp-1 || got > cp+1 {
			t.Errorf("%d centipawns are kept as %d", cp, got)
		}
	}
	order := []int16{-search.MateScore, -search.Proven, -search.TableScore, 1 - search.TableScore, -search.Decided, -cpLimit * fine, 0,
		100, cpLimit * fine, search.Decided, search.TableScore - 1, search.TableScore, search.Proven, search.MateScore}
	for i := range order[1:] {
		if qOf[uint16(order[i])] >= qOf[uint16(order[i+1])] {
			t.Errorf("q of %d is not below that of %d", order[i], order[i+1])
		}
	}
	if !isWin(search.Decided) || isWin(search.Decided-1) || !isDecided(-search.Decided) || isDecided(0) || cpOf(search.MateScore-5) != search.MateScore-5 ||
		cpOf(search.TableScore) != search.TableScore || unproven(qOf[search.TableScore]) >= qOf[search.Decided] {
		t.Error("wins and mates are told wrongly")
	}
	for _, sigma := range []float32{0.001, 0.04, 0.5, 1} {
		if got := codeSigma(sigmaCode(sigma)); !near(sigma, got, 0.03) {
			t.Errorf("a sigma of %v is kept as %v", sigma, got)
		}
	}
}

// A fit that no search can use is refused; a net without one has that of eut-s.
func TestReadFit(t *testing.T) {
	for _, text := range []string{"", "{}", `{"power":1,"nu":1,"spread":1,"share":[1,1]}`, `{"power":1,"nu":2,"spread":1,"share":[1,0]}`} {
		if _, err := ReadFit([]byte(text)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	if f, err := FitOf("another"); err != nil || f.Net == "another" || f.Nu < 1 {
		t.Errorf("the fit of another net: %+v, %v", f, err)
	}
	if f := fitOfTest(t); math.Abs(f.Scale(0.1)-f.Power*math.Log(0.1)) > 1e-12 {
		t.Errorf("scale %v", f.Scale(0.1))
	}
}
