package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
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
	// (docs/log/nnue.md#0052) without the difference in evaluations a second, 190,000 to 10,800.
	nnueElo = 330
	// maxAsked is the number of evaluations a second that one thread can ask for, see docs/batches.md.
	maxAsked = 300000
	// ratedBatch is the size of batch at which the rating of a backend begins. It doubles while a batch takes less than
	// ratedLatency: a GPU takes as long for 128 positions as for one (docs/log/batches.md#0045).
	ratedBatch   = 32
	ratedLatency = 5 * time.Millisecond
	// rateBudget is the time that each size of batch takes.
	rateBudget = 10 * time.Millisecond
)

// autoProviders are the providers of ONNX Runtime that auto tries for a net, the fastest first; it takes the first that
// opens. tensorrt is not among them, because building its engine takes minutes at the first start.
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

// best is the highest rating that a net of that strength can have.
func best(elo float64) float64 { return elo + eloPerDoubling*math.Log2(maxAsked) }

// rate measures the evaluations a second, until the rating is enough. A backend that fails has none.
func (c *candidate) rate(enough float64) {
	info := c.Info()
	least := min(ratedBatch, info.MaxBatch)
	for size := least; size <= max(least, info.MaxBatch/2); size *= 2 {
		eps, err := batcher.Rate(c.Backend, size, rateBudget)
		if err != nil {
			c.eps = 0
			return
		}
		c.eps = max(c.eps, eps)
		if c.rating() >= enough || float64(size*info.Streams)/max(eps, 1) > ratedLatency.Seconds() {
			return
		}
	}
}

// choice is one among the nets of a source.
type choice struct {
	source  source
	taken   candidate // the strongest so far; its Backend is nil before the first
	notes   []string  // for the user
	reasons []error   // why others were not opened
}

// openStrongest opens the backend of the source on one of its nets: for auto, the fastest that opens of those for the net's
// kind. It takes the net that is strongest by its evaluations a second and its known strength. It begins with the net of
// the greatest known strength, and opens no other that could not be stronger however fast it is: ONNX Runtime is loaded
// only where it may be taken. It rates only where there is a choice, by plans that are known or usual: what the best plan
// of a machine adds is little beside the distance between nets.
func openStrongest(s source) (batcher.Backend, models.Net, []string, error) {
	c := choice{source: s}
	nets, err := c.nets()
	if err != nil {
		return nil, models.Net{}, c.notes, err
	}
	slices.SortStableFunc(nets, func(a, b entrant) int { return cmp.Compare(b.elo, a.elo) })
	for i, e := range nets {
		if c.taken.Backend != nil && best(e.elo) <= c.taken.rating() {
			break
		}
		next := math.Inf(-1) // the highest rating that one of those after it can have
		if i+1 < len(nets) {
			next = best(nets[i+1].elo)
		}
		if err := c.add(e, next); err != nil {
			return nil, models.Net{}, c.notes, err
		}
	}
	if c.taken.Backend == nil {
		if c.reasons == nil {
			c.reasons = []error{fmt.Errorf("%s holds no net for it", s.weights)}
		}
		return nil, models.Net{}, c.notes, fmt.Errorf("none opens: %w", errors.Join(c.reasons...))
	}
	return c.taken.Backend, c.taken.net, c.notes, nil
}

// entrant is a net that may be taken.
type entrant struct {
	elo float64 // against the built-in transformer at the same number of evaluations
	net func() (models.Net, error)
}

// entrantOf is a net that has been read.
func entrantOf(net models.Net) entrant {
	e := entrant{nnueElo, func() (models.Net, error) { return net, nil }}
	if net.EUT != nil {
		e.elo = net.EUT.Elo
	}
	return e
}

// nets are the nets of the source: the built-in ones, the one in a file, or those in a folder that the backend computes. A
// file of a folder that is no net is passed over, with a note.
func (c *choice) nets() (nets []entrant, err error) {
	weights := c.source.weights
	switch {
	case weights == "":
		cpu := func() (n models.Net, err error) { n.NNUE, err = models.DefaultNNUE(); return n, err }
		transformer := func() (n models.Net, err error) { n.EUT, err = models.Default(); return n, err }
		return []entrant{{nnueElo, cpu}, {0, transformer}}, nil
	case !isFolder(weights):
		net, err := models.Open(weights)
		return []entrant{entrantOf(net)}, err
	}
	paths, err := filepath.Glob(filepath.Join(weights, "*.tesla"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("no *.tesla in the folder %s", weights)
	}
	for _, path := range paths {
		net, err := models.Open(path)
		if err != nil {
			c.notes = append(c.notes, err.Error())
			c.reasons = append(c.reasons, err)
			continue
		}
		if len(c.backendsFor(net)) > 0 {
			nets = append(nets, entrantOf(net))
		}
	}
	return nets, nil
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

// add opens the first backend that opens on a net, and keeps it if it is stronger than what is taken. It is rated if
// there is a choice: others before it, or others after it that can have the rating next. Where a backend does not open is
// told only if nothing opens; tesla doctor says it at any time. An error is one of closing.
func (c *choice) add(e entrant, next float64) error {
	net, err := e.net()
	if err != nil {
		c.reasons = append(c.reasons, err)
		return nil
	}
	for _, name := range c.backendsFor(net) {
		b, err := c.source.openOn(name, net)
		if err != nil {
			if net.Path != "" {
				err = fmt.Errorf("%s: %w", net.Path, err)
			}
			c.reasons = append(c.reasons, fmt.Errorf("backend %s not available: %w", name, err))
			continue
		}
		return c.consider(candidate{Backend: b, net: net, elo: e.elo}, next)
	}
	return nil
}

// consider keeps the stronger of a candidate and what is taken, and closes the other. An error is one of closing.
func (c *choice) consider(it candidate, next float64) error {
	before := c.taken
	if before.Backend != nil {
		next = math.Inf(1)
	}
	if !math.IsInf(next, -1) {
		it.rate(next)
	}
	if before.Backend == nil {
		c.taken = it
		return nil
	}
	if it.rating() <= before.rating() {
		before, it = it, before
	}
	c.taken = it
	return before.Close()
}
