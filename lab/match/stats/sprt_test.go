package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestParseSPRT(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  SPRT
		error string
	}{
		{"0,5", SPRT{0, 5, 0.05, 0.05, false}, ""},
		{" -5 , 0.5 ", SPRT{-5, 0.5, 0.05, 0.05, false}, ""},
		{"0,5,logistic", SPRT{0, 5, 0.05, 0.05, true}, ""},
		{"0,5,normalized,alpha=0.01,beta=0.1", SPRT{0, 5, 0.01, 0.1, false}, ""},
		{"elo0=1,elo1=2", SPRT{1, 2, 0.05, 0.05, false}, ""},
		{"", SPRT{}, "want elo0,elo1"},
		{"5", SPRT{}, "want elo0,elo1"},
		{"5,0", SPRT{}, "not below"},
		{"0,0", SPRT{}, "not below"},
		{"0,x", SPRT{}, `"x" is not a number`},
		{"0,5,gaussian", SPRT{}, `"gaussian"`},
		{"0,5,gamma=1", SPRT{}, `"gamma=1"`},
		{"0,5,alpha=0.5", SPRT{}, "alpha"},
		{"0,5,beta=nan", SPRT{}, "beta"},
		{"nan,5", SPRT{}, "elo0"},
		{"0,inf", SPRT{}, "elo1"},
	} {
		s, err := ParseSPRT(c.text)
		if c.error != "" {
			if err == nil || !strings.Contains(err.Error(), c.error) {
				t.Errorf("%q: error %v, want %q", c.text, err, c.error)
			}
			continue
		}
		if err != nil || *s != c.want {
			t.Errorf("%q: %+v, %v", c.text, s, err)
			continue
		}
		if again, err := ParseSPRT(s.String()); err != nil || *again != *s {
			t.Errorf("%q: %q reads as %+v, %v", c.text, s, again, err)
		}
	}
}

// TestLikeliest checks the solution against its definition: it meets the constraint, and is a local maximum among those
// that do: no neighbour on the constraint is likelier.
func TestLikeliest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var seen distribution
		sum := 0.0
		for i := range seen {
			seen[i] = math.Pow(r.Float64(), 3) + emptyCell
			sum += seen[i]
		}
		for i := range seen {
			seen[i] /= sum
		}
		for _, logistic := range []bool{true, false} {
			s := SPRT{Logistic: logistic}
			elo := 100 * (r.Float64() - 0.5)
			p := s.likeliest(&seen, elo)
			constraint := func(p *distribution) float64 {
				mean, sigma := p.moments()
				if logistic {
					return -400*math.Log10(1/mean-1) - elo
				}
				return (mean-0.5)/sigma/math.Sqrt2*nEloUnit - elo
			}
			if g := constraint(&p); math.Abs(g) > 1e-6 {
				t.Fatalf("%v %v of %v: %v, off by %v", logistic, elo, seen, p, g)
			}
			likelihood := func(p *distribution) (l float64) {
				for i, v := range seen {
					l += v * math.Log(p[i])
				}
				return l
			}
			best := likelihood(&p)
			for range 20 {
				if q, ok := neighbour(r, &p, constraint); ok && likelihood(&q) > best+1e-12 {
					t.Fatalf("%v %v of %v: %v is likelier than %v", logistic, elo, seen, q, p)
				}
			}
		}
	}
}

// neighbour is a distribution near p on the constraint, found by Newton's method along its gradient.
func neighbour(r *rand.Rand, p *distribution, constraint func(*distribution) float64) (distribution, bool) {
	q := *p
	for i := range q {
		q[i] *= 1 + 0.1*(r.Float64()-0.5)
	}
	for range 50 {
		sum := 0.0
		for _, v := range q {
			sum += v
		}
		for i := range q {
			q[i] /= sum
		}
		g := constraint(&q)
		if math.Abs(g) < 1e-9 {
			return q, true
		}
		moved, e := q, 1e-6
		for i := range moved { // a shift of points upward moves mean and t
			moved[i] *= 1 + e*(pairScore(i)-0.5)
		}
		slope := (constraint(&moved) - g) / e
		for i := range q {
			q[i] *= math.Exp(-g / slope * (pairScore(i) - 0.5))
		}
	}
	return q, false
}

// TestLLRAtTheEdges: no counts give a number that is not finite, and none decides in a few pairs.
func TestLLRAtTheEdges(t *testing.T) {
	for _, text := range []string{"0,5", "-5,0", "0,5,logistic", "-3,0.5", "0,50", "-100,100", "-100,100,logistic"} {
		s, err := ParseSPRT(text)
		if err != nil {
			t.Fatal(err)
		}
		if llr := s.LLR(Pentanomial{}); llr != 0 {
			t.Errorf("%s: %v without pairs", text, llr)
		}
		for i := range 5 {
			for _, n := range []int{1, 3, 1000, 1000000} {
				var c, mirrored Pentanomial
				c[i], mirrored[4-i] = n, n
				llr := s.LLR(c)
				if math.IsNaN(llr) || math.IsInf(llr, 0) {
					t.Errorf("%s: %v of %v", text, llr, c)
				}
				if n == 1 && s.Elo1-s.Elo0 <= 5 && s.Decide(llr) != Undecided {
					t.Errorf("%s: decided by %v", text, c)
				}
				opposite := SPRT{Elo0: -s.Elo1, Elo1: -s.Elo0, Alpha: s.Beta, Beta: s.Alpha, Logistic: s.Logistic}
				if back := opposite.LLR(mirrored); math.Abs(back+llr) > 1e-6*(1+math.Abs(llr)) {
					t.Errorf("%s: %v of %v, %v from the other side", text, llr, c, back)
				}
			}
		}
	}
}

// TestTallyOrder: whatever the order in which games end, the decision and its LLR are the same.
func TestTallyOrder(t *testing.T) {
	test := &SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	r := rand.New(rand.NewPCG(3, 4))
	games := make([]GameFact, 2000)
	for i := range games {
		games[i] = GameFact{Game: i, AWhite: i%2 == 0, Points: r.IntN(3)}
	}
	var first Result
	for window := 1; window <= 64; window *= 4 {
		shuffled := append([]GameFact{}, games...)
		for i := 0; i+window <= len(shuffled); i += window {
			r.Shuffle(window, func(a, b int) { shuffled[i+a], shuffled[i+b] = shuffled[i+b], shuffled[i+a] })
		}
		tally := Tally{SPRT: test}
		for _, g := range shuffled {
			tally.Add(g)
		}
		got := tally.Result()
		if window == 1 {
			if first = got; first.SPRT.Decision == Undecided || first.SPRT.Pairs >= 1000 {
				t.Fatalf("%+v is no test of this", first.SPRT)
			}
			continue
		}
		if *got.SPRT != *first.SPRT || got.LLR != first.LLR || got.Ptnml != first.Ptnml {
			t.Errorf("in windows of %d: %+v %v, want %+v %v", window, got.SPRT, got.LLR, first.SPRT, first.LLR)
		}
	}
}

func TestResultJSON(t *testing.T) {
	for _, facts := range [][]GameFact{
		nil, {{Points: 2}}, {{Points: 2}, {Game: 1, Points: 2}}, {{Points: 0}, {Game: 1, Points: 0}, {Game: 2}, {Game: 3}},
		{{Points: 1}, {Game: 1, Points: 1}, {Game: 2, Points: 1}, {Game: 3, Points: 1}},
	} {
		for _, test := range []*SPRT{nil, {Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}} {
			tally := Tally{SPRT: test}
			for _, f := range facts {
				tally.Add(f)
			}
			r := tally.Result()
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatalf("%v: %v", facts, err) // infinities and NaN are errors
			}
			var back Result
			if err := json.Unmarshal(data, &back); err != nil {
				t.Fatal(err)
			}
			for _, field := range []string{`"nelo":`, `"nelo_error":`, `"draw_ratio":`, `"pairs_ratio":`, `"llr":`, `"sprt":`} {
				if !strings.Contains(string(data), field) {
					t.Errorf("%s lacks %s", data, field)
				}
			}
			if (test == nil) != strings.Contains(string(data), `"sprt":null`) || r.Text() == "" {
				t.Errorf("%s", data)
			}
		}
	}
}

// theory is what the LLR's walk should do: pairs until a bound, and the probability to reach the upper one.
//
// Near t0 and t1 the LLR of a pair is d (z - (t0 + t1)/2) with d = t1 - t0 and z of variance 1 and mean t: a random
// walk with drift m = d (t - (t0 + t1)/2) and variance d^2. For a Brownian motion between -a and b Wald's identities
// give
//
//	P(b) = (1 - exp(h a)) / (exp(-h b) - exp(h a)), h = 2 m/d^2
//	E(n) = (P(b) b - (1 - P(b)) a)/m
//
// The walk moves in steps and ends beyond a bound, on average by 0.5826 standard deviations of a step where it is
// normal (D. Siegmund, Sequential Analysis, 1985): a and b are larger by that.
func (s *SPRT) theory(nelo float64) (pairs, upper float64) {
	t := func(nelo float64) float64 { return nelo / nEloUnit * math.Sqrt2 }
	d := t(s.Elo1) - t(s.Elo0)
	m := d * (t(nelo) - (t(s.Elo0)+t(s.Elo1))/2)
	low, high := s.Bounds()
	a, b := -low+0.5826*d, high+0.5826*d
	h := 2 * m / (d * d)
	upper = (1 - math.Exp(h*a)) / (math.Exp(-h*b) - math.Exp(h*a))
	return (upper*b - (1-upper)*a) / m, upper
}

// simulate plays pairs until the test decides. The exact LLR costs a hundred times as much as drawing a pair, so it is
// computed only where its second-order approximation n/2 ((T - t0)^2 - (T - t1)^2)/(1 + (T - t0)^2), with T the t that
// was seen, is within margin of a bound or beyond.
func simulate(r *rand.Rand, test *SPRT, p *distribution, margin float64) (pairs int, decision Decision) {
	var limit [5]uint64
	sum := 0.0
	for i, v := range p {
		sum += v
		limit[i] = uint64(min(sum, 1) * (1 << 63))
	}
	limit[4] = 1 << 63
	t0, t1 := test.Elo0/nEloUnit*math.Sqrt2, test.Elo1/nEloUnit*math.Sqrt2
	lower, upper := test.Bounds()
	var counts Pentanomial
	var first, second float64
	for pairs = 1; ; pairs++ {
		u, i := r.Uint64()>>1, 0
		for u >= limit[i] {
			i++
		}
		counts[i]++
		x := pairScore(i) - 0.5
		first += x
		second += x * x
		if pairs > 20 {
			n := float64(pairs)
			mean := first / n
			t := mean / math.Sqrt(second/n-mean*mean)
			near := n / 2 * ((t-t0)*(t-t0) - (t-t1)*(t-t1)) / (1 + (t-t0)*(t-t0))
			if near > lower+margin && near < upper-margin {
				continue
			}
		}
		if decision = test.Decide(test.LLR(counts)); decision != Undecided {
			return pairs, decision
		}
	}
}

// TestSPRTSimulation plays matches between players 0, 5 and 20 normalized Elo apart: the test errs as often as it says
// and takes as long as theory says. It plays 10,000 matches each when TESLA_LONG is set (make test-long), else 300.
func TestSPRTSimulation(t *testing.T) {
	matches, errors, length := 300, 0.0813, 0.15 // 2.5 standard errors of 300 matches
	if os.Getenv("TESLA_LONG") != "" {
		matches, errors, length = 10000, 0.055, 0.10
	}
	test := &SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05}
	typical := distribution{0.035, 0.205, 0.435, 0.27, 0.055} // of matches at short time controls
	for _, nelo := range []float64{0, 5, 20} {
		p := likeliestT(&typical, nelo/nEloUnit*math.Sqrt2)
		if mean, sigma := p.moments(); math.Abs((mean-0.5)/sigma/math.Sqrt2*nEloUnit-nelo) > 1e-9 {
			t.Fatalf("%v is not %g Elo", p, nelo)
		}
		r := rand.New(rand.NewPCG(5, uint64(nelo)))
		var total, squares float64
		accepted := 0
		for range matches {
			n, decision := simulate(r, test, &p, 0.25)
			total += float64(n)
			squares += float64(n) * float64(n)
			if decision == AcceptH1 {
				accepted++
			}
		}
		mean := total / float64(matches)
		spread := math.Sqrt((squares/float64(matches) - mean*mean) / float64(matches))
		pairs, upper := test.theory(nelo)
		rate := float64(accepted) / float64(matches)
		t.Logf("%2g Elo, %d matches: H1 accepted %.4f (theory %.4f), pairs %.0f +- %.0f (theory %.0f, %+.1f %%)",
			nelo, matches, rate, upper, mean, spread, pairs, 100*(mean/pairs-1))
		wrong := 1 - rate
		if nelo == 0 {
			wrong = rate
		}
		if wrong > errors {
			t.Errorf("%g Elo: %.4f of the decisions are wrong, want at most %.3f", nelo, wrong, errors)
		}
		if nelo < 20 && math.Abs(mean/pairs-1) > length {
			t.Errorf("%g Elo: %.0f pairs, theory %.0f", nelo, mean, pairs)
		}
	}
}

// TestSimulationShortcut: what the simulation leaves out changes no decision.
func TestSimulationShortcut(t *testing.T) {
	test := &SPRT{Elo0: 0, Elo1: 20, Alpha: 0.05, Beta: 0.05}
	typical := distribution{0.035, 0.205, 0.435, 0.27, 0.055}
	for seed := range uint64(30) {
		p := likeliestT(&typical, float64(seed)/nEloUnit*math.Sqrt2)
		n, d := simulate(rand.New(rand.NewPCG(seed, 7)), test, &p, 0.25)
		if m, e := simulate(rand.New(rand.NewPCG(seed, 7)), test, &p, math.Inf(1)); m != n || d != e {
			t.Errorf("seed %d: %d pairs, %v; exactly %d pairs, %v", seed, n, d, m, e)
		}
	}
}

func BenchmarkLLR(b *testing.B) {
	for _, text := range []string{"0,5", "0,5,logistic"} {
		s, _ := ParseSPRT(text)
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			for b.Loop() {
				s.LLR(Pentanomial{50, 287, 610, 387, 73})
			}
		})
	}
}
