package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SPRT is a sequential probability ratio test (A. Wald, 1945) on pairs of games: H1 "A is Elo1 better" against H0 "A
// is Elo0 better". The distribution of a pair's points is unknown, so each hypothesis is given its largest likelihood:
// this is a generalized SPRT (M. Van den Bergh, "The generalized sequential probability ratio test", 2020).
type SPRT struct {
	Elo0     float64 `json:"elo0"`
	Elo1     float64 `json:"elo1"`     // above Elo0
	Alpha    float64 `json:"alpha"`    // probability of accepting H1 where H0 holds, 0..1/2
	Beta     float64 `json:"beta"`     // probability of accepting H0 where H1 holds, 0..1/2
	Logistic bool    `json:"logistic"` // Elo0 and Elo1 are in logistic Elo, otherwise in normalized Elo
}

// Decision is the outcome of a test so far.
type Decision int

// The outcomes of a test.
const (
	Undecided Decision = iota
	AcceptH0
	AcceptH1
)

var decisionText = [...]string{"undecided", "H0 accepted", "H1 accepted"}

func (d Decision) String() string { return decisionText[d] }

// MarshalJSON writes "undecided", "H0 accepted" or "H1 accepted".
func (d Decision) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Decision) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("decision: %w", err)
	}
	for i, text := range decisionText {
		if s == text {
			*d = Decision(i)
			return nil
		}
	}
	return fmt.Errorf("decision: %q is not known", s)
}

// SPRTResult is how a test stands.
type SPRTResult struct {
	SPRT
	Lower    float64  `json:"lower"` // H0 is accepted at this LLR
	Upper    float64  `json:"upper"` // H1 is accepted at this LLR
	Pairs    int      `json:"pairs"` // pairs that the test has seen
	Decision Decision `json:"decision"`
}

// maxSPRTElo bounds Elo0 and Elo1. Larger differences need no test.
const maxSPRTElo = 1000

// ParseSPRT reads "0,5": Elo0 and Elo1 in normalized Elo, with alpha and beta of 0.05. More words may follow:
// "logistic" or "normalized" gives the unit, and "alpha=0.05" and "beta=0.05" set the error rates.
func ParseSPRT(text string) (*SPRT, error) {
	s := &SPRT{Alpha: 0.05, Beta: 0.05}
	bad := func(format string, args ...any) (*SPRT, error) {
		return nil, fmt.Errorf("sprt %q: %w", text, fmt.Errorf(format, args...))
	}
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		return bad("want elo0,elo1 as in 0,5")
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		key, value, named := strings.Cut(part, "=")
		to := map[string]*float64{"elo0": &s.Elo0, "elo1": &s.Elo1, "alpha": &s.Alpha, "beta": &s.Beta}[key]
		switch {
		case i < 2 && !named:
			to, value = []*float64{&s.Elo0, &s.Elo1}[i], part
		case part == "logistic" || part == "normalized":
			s.Logistic = part == "logistic"
			continue
		case to == nil || !named:
			return bad("%q is not logistic, normalized, alpha=.. or beta=..", part)
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return bad("%q is not a number", value)
		}
		*to = v
	}
	if err := s.Validate(); err != nil {
		return bad("%w", err)
	}
	return s, nil
}

// Validate tells what is wrong with the test.
func (s *SPRT) Validate() error {
	switch {
	case !(math.Abs(s.Elo0) <= maxSPRTElo && math.Abs(s.Elo1) <= maxSPRTElo):
		return fmt.Errorf("elo0 %g and elo1 %g, want -%d..%d", s.Elo0, s.Elo1, maxSPRTElo, maxSPRTElo)
	case !(s.Elo0 < s.Elo1):
		return fmt.Errorf("elo0 %g is not below elo1 %g", s.Elo0, s.Elo1)
	case !(s.Alpha > 0 && s.Alpha < 0.5 && s.Beta > 0 && s.Beta < 0.5):
		return fmt.Errorf("alpha %g and beta %g, want above 0 and below 0.5", s.Alpha, s.Beta)
	}
	return nil
}

// String is what ParseSPRT reads.
func (s *SPRT) String() string {
	text := fmt.Sprintf("%g,%g", s.Elo0, s.Elo1)
	if s.Logistic {
		text += ",logistic"
	}
	return text + fmt.Sprintf(",alpha=%g,beta=%g", s.Alpha, s.Beta)
}

// Bounds are the LLR at or below which H0 is accepted, and the LLR at or above which H1 is accepted. They are Wald's
// approximation, which neglects how far the last pair steps beyond the bound.
func (s *SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// Decide is the outcome of the test at an LLR.
func (s *SPRT) Decide(llr float64) Decision {
	lower, upper := s.Bounds()
	switch {
	case llr <= lower:
		return AcceptH0
	case llr >= upper:
		return AcceptH1
	}
	return Undecided
}

// emptyCell replaces a count of zero, in pairs: an outcome that has not occurred yet must stay possible, and a
// likelihood must not be 0. fishtest and fastchess use the same value.
const emptyCell = 1e-3

// distribution holds the probability of each result of a pair, from 0 to 4 half points.
type distribution [5]float64

// pairScore is the score of a pair with i half points.
func pairScore(i int) float64 { return float64(i) / 4 }

// moments are the mean and the standard deviation of a pair's score.
func (p *distribution) moments() (mean, sigma float64) {
	for i, v := range p {
		mean += v * pairScore(i)
	}
	for i, v := range p {
		sigma += v * (pairScore(i) - mean) * (pairScore(i) - mean)
	}
	return mean, math.Sqrt(sigma)
}

// LLR is the logarithm of the likelihood ratio of H1 to H0. Each hypothesis is taken at the distribution that makes the
// counts likeliest. The LLR is finite, and 0 without pairs.
func (s *SPRT) LLR(counts Pentanomial) float64 {
	if counts.Pairs() == 0 {
		return 0
	}
	var seen distribution
	n := 0.0
	for i, k := range counts {
		seen[i] = max(float64(k), emptyCell)
		n += seen[i]
	}
	for i := range seen {
		seen[i] /= n
	}
	h0, h1 := s.likeliest(&seen, s.Elo0), s.likeliest(&seen, s.Elo1)
	llr := 0.0
	for i, v := range seen {
		llr += v * math.Log(h1[i]/h0[i])
	}
	return n * llr
}

// likeliest is the distribution of the given Elo that makes the observed one likeliest.
func (s *SPRT) likeliest(seen *distribution, elo float64) distribution {
	if s.Logistic {
		return likeliestMean(seen, 1/(1+math.Pow(10, -elo/400)))
	}
	return likeliestT(seen, elo/nEloUnit*math.Sqrt2)
}

// likeliestMean maximizes sum_i seen_i log p_i over distributions with the mean score m, 0 < m < 1.
//
// With Lagrange multipliers for sum p = 1 and sum p f = 0, f_i = score_i - m, the maximum has seen_i/p_i = 1 + x f_i,
// where x solves sum_i seen_i f_i/(1 + x f_i) = 0. Then sum p = 1 as well, because sum p (1 + x f) = 1.
func likeliestMean(seen *distribution, m float64) distribution {
	var f [5]float64
	for i := range f {
		f[i] = pairScore(i) - m
	}
	return tilted(seen, &f)
}

// likeliestT maximizes sum_i seen_i log p_i over distributions with (mean - 1/2)/sigma = t.
//
// The constraint g(p) = mean - 1/2 - t sigma = 0 is not linear in p. Its derivative by p_i, taken at the mean and
// sigma of the maximum, and up to a constant that the condition sum p = 1 absorbs, is
//
//	f_i = score_i - 1/2 - (t sigma/2) (1 + ((score_i - mean)/sigma)^2)
//
// chosen so that sum p f = g(p). The maximum again has p_i = seen_i/(1 + x f_i), where f depends on p through mean and
// sigma only. A fixed-point iteration finds them, starting from the observed ones. For the small differences between
// two versions of an engine each round gains two or three digits.
func likeliestT(seen *distribution, t float64) distribution {
	p := *seen
	mean, sigma := p.moments()
	for range 100 {
		var f [5]float64
		for i := range f {
			d := (pairScore(i) - mean) / sigma
			f[i] = pairScore(i) - 0.5 - t*sigma/2*(1+d*d)
		}
		p = tilted(seen, &f)
		m, s := p.moments()
		done := math.Abs(m-mean)+math.Abs(s-sigma) < 1e-13
		mean, sigma = m, s
		if done {
			break
		}
	}
	return p
}

// tilted is p_i = seen_i/(1 + x f_i) with the x for which sum p f = 0. Some f must be below 0 and some above. The sum
// falls with x from +inf at the pole -1/max f to -inf at -1/min f, so there is one root between them. Newton's method
// finds it, with bisection where a step leaves the bracket.
func tilted(seen *distribution, f *[5]float64) distribution {
	least, most := f[0], f[0]
	for _, v := range f {
		least, most = min(least, v), max(most, v)
	}
	p := *seen
	if !(least < 0 && most > 0) {
		return p // no distribution with positive p meets the constraint
	}
	low, high, x := -1/most, -1/least, 0.0
	for range 200 {
		sum, slope := 0.0, 0.0
		for i, v := range f {
			q := v / (1 + x*v)
			sum += seen[i] * q
			slope -= seen[i] * q * q
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
		next := x - sum/slope
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		step := math.Abs(next - x)
		x = next
		if step <= 1e-14*(1+math.Abs(x)) {
			break
		}
	}
	for i, v := range f {
		p[i] = seen[i] / (1 + x*v)
	}
	return p
}
