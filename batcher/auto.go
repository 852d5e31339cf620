package batcher

import (
	"errors"
	"fmt"
	"math"
	"time"

	"tesla/models"
)

// What auto knows of strength, in Elo. A searcher gains about as much by each doubling of its evaluations a second,
// whatever the net; at the same number of evaluations the nets differ.
const (
	// eloPerDoubling is what twice the evaluations are worth: 40 to 100 at the speeds of these backends.
	eloPerDoubling = 70
	// nnueElo is the embedded nnue net, its leaves deepened, against the embedded EUT, -400 to 400: what is left of the +619
	// of 200 games in equal time (docs/nnue.md) without the evaluations a second that autoBatch measures, 190,000 against
	// 10,800.
	nnueElo = 330
	// autoBatch and autoBudget are what auto measures a backend with.
	autoBatch  = 32
	autoBudget = 30 * time.Millisecond
)

// onnxOrder is the order in which auto tries ONNX Runtime's providers on the same net, the fastest first. It leaves
// tensorrt out: building its engine takes minutes at the first start.
var onnxOrder = []string{"cuda", "cpu"}

// candidate is a backend that auto may take.
type candidate struct {
	Backend
	elo float64 // at any number of evaluations, against the embedded EUT
	eps float64 // evaluations a second
}

// rating is the candidate's strength in the same time, Elo above the embedded EUT at one evaluation a second.
func (c *candidate) rating() float64 { return c.elo + eloPerDoubling*math.Log2(max(c.eps, 1)) }

// openAuto opens the backends that fit the net file weights, and takes the strongest by the evaluations that it makes a
// second and the known strength of its net. Where only one loads nothing is measured.
func openAuto(weights string, opts Options) (Backend, []string, error) {
	onnx, cpu := true, true
	if weights != "" {
		kind, err := models.KindOf(weights)
		if err != nil {
			return nil, nil, fmt.Errorf("backend auto: %w", err)
		}
		onnx, cpu = kind == models.EUT, kind == models.NNUE
	}
	var found []candidate
	var notes []string
	var reasons []error
	try := func(name string, elo float64) bool {
		b, more, err := openNamed(name, weights, opts)
		notes = append(notes, more...)
		if err != nil {
			notes = append(notes, fmt.Sprintf("backend %s not available: %v", name, err))
			reasons = append(reasons, fmt.Errorf("%s: %w", name, err))
			return false
		}
		found = append(found, candidate{Backend: b, elo: elo})
		return true
	}
	for i := 0; onnx && i < len(onnxOrder) && !try(onnxOrder[i], 0); i++ {
	}
	if cpu {
		if random := untrained(weights); random != "" {
			notes = append(notes, "backend nnue is the last choice: "+random)
		}
		try("nnue", nnueElo)
	}
	if len(found) == 0 {
		return nil, notes, fmt.Errorf("backend auto: none loads: %w", errors.Join(reasons...))
	}
	best, why, err := strongest(found)
	if err != nil {
		return nil, notes, fmt.Errorf("backend auto: %w", err)
	}
	return best, append(notes, why...), nil
}

// untrained says why the nnue net should not be played with where there is another.
func untrained(weights string) string {
	if net, err := models.LoadNNUE(weights); err == nil && net.Untrained {
		return fmt.Sprintf("the weights of net %s are random", net.Name)
	}
	return ""
}

// strongest returns the candidate of the best rating, closes the others, and says why.
func strongest(found []candidate) (Backend, []string, error) {
	if len(found) == 1 {
		return found[0].Backend, nil, nil
	}
	best := 0
	for i := range found {
		rows, err := Measure(found[i].Backend, []int{min(autoBatch, found[i].Info().MaxBatch)}, autoBudget)
		if err == nil {
			found[i].eps = rows[0].EPSMedian
		}
		if found[i].rating() > found[best].rating() {
			best = i
		}
	}
	var notes []string
	var errs []error
	for i := range found {
		if i == best {
			continue
		}
		a, b := &found[best], &found[i]
		notes = append(notes, fmt.Sprintf("backend auto: %s (%.0f evaluations a second) rather than %s (%.0f): about %.0f Elo in the same time",
			a.Info().Name, a.eps, b.Info().Name, b.eps, a.rating()-b.rating()))
		errs = append(errs, b.Close())
	}
	return found[best].Backend, notes, errors.Join(errs...)
}
