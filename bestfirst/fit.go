package bestfirst

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
)

// Fit is the change model of one net: how far the value of a node moves as its evaluations double. Values are in q
// units. A ply is a doubling of the evaluations. Over k more plies a node with n evaluations changes on the scale
//
//	s_k(n) = sigma^Power * exp(Change[k]) * n^-Decay, times exp(Fall) downwards
//
// where sigma is the net's own expectation. The value rises by more than a gap with probability 2 Share[0] T(gap /
// s_k), and falls by more with 2 Share[1] T(gap / s_k), where T is the tail of Student's t with Nu degrees of freedom:
// so heavy that no promotion is ever impossible. Package calibrate fits the model to logged promotions.
type Fit struct {
	Net    string     `json:"net"`    // hash of the net's file
	Power  float64    `json:"power"`  // of the net's sigma
	Decay  float64    `json:"decay"`  // with n
	Change [3]float64 `json:"change"` // log scale for k = 1, 2, 4; the search reads the first
	Fall   float64    `json:"fall"`   // log scale of a fall over that of a rise
	Share  [2]float64 `json:"share"`  // of promotions whose value rises, and falls, at all
	Error  float64    `json:"error"`  // log scale of the distance to the value after very many evaluations
	Nu     float64    `json:"nu"`     // degrees of freedom
	Spread float64    `json:"spread"` // scale of a first evaluation about what the policy implied
	Loss   float64    `json:"loss"`   // q lost per nat that a move's prior lies below the best one's
}

// Scale is the logarithm of what a net's sigma does to the scale of a change.
func (f *Fit) Scale(sigma float64) float64 { return f.Power * math.Log(max(1e-6, sigma)) }

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

// ReadFit decodes a fit, JSON as "tesla calibrate" writes it.
func ReadFit(text []byte) (f Fit, err error) {
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &f); err != nil {
		return f, fmt.Errorf("change model: %w", err)
	}
	if !(f.Power > 0 && f.Decay >= 0 && f.Nu > 1 && f.Spread > 0 && f.Loss >= 0 && f.Share[0] > 0 && f.Share[1] > 0) {
		return f, fmt.Errorf("change model: %s: power, spread and shares must be above 0, nu above 1, decay and loss not below 0", text)
	}
	return f, nil
}
