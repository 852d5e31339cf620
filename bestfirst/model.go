package bestfirst

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"tesla/search"
)

// Fit is the change model of one net: how far a node's own value is expected to move when more is spent below it.
// Values are in q units. The scale of the change of a node with n evaluations below it over k more plies, each a
// doubling of n, is
//
//	s_k(n) = sigma^Power * exp(Change[k] + features) * n^-Decay, times exp(Fall) downwards
//
// with sigma the net's own expectation and features the sum of Men, Check, Capture and Entropy times those of the position,
// see Features. The value rises by more than a gap with probability 2 Share[0] T(gap / s_k), and falls with Share[1] alike,
// where T is the tail of Student's t with Nu degrees of freedom: so heavy that no promotion is ever impossible. Package
// calibrate fits it to logged promotions.
type Fit struct {
	Net    string     `json:"net"`    // hash of the net's file
	Power  float64    `json:"power"`  // of the net's sigma
	Decay  float64    `json:"decay"`  // with n
	Change [3]float64 `json:"change"` // log scale for k = 1, 2, 4
	Fall   float64    `json:"fall"`   // log scale of a fall over that of a rise
	Share  [2]float64 `json:"share"`  // of promotions whose value rises, and falls, at all
	Error  float64    `json:"error"`  // log scale of the distance to the value after very many evaluations
	Nu     float64    `json:"nu"`     // degrees of freedom
	Spread float64    `json:"spread"` // scale of a first evaluation about what the policy implied
	Loss   float64    `json:"loss"`   // q lost per nat that a move's prior lies below the best one's

	Men     float64 `json:"men,omitempty"`
	Check   float64 `json:"check,omitempty"`
	Capture float64 `json:"capture,omitempty"`
	Entropy float64 `json:"entropy,omitempty"`
}

// Features of a position tell, beside the net's sigma, how far its value will move.
type Features struct {
	Sigma   float64 // the net's own, q units
	Men     float64 // on the board, as a share of 32
	Check   bool    // the side to move is in check
	Capture bool    // a capture led there
	Entropy float64 // of the policy, nats
}

// Scale is the logarithm of what features do to the scale of a change.
func (f *Fit) Scale(of *Features) float64 {
	x := f.Power*math.Log(max(1e-6, of.Sigma)) + f.Men*of.Men + f.Entropy*of.Entropy
	if of.Check {
		x += f.Check
	}
	if of.Capture {
		x += f.Capture
	}
	return x
}

// featured tells whether more than sigma counts.
func (f *Fit) featured() bool { return f.Men != 0 || f.Check != 0 || f.Capture != 0 || f.Entropy != 0 }

//go:embed fits/*.json
var fits embed.FS

// FitOf is the fit of an embedded net by its hash, or that of the net eut-s where there is none.
func FitOf(net string) (f Fit, err error) {
	names, err := fs.Glob(fits, "fits/*.json")
	if err != nil {
		return f, fmt.Errorf("bestfirst: %w", err)
	}
	for _, name := range append(names, "fits/eut-s.json") {
		text, err := fits.ReadFile(name)
		if err != nil {
			return f, fmt.Errorf("bestfirst: %w", err)
		}
		if f, err = ReadFit(text); err != nil {
			return f, fmt.Errorf("bestfirst: %s: %w", name, err)
		}
		if f.Net == net {
			break
		}
	}
	return f, nil
}

// ReadFit decodes a fit, JSON as package calibrate's users write it.
func ReadFit(text []byte) (f Fit, err error) {
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("change model: %w", err)
	}
	if !(f.Power > 0 && f.Decay >= 0 && f.Nu > 1 && f.Spread > 0 && f.Loss >= 0 && f.Share[0] > 0 && f.Share[1] > 0) {
		return f, fmt.Errorf("change model: %s: power, spread and shares must be above 0, nu above 1, decay and loss not below 0", text)
	}
	return f, nil
}

// plies are the k of Fit.Change.
var plies = [3]int{1, 2, 4}

// The tables are indexed by logarithms read off the bits of a float32: nBuckets has four to a doubling of n, bucket 0 for
// n = 0; zBuckets has sixteen to a doubling of zOffset + gap/scale.
const (
	nBuckets     = 4*26 + 1
	zBuckets     = 16 * 10
	zOffset      = 0.125
	priorBuckets = 16 * 17
	cpLimit      = 3500 // centipawns beyond which unproven values are not told apart
	fine         = 8    // parts of a centipawn that values are kept in; a proven score is kept in whole ones
	qShare       = 0.02 // share of plain centipawns in q, so that ranking is not blind in won games
)

// widenBase is the evaluations of a tree at which Tuning.Widen has taken effect ln 2 times; far smaller ones are hardly wider.
const widenBase = 8000

// model holds the tables made from a Fit.
type model struct {
	Fit
	Tuning
	// The best over k of the probability to cross a gap, and of the expected gain for a sigma of one, per evaluation; [0]
	// of a node that must rise, [1] fall.
	chance [2][nBuckets][zBuckets]float32
	gain   [2][nBuckets][zBuckets]float32
	growth [nBuckets]float32 // of the gaps of a node of so many evaluations
	shrink float32           // of all gaps, by the size of the tree
	err    [nBuckets]float32 // scale of the error for a sigma of one
	sigma  [256]float32      // sigma^Power of an edge's code
	fresh  uint8             // code of an edge not yet evaluated: of the spread of first evaluations
	// What is multiplied instead of divided, or squared, in the inner loops: noise is noiseSigma * noiseN.
	perSigma   [256]float32
	perScale   [2][nBuckets]float32 // of chance
	gainScale  [2][nBuckets]float32
	noiseSigma [256]float32 // zero in plain minimax
	noiseN     [nBuckets]float32
	bias       [priorBuckets]float32 // weight of a prior
	loss       [priorBuckets]float32 // nats that a prior lies below one
	question
}

func newModel(f Fit, o Tuning) *model {
	m := &model{Fit: f, Tuning: o, shrink: 1, fresh: sigmaCode(float32(math.Pow(f.Spread, 1/f.Power)))}
	for i := range m.sigma {
		sigma := math.Pow(codeSigma(uint8(i)), f.Power)
		m.sigma[i], m.perSigma[i] = float32(sigma), float32(1/sigma)
		m.noiseSigma[i] = float32(o.Evidence * sigma * sigma / (f.Spread * f.Spread))
	}
	m.question = question{noiseSigma: &m.noiseSigma, noiseN: &m.noiseN, perSigma: &m.perSigma, perScale: &m.perScale, bias: &m.bias, loss: &m.loss,
		chance: &m.chance, qOf: &qOf, perNat: float32(f.Loss), gap: minGap}
	if o.Mean > 0 {
		m.perMean = float32(1 / o.Mean)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: f.Nu}
	tails := t
	if o.Tails > 0 {
		tails.Nu = o.Tails
	}
	var z [zBuckets]float64
	for i := range z {
		// the middle of the bucket
		lo, hi := zEdge(i), zEdge(i+1)
		z[i] = max(0, (lo+hi)/2-zOffset)
	}
	for n := range nBuckets {
		count, decay := bucketCount(n), 1.0
		if n > 0 {
			decay = math.Pow(count, -f.Decay)
		}
		m.err[n] = float32(math.Exp(f.Error) * decay)
		m.noiseN[n] = m.err[n] * m.err[n]
		m.growth[n] = 1
		settling := decay
		if o.Settle > 0 {
			m.growth[n] = float32(math.Pow(max(1, count), o.Settle))
			settling = 1
		}
		for way, fall := range [2]float64{1, math.Exp(f.Fall)} {
			if n == 0 { // a first evaluation, scale one
				m.perScale[way][n], m.gainScale[way][n] = 1, 1
				for i, z := range z {
					m.chance[way][n][i], m.gain[way][n][i] = float32(tails.Survival(m.Reach*z)), float32(expectedGain(t, z))
				}
				continue
			}
			first, share := math.Exp(f.Change[0])*fall, 2*f.Share[way]/count
			m.perScale[way][n], m.gainScale[way][n] = float32(1/(first*settling)), float32(1/(first*decay))
			for i, z := range z {
				m.chance[way][n][i] = float32(share * m.best(z, func(z float64, _ int) float64 { return tails.Survival(m.Reach * z) }))
				m.gain[way][n][i] = float32(share * m.best(z, func(z float64, k int) float64 { return math.Exp(m.Change[k]) * decay * fall * expectedGain(t, z) }))
			}
		}
	}
	for i := range m.bias {
		m.bias[i] = float32(math.Exp2(o.Prior * (float64(i)/16 - 16 + 1.0/32)))
	}
	for i := range m.loss {
		// prior / 65535 = 2^(i/16 - 16)
		m.loss[i] = float32(-math.Ln2 * (float64(i)/16 - 16 + 1.0/32))
	}
	return m
}

// resize tells the evaluations of the tree: where choices settle, a large one is wider at all of its nodes.
func (m *model) resize(n uint32) {
	if m.Settle > 0 {
		size := float64(n) / widenBase
		m.shrink = float32(1 / (1 + m.Widen*math.Log1p(size*size)))
	}
}

// growthOf is by how much the gaps of a node count as wider.
func (m *model) growthOf(n *node) float32 { return m.growth[bucketN(n.n)] * m.shrink }

// best is the benefit, over the cost in parts of a node's evaluations, of the best number of plies for a gap of z times s_1: benefit is that of
// the k-th of plies, for which the gap is z times s_k.
func (m *model) best(z float64, benefit func(z float64, k int) float64) (best float64) {
	for k, p := range plies {
		best = max(best, benefit(z*math.Exp(m.Change[0]-m.Change[k]), k)/(math.Exp2(float64(p))-1))
	}
	return best
}

// expectedGain is E max(0, X - z) of a standardized change.
func expectedGain(t distuv.StudentsT, z float64) float64 {
	return (t.Nu+z*z)/(t.Nu-1)*t.Prob(z) - z*t.Survival(z)
}

func bucketCount(i int) float64 { return math.Exp2((float64(i-1) + 0.5) / 4) }

func bucketN(n uint32) int {
	if n == 0 {
		return 0
	}
	return min(nBuckets-1, int(math.Float32bits(float32(n))>>21)-127<<2+1)
}

const zBase = 124 << 4 // exponent of zOffset = 2^-3, sixteen buckets to a doubling

func zEdge(i int) float64 { return float64(math.Float32frombits(uint32(i+zBase) << 19)) }

// bucketZ reads gap / scale.
func bucketZ(z float32) int {
	return min(zBuckets-1, int(math.Float32bits(z+zOffset)>>19)-zBase)
}

// sigmaCode stores a sigma in (0, 1] in eight bits, sixteen steps to a doubling.
func sigmaCode(s float32) uint8 {
	c := math.Round(math.Log2(max(1e-6, float64(s)))*16) + 240
	return uint8(max(0, min(255, c)))
}

func codeSigma(c uint8) float64 { return math.Exp2((float64(c) - 240) / 16) }

// favour is the weight of a prior in 1..65535: what the policy deems hopeless is rarely worth an evaluation.
func (m *model) favour(prior uint16) float32 {
	return m.bias[bucketPrior(prior)]
}

// nats is how far a prior in 1..65535 lies below one, in nats.
func (m *model) nats(prior uint16) float32 { return m.loss[bucketPrior(prior)] }

// bucketPrior reads a prior, sixteen buckets to a doubling.
func bucketPrior(prior uint16) int { return int(math.Float32bits(float32(max(1, prior)))>>19) - 127<<4 }

// qOf is the q of a value that is kept: tanh(cp/700), a small share of centipawns added; proven scores lie outside (-1, 1), nearer
// mates further out.
var qOf = func() (t [1 << 16]float32) {
	for v := -1 << 15; v < 1<<15; v++ {
		c := max(-cpLimit, min(cpLimit, float64(v)/fine))
		q := (1-qShare)*math.Tanh(c/700) + qShare*c/cpLimit
		switch {
		case v >= search.Proven:
			q = 1 + float64(v-search.Proven)*1e-5
		case v <= -search.Proven:
			q = -1 + float64(v+search.Proven)*1e-5
		}
		t[uint16(int16(v))] = float32(q)
	}
	return t
}()

// unproven keeps a q off the ends of its range, which what is proven alone reaches.
func unproven(q float32) float32 { return max(-0.999, min(0.999, q)) }

// valueTable inverts qOf on [-1, 1].
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

// valueOf is the value that is kept of an unproven q.
func valueOf(q float32) int16 {
	x := (max(-1, min(1, q)) + 1) * 2048
	i := min(4095, int(x))
	return int16(math.Round(float64(valueTable[i] + (valueTable[i+1]-valueTable[i])*(x-float32(i)))))
}

// cpOf is the centipawns of a value that is kept.
func cpOf(value int16) int {
	if value >= search.Proven || value <= -search.Proven {
		return int(value)
	}
	return int(math.Round(float64(value) / fine))
}

// qOfCP is the q of an unproven centipawn score.
func qOfCP(cp int) float32 { return qOf[uint16(int16(fine*max(-cpLimit, min(cpLimit, cp))))] }
