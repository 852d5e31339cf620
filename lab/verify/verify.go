// Package verify compares backends with float references of their nets, plain implementations in float64 that share no
// code with them: packages models/eut/reference and nnue/reference. Who has a new driver, GPU or processor learns here whether it
// computes what the net says.
//
// The references are slow. No package of the engine imports this one.
package verify

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tesla/batcher"
	"tesla/models"
	"tesla/models/eut"
	eutreference "tesla/models/eut/reference"
	nnuereference "tesla/nnue/reference"
)

// Difference is the largest absolute difference between a backend and the reference over all positions, for each kind
// of output.
type Difference struct {
	Value  float64 `json:"value"` // of the probabilities of win, draw and loss
	Sigma  float64 `json:"sigma"`
	Policy float64 `json:"policy"` // of the probability of a move
}

// The tolerances. A larger difference is an error of the backend: a net that is computed wrongly is off by tenths.
//
// ONNX Runtime computes in float32 on the CPU, and the reference in float64. Measured with kernels for AVX-512: 3e-7 for
// the value, 2.5e-8 for sigma, 2.7e-7 for the policy. The tolerance leaves room for other kernels.
//
// The kernels of nnue round the activations behind the accumulators and the hidden layer of the policy to 1/254, and the
// value to a centipawn, which is at most 0.5/700 = 7.1e-4 of a probability. Measured: 6.1e-3 for the value, 1.9e-2 in one
// endgame of three pieces, whose layers have larger weights; 1.2e-3 for sigma and for the policy.
//
// A GPU multiplies in TF32 or in half precision, with 10 bits of mantissa: 5e-4 of each product. The tolerance is an
// estimate, forty of these errors for the value and sixty for the policy, which is an exponential of a sum.
var (
	ToleranceCPU  = Difference{Value: 1e-4, Sigma: 1e-4, Policy: 1e-4}
	ToleranceNNUE = Difference{Value: 0.03, Sigma: 2e-3, Policy: 5e-3}
	ToleranceGPU  = Difference{Value: 0.02, Sigma: 0.02, Policy: 0.03}
)

// Report is what the comparison of a backend found.
type Report struct {
	Backend   string     `json:"backend"`
	Net       string     `json:"net"`
	Positions int        `json:"positions"`
	Largest   Difference `json:"largest"`
	Tolerance Difference `json:"tolerance"`
	OK        bool       `json:"ok"`
}

// String is the report in a line.
func (r *Report) String() string {
	state := "ok"
	if !r.OK {
		state = "WRONG"
	}
	return fmt.Sprintf("%-8s %s: net %s, %d positions, largest difference of value %.2g (tolerance %g), sigma %.2g (%g), policy %.2g (%g)",
		r.Backend, state, r.Net, r.Positions, r.Largest.Value, r.Tolerance.Value, r.Largest.Sigma, r.Tolerance.Sigma,
		r.Largest.Policy, r.Tolerance.Policy)
}

// Opener opens the backend called name, and returns it with the net that it evaluates with.
type Opener func(name string) (batcher.Backend, models.Net, error)

// All compares each of the backends called names. It is an error if a backend cannot be opened, if its batches fail, or
// if a difference is above the tolerance. The reports of the others are returned all the same.
func All(names []string, open Opener) ([]Report, error) {
	var all []Report
	var errs []error
	for _, name := range names {
		r, err := one(name, open)
		if err != nil {
			errs = append(errs, fmt.Errorf("verify: backend %s: %w", name, err))
			continue
		}
		all = append(all, r)
		if !r.OK {
			errs = append(errs, fmt.Errorf("verify: backend %s differs from the reference by more than the tolerance", name))
		}
	}
	return all, errors.Join(errs...)
}

func one(name string, open Opener) (Report, error) {
	b, net, err := open(name)
	if err != nil {
		return Report{}, err
	}
	r, err := Compare(b, net)
	return r, errors.Join(err, b.Close())
}

// Compare evaluates the positions with a backend and with the reference of its net. An error means that there is
// nothing to compare; a backend that is wrong is in the report.
func Compare(b batcher.Backend, net models.Net) (Report, error) {
	items, err := items()
	if err != nil {
		return Report{}, err
	}
	want, err := reference(net, items)
	if err != nil {
		return Report{}, err
	}
	if err := evaluate(b, items); err != nil {
		return Report{}, err
	}
	info := b.Info()
	r := Report{Backend: info.Name, Net: info.ModelName, Positions: len(items), Tolerance: tolerance(info.Name)}
	for i, it := range items {
		r.Largest.add(it, &want[i])
	}
	r.OK = r.Largest.within(r.Tolerance)
	return r, nil
}

func items() ([]*batcher.Item, error) {
	positions, err := Positions()
	if err != nil {
		return nil, err
	}
	all := make([]*batcher.Item, len(positions))
	for i := range positions {
		all[i] = &batcher.Item{Position: positions[i], Moves: positions[i].LegalMoves(nil)}
	}
	return all, nil
}

// evaluate evaluates items in batches. Values are the net's own, without a search of captures: that is what the
// references compute.
func evaluate(b batcher.Backend, items []*batcher.Item) error {
	f := b.Evaluate
	if s, ok := b.(batcher.Static); ok {
		f = s.EvaluateStatic
	}
	for part := range slices.Chunk(items, b.Info().MaxBatch) {
		if err := f(part); err != nil {
			return err
		}
	}
	return nil
}

func tolerance(name string) Difference {
	switch name {
	case "nnue":
		return ToleranceNNUE
	case "cpu":
		return ToleranceCPU
	}
	return ToleranceGPU
}

// output is what a reference says of a position.
type output struct {
	win, draw, loss, sigma float64
	policy                 []float64 // of the item's moves
}

func reference(net models.Net, items []*batcher.Item) ([]output, error) {
	switch {
	case net.EUT != nil:
		return referenceEUT(net.EUT, items)
	case net.NNUE != nil:
		return referenceNNUE(nnuereference.Net{FloatNet: net.NNUE.Float()}, items), nil
	}
	return nil, errors.New("no net to compare with")
}

func referenceEUT(net *eut.Net, items []*batcher.Item) ([]output, error) {
	model, err := eutreference.New(net)
	if err != nil {
		return nil, err
	}
	all := make([]output, len(items))
	for i, it := range items {
		a, err := model.Forward(&it.Position)
		if err != nil {
			return nil, err
		}
		logits := make([]float64, len(it.Moves))
		for k, m := range it.Moves {
			index, under := eut.PolicyIndex(&it.Position, m)
			if logits[k] = a.Policy[index]; under >= 0 {
				logits[k] += a.Policy[under]
			}
		}
		eutreference.Softmax(logits)
		all[i] = output{a.WDL[0], a.WDL[1], a.WDL[2], a.Sigma, logits}
	}
	return all, nil
}

func referenceNNUE(net nnuereference.Net, items []*batcher.Item) []output {
	all := make([]output, len(items))
	for i, it := range items {
		cp, sigma, draw := nnuereference.Eval(net.Heads(&it.Position))
		q := math.Tanh(cp / 700)
		win := (1 - draw + q) / 2
		policy := net.Logits(&it.Position, it.Moves)
		eutreference.Softmax(policy)
		all[i] = output{win, draw, 1 - draw - win, sigma, policy}
	}
	return all
}

// add raises d to the differences between an item and the reference. A value that is NaN counts as infinitely far.
func (d *Difference) add(it *batcher.Item, want *output) {
	far := func(have float32, want float64) float64 {
		if x := math.Abs(float64(have) - want); !math.IsNaN(x) {
			return x
		}
		return math.Inf(1)
	}
	e := &it.Eval
	d.Value = max(d.Value, far(e.W, want.win), far(e.D, want.draw), far(e.L, want.loss))
	d.Sigma = max(d.Sigma, far(e.Sigma, want.sigma))
	for k, p := range want.policy {
		d.Policy = max(d.Policy, far(it.Policy[k], p))
	}
}

// within reports whether no difference is above the tolerance.
func (d Difference) within(t Difference) bool {
	return d.Value <= t.Value && d.Sigma <= t.Sigma && d.Policy <= t.Policy
}
