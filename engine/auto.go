package engine

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"tesla/batcher"
	"tesla/models"
)

// What the choice among backends knows of strength, in Elo. A searcher gains about the same by each doubling of its
// evaluations per second, with any net. At the same number of evaluations the nets differ.
const (
	// eloPerDoubling is what a doubling of the evaluations is worth: 40 to 100 at the speeds of these backends.
	eloPerDoubling = 70
	// nnueElo is the strength of the built-in CPU net with deepened leaves, against the built-in transformer at the
	// same number of evaluations. It is what remains of +619 Elo in 200 games at equal time
	// (docs/log/0052-cpu-nets-beside-the-transformer.md) without the difference in evaluations a second, 190,000 to
	// 10,800.
	nnueElo = 330
	// maxAsked is the number of evaluations a second that one thread can ask for, see docs/batches.md.
	maxAsked = 300000
	// ratedBatch is the size of batch at which the rating of a backend begins. It doubles while a batch takes less than
	// ratedLatency: a GPU takes as long for 128 positions as for one (docs/log/0045-h200.md).
	ratedBatch   = 32
	ratedLatency = 5 * time.Millisecond
	// rateBudget is the time that each size of batch takes.
	rateBudget = 10 * time.Millisecond
)

// autoProviders are the providers of ONNX Runtime that auto tries for a net, the fastest first; it takes the first that
// opens. tensorrt is not among them, because building its engine takes minutes at the first start; nor are those that were
// tried nowhere.
var autoProviders = []string{"cuda", "cpu"}

// candidate is a backend that has been opened and may be taken.
type candidate struct {
	batcher.Backend
	net models.Net
	elo float64 // against the built-in transformer at the same number of evaluations
	eps float64 // evaluations a second
}

// rating is the strength of the candidate in equal time, in Elo above the built-in transformer at one evaluation a
// second. Evaluations beyond what a search can ask for add nothing.
func (c *candidate) rating() float64 {
	return c.elo + eloPerDoubling*math.Log2(min(max(c.eps, 1), maxAsked))
}

// rate measures the evaluations a second. A backend that fails has none.
func (c *candidate) rate() {
	info := c.Info()
	for size := min(ratedBatch, info.MaxBatch); size <= max(ratedBatch, info.MaxBatch/2); size *= 2 {
		eps, err := batcher.Rate(c.Backend, size, rateBudget)
		if err != nil {
			c.eps = 0
			return
		}
		c.eps = max(c.eps, eps)
		if float64(size*info.Streams)/max(eps, 1) > ratedLatency.Seconds() {
			return
		}
	}
}

// choice collects the candidates for a source.
type choice struct {
	source  source
	found   []candidate
	notes   []string // for the user
	reasons []error  // why others were not opened
}

// openStrongest opens the backend of the source on each of its nets; for auto, the fastest backend of each net's kind.
// It returns the candidate that is strongest by its evaluations a second and the known strength of its net, and closes
// the others. It rates them only where there are several, by plans that are known or usual: what the best plan of a
// machine adds is little beside the distance between nets.
func openStrongest(s source) (batcher.Backend, models.Net, []string, error) {
	c := choice{source: s}
	nets, err := c.nets()
	if err != nil {
		return nil, models.Net{}, nil, err
	}
	for _, net := range nets {
		c.add(net)
	}
	if len(c.found) == 0 {
		if c.reasons == nil {
			c.reasons = []error{fmt.Errorf("%s holds no net for it", s.weights)}
		}
		return nil, models.Net{}, c.notes, fmt.Errorf("none opens: %w", errors.Join(c.reasons...))
	}
	best, why, err := strongest(c.found)
	if err != nil {
		return nil, models.Net{}, c.notes, errors.Join(err, best.Close())
	}
	return best.Backend, best.net, append(c.notes, why...), nil
}

// nets are the nets of the source: the built-in ones, the one in a file, or those in a folder. A file of a folder that
// is no net is passed over, with a note.
func (c *choice) nets() (nets []models.Net, err error) {
	weights := c.source.weights
	switch {
	case weights == "":
		transformer, err := models.Default()
		if err != nil {
			return nil, err
		}
		cpu, err := models.DefaultNNUE()
		return []models.Net{{EUT: transformer}, {NNUE: cpu}}, err
	case !isFolder(weights):
		net, err := models.Open(weights)
		return []models.Net{net}, err
	}
	paths, err := filepath.Glob(filepath.Join(weights, "*.tesla"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no *.tesla in the folder %s", weights)
	}
	for _, path := range paths {
		net, err := models.Open(path)
		if err != nil {
			c.passOver(err)
			continue
		}
		nets = append(nets, net)
	}
	return nets, nil
}

// passOver notes why something was not opened.
func (c *choice) passOver(reason error) {
	c.notes = append(c.notes, reason.Error())
	c.reasons = append(c.reasons, reason)
}

// backendsFor are the names of the backends to try on a net, the fastest first.
func (c *choice) backendsFor(net models.Net) []string {
	name := c.source.name
	switch {
	case name == "auto" && net.NNUE != nil:
		return []string{"nnue"}
	case name == "auto":
		return autoProviders
	case (name == "nnue") == (net.NNUE != nil):
		return []string{name}
	}
	return nil // the net is of the other kind
}

// add opens the first backend that opens on a net.
func (c *choice) add(net models.Net) {
	elo := float64(nnueElo)
	if net.EUT != nil {
		elo = net.EUT.Elo
	} else if net.NNUE.Untrained && c.source.name == "auto" {
		c.notes = append(c.notes, fmt.Sprintf("the weights of net %s are random: it plays without strength", net.NNUE.Name))
	}
	for _, name := range c.backendsFor(net) {
		b, err := c.source.openOn(name, net)
		if err == nil {
			c.found = append(c.found, candidate{Backend: b, net: net, elo: elo})
			return
		}
		if net.Path != "" {
			err = fmt.Errorf("%s: %w", net.Path, err)
		}
		c.passOver(fmt.Errorf("backend %s not available: %w", name, err))
	}
}

// strongest returns the candidate of the highest rating, closes the others, and says why. An error is one of closing.
func strongest(found []candidate) (best candidate, notes []string, err error) {
	if len(found) == 1 {
		return found[0], nil, nil
	}
	top := 0
	for i := range found {
		found[i].rate()
		if found[i].rating() > found[top].rating() {
			top = i
		}
	}
	var errs []error
	for i := range found {
		if i != top {
			notes = append(notes, found[top].over(&found[i]))
			errs = append(errs, found[i].Close())
		}
	}
	return found[top], notes, errors.Join(errs...)
}

// over says why c is taken and not other.
func (c *candidate) over(other *candidate) string {
	a, b := c.Info(), other.Info()
	return fmt.Sprintf("backend %s with net %s (%.0f evaluations a second) rather than %s with %s (%.0f): about %.0f Elo in the same time",
		a.Name, a.ModelName, c.eps, b.Name, b.ModelName, other.eps, c.rating()-other.rating())
}
