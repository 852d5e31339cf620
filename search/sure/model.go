package sure

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"tesla/search"
)

// Features are the names of the numbers that a Model weighs. A weight of a feature that is not given is 0.
var Features = [...]string{
	"one", "effort", "age", "turmoil", "changes", "share", "next", "swing", "drop", "open", "draws", "moves", "depth", // of all searchers
	"own", "gap", "lead", "prior", "error", "untried", // of trees
}

const count = len(Features)

// Vector are the features of facts, in the order of Features.
func Vector(f *Facts) (x [count]float64) {
	open := 1 - f.Q*f.Q
	copy(x[:], []float64{1, math.Log2(max(1, f.Effort)), min(f.Age, mostAge), f.Turmoil, math.Log1p(float64(f.Changes)), logit(f.Share),
		logit(f.Next), math.Log(f.Swing + 0.01), max(-0.2, min(0.2, f.Drop)), open, f.Draws * open, math.Log(float64(max(1, f.Moves))), float64(f.Depth)})
	if len(f.Rivals) == 0 {
		return x
	}
	first, second := &f.Rivals[0], -1.0
	for i := range f.Rivals[1:] {
		second = max(second, f.Rivals[i+1].Q)
	}
	gap := first.Q - second
	copy(x[count-6:], []float64{logit(f.ownBest()), bounded(gap), math.Log(max(0, gap) + leastGap), logit(first.Prior),
		math.Log(first.Error + 1e-3), f.Untried})
	return x
}

// mostAge is the most doublings of the effort that the age of a choice counts.
const mostAge = 8

// logit is the inverse of the logistic function, bounded.
func logit(p float64) float64 {
	p = max(0.005, min(0.995, p))
	return math.Log(p / (1 - p))
}

// Model makes the statements of one searcher on one net. A file holds it as JSON, made by scripts/sure.
type Model struct {
	Search    string     `json:"search"`
	Net       string     `json:"net"`        // hash
	LeafDepth int        `json:"leaf_depth"` // at which leaves are deepened; 0: they are not
	Efforts   [2]float64 `json:"efforts"`    // the least and the greatest at which it states anything
	Stays     Statement  `json:"stays"`
	Best      Statement  `json:"best"`
	Interval  *Interval  `json:"interval,omitempty"`
	Stretch   float64    `json:"stretch,omitempty"` // the factor for the score, see search.Info.Shown; 0: the score is not off
	Better    *Pair      `json:"better,omitempty"`

	Trace func(Facts) `json:"-"` // called with the facts of each judgement, for fitting; may be nil
}

// Statement is a logistic model of a probability.
type Statement struct {
	Most    float64            `json:"most"`    // the greatest effort at which it is made; 0: it is never made
	Weights map[string]float64 `json:"weights"` // by feature

	w [count]float64 // the same
}

// Interval is a 90 % interval of the expected points: Centre[0] + Centre[1] * s is the logit of its middle, where s is
// that of (1 + q) / 2, and the half-width in points is exp of a weighted sum of features.
type Interval struct {
	Centre [2]float64 `json:"centre"`
	Width  Statement  `json:"width"`
}

// Pair is a logistic model of the probability that the first of two root moves of a tree is the better one, of PairVector.
type Pair struct {
	Most    float64    `json:"most"`
	Weights [3]float64 `json:"weights"`
}

// PairVector are the features of a pair, the first move of facts and one of the others: one, the gap, and its logarithm.
// Errors and evaluations of both added nothing to that.
func PairVector(f *Facts, other int) [3]float64 {
	gap := f.Rivals[0].Q - f.Rivals[other].Q
	return [3]float64{1, bounded(gap), math.Log(max(0, gap) + leastGap)}
}

// leastGap keeps the logarithm of a gap finite.
const leastGap = 0.01

// bounded is a gap in q; far gaps count alike.
func bounded(gap float64) float64 { return max(-0.1, min(0.3, gap)) }

// The range of stated probabilities: no data say more.
const least, most = 0.01, 0.99

func (s *Statement) sum(x *[count]float64) (sum float64) {
	for i, w := range s.w {
		sum += w * x[i]
	}
	return sum
}

// at is the probability, 0 where none is stated at this effort.
func (s *Statement) at(x *[count]float64, effort float64) float64 {
	if effort > s.Most {
		return 0
	}
	return max(least, min(most, logistic(s.sum(x))))
}

// Judge makes the statements. A nil Model makes none.
func (m *Model) Judge(f *Facts) (s search.Sureness) {
	if m == nil {
		return s
	}
	if m.Trace != nil {
		m.Trace(*f)
	}
	s.Stretch = m.Stretch // at any effort: a score must not jump where the efforts of the fit begin or end
	if f.Moves == 1 {
		s.Best, s.Stays = 1, 1
		return s
	}
	if f.Effort < m.Efforts[0] || f.Effort > m.Efforts[1] {
		return s
	}
	x := Vector(f)
	s.Best, s.Stays = m.Best.at(&x, f.Effort), m.Stays.at(&x, f.Effort)
	if i := m.Interval; i != nil && f.Effort <= i.Width.Most {
		middle := logistic(i.Centre[0] + i.Centre[1]*logit((1+f.Q)/2))
		half := math.Exp(i.Width.sum(&x))
		s.Low, s.High = max(0, middle-half), min(1, middle+half)
	}
	return s
}

// Spent reports whether nothing is stated of the best move at this effort or a greater one. That is so without a model.
func (m *Model) Spent(effort float64) bool {
	return m == nil || effort > min(m.Best.Most, m.Efforts[1])
}

// Behind is the probability that one of the other root moves of a tree is worse than the first; 0 where none is stated.
func (m *Model) Behind(f *Facts, other int) (p float64) {
	if m == nil || m.Better == nil || f.Effort < m.Efforts[0] || f.Effort > m.Better.Most {
		return 0
	}
	x := PairVector(f, other)
	for i, w := range m.Better.Weights {
		p += w * x[i]
	}
	return max(least, min(most, logistic(p)))
}

//go:embed models/*.json
var models embed.FS

// Of is the Model of a searcher with leaves of a depth on a net by its hash; nil where none was fitted.
func Of(searcher, net string, leafDepth int) (*Model, error) {
	names, err := fs.Glob(models, "models/*.json")
	if err != nil {
		return nil, fmt.Errorf("sureness: %w", err)
	}
	for _, name := range names {
		text, err := models.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("sureness: %w", err)
		}
		m, err := Read(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if m.Search == searcher && m.Net == net && m.LeafDepth == leafDepth {
			return m, nil
		}
	}
	return nil, nil
}

// Read decodes a model.
func Read(text []byte) (*Model, error) {
	m := &Model{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(m); err != nil {
		return nil, fmt.Errorf("sureness: %w", err)
	}
	all := []*Statement{&m.Stays, &m.Best}
	if m.Interval != nil {
		all = append(all, &m.Interval.Width)
	}
	for _, s := range all {
		if err := s.resolve(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// resolve looks the weights' features up.
func (s *Statement) resolve() error {
	left := len(s.Weights)
	for i, name := range Features {
		if w, ok := s.Weights[name]; ok {
			s.w[i] = w
			left--
		}
	}
	if left > 0 {
		return fmt.Errorf("sureness: unknown feature in the weights %v, want those of %s", s.Weights, strings.Join(Features[:], ", "))
	}
	return nil
}
