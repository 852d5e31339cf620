package batcher

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"tesla/models"
)

// What auto knows of strength, in Elo. A searcher gains about as much by each doubling of its evaluations a second,
// whatever the net; at the same number of evaluations the nets differ.
const (
	// eloPerDoubling is what twice the evaluations are worth: 40 to 100 at the speeds of these backends.
	eloPerDoubling = 70
	// nnueElo is the embedded nnue net, its leaves deepened, against the embedded EUT, -400 to 400: what is left of the +619
	// of 200 games in equal time (docs/nnue.md) without the evaluations a second that are measured, 190,000 against
	// 10,800.
	nnueElo = 330
	// mostAsked is the evaluations a second that one thread asks for, see docs/batches.md.
	mostAsked = 300000
	// ratedBatch is the batch that backends are compared with: a GPU takes as long for 32 positions as for one (docs/gpu.md).
	ratedBatch = 128
	// autoBatch and autoBudget are what else is measured at the start.
	autoBatch  = 32
	autoBudget = 30 * time.Millisecond
)

// onnxOrder is the order in which auto tries ONNX Runtime's providers on the same net, the fastest first. It leaves
// tensorrt out: building its engine takes minutes at the first start.
var onnxOrder = []string{"cuda", "cpu"}

// candidate is a backend that may be taken.
type candidate struct {
	Backend
	elo float64 // at any number of evaluations, against the embedded EUT
	eps float64 // evaluations a second
}

// rating is the candidate's strength in the same time, Elo above the embedded EUT at one evaluation a second. More evaluations
// than a search can ask for are worth nothing.
func (c *candidate) rating() float64 {
	return c.elo + eloPerDoubling*math.Log2(min(max(c.eps, 1), mostAsked))
}

// openBest opens the backends called name, auto being all but mock, on the net file weights or on each in the folder weights. It takes
// the strongest by the evaluations that it makes a second and the known strength of its net. Where only one loads nothing
// is measured.
func openBest(name, weights string, opts Options) (Backend, []string, error) {
	files, err := netFiles(weights)
	if err != nil {
		return nil, nil, fmt.Errorf("backend %s: %w", name, err)
	}
	var found []candidate
	var notes []string
	var reasons []error
	try := func(name, file string) bool {
		b, more, err := openNamed(name, file, opts)
		notes = append(notes, more...)
		if err != nil {
			if file != "" {
				err = fmt.Errorf("%s: %w", file, err)
			}
			notes = append(notes, fmt.Sprintf("backend %s not available: %v", name, err))
			reasons = append(reasons, fmt.Errorf("%s: %w", name, err))
			return false
		}
		found = append(found, candidate{Backend: b, elo: eloOf(name, file)})
		return true
	}
	onnx, nnue := onnxOrder, true
	if name != "auto" {
		onnx, nnue = []string{name}, name == "nnue"
	}
	for _, f := range files {
		for i := 0; name != "nnue" && f.is(false) && i < len(onnx) && !try(onnx[i], f.path); i++ {
		}
		if nnue && f.is(true) {
			if random := untrained(f.path); name == "auto" && random != "" {
				notes = append(notes, "backend nnue is the last choice: "+random)
			}
			try("nnue", f.path)
		}
	}
	if len(found) == 0 {
		if reasons == nil {
			reasons = append(reasons, fmt.Errorf("%s holds no net for it", weights))
		}
		return nil, notes, fmt.Errorf("backend %s: none loads: %w", name, errors.Join(reasons...))
	}
	best, why, err := strongest(found)
	if err != nil {
		return nil, notes, fmt.Errorf("backend %s: %w", name, err)
	}
	return best, append(notes, why...), nil
}

// netFileOf is a net file, or the embedded ones.
type netFileOf struct {
	path string // empty: embedded
	kind models.Kind
}

// is tells whether there is a net for processors (nnue) in it, or one of ONNX Runtime.
func (f netFileOf) is(nnue bool) bool { return f.path == "" || nnue == (f.kind == models.NNUE) }

// netFiles is the net file at path or those in the folder there.
func netFiles(path string) ([]netFileOf, error) {
	if path == "" {
		return []netFileOf{{}}, nil
	}
	var err error
	paths := []string{path}
	if isFolder(path) {
		if paths, err = filepath.Glob(filepath.Join(path, "*.tesla")); err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("no *.tesla in the folder %s", path)
		}
	}
	var files []netFileOf
	for _, p := range paths {
		kind, err := models.KindOf(p)
		if err != nil {
			return nil, err
		}
		files = append(files, netFileOf{p, kind})
	}
	return files, nil
}

// eloOf is the strength of a net that loads, against the embedded EUT, at the same number of evaluations.
func eloOf(backend, file string) float64 {
	if backend == "nnue" {
		return nnueElo
	}
	if net, err := models.Load(file); err == nil {
		return net.Elo
	}
	return 0
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
		rows, err := Measure(found[i].Backend, []int{min(ratedBatch, found[i].Info().MaxBatch)}, autoBudget)
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
		notes = append(notes, fmt.Sprintf("backend %s with net %s (%.0f evaluations a second) rather than %s with %s (%.0f): about %.0f Elo in the same time",
			a.Info().Name, a.Info().ModelName, a.eps, b.Info().Name, b.Info().ModelName, b.eps, a.rating()-b.rating()))
		errs = append(errs, b.Close())
	}
	return found[best].Backend, notes, errors.Join(errs...)
}
