package backendbench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/engine"
	"tesla/lab/speedup"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/models"
	"tesla/search"
)

// Pair sets the evaluations of a search beside those of the net alone, in batches of the same size.
type Pair struct {
	EPS    float64 `json:"eps"` // net evaluations a second, those of quiet positions included
	RawEPS float64 `json:"raw_eps"`
	Batch  float64 `json:"batch"`     // mean
	Idle   float64 `json:"idle"`      // share of the search in which the net did not run
	Used   float64 `json:"promoting"` // share of the evaluations' time that the search used
}

// Search is what pairs of a search and the net alone give.
type Search struct {
	Search string  `json:"search"`
	Pairs  []Pair  `json:"pairs"`
	Ratio  float64 `json:"ratio"` // of a search's rate to that of the net alone, median
}

// batching is a search that evaluates in batches.
type batching interface {
	Evaluation() batcher.Stats
}

// ErrNotBatching is the error for a search that does not evaluate in batches.
var ErrNotBatching = errors.New("no batches in this search: want bestfirst or puct")

// RunSearch searches positions for a time each, and after each has the net run alone for as long. Leaves are not
// deepened: alpha-beta at leaves would leave the net idle.
func RunSearch(ctx context.Context, b batcher.Backend, net models.Net, set engine.Settings, pairs int, each time.Duration,
	progress *view.Progress) (r *Search, err error) {
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return nil, err
	}
	set.LeafDepth, set.SearchOptions = 0, ""
	one := []sweep.Searcher{{Name: set.Search, Open: func() (search.Searcher, error) { return engine.OpenOn(b, net, set) }}}
	all := &sweep.Sweep{Steps: pairs, What: "pairs of searches and the net alone", Progress: progress}
	found, err := sweep.Searches(ctx, all, one, func(ctx context.Context, s *sweep.Searcher, i int) (p Pair, err error) {
		if err := s.NewGame(ctx); err != nil {
			return p, err
		}
		of, ok := search.As[batching](s)
		if !ok {
			return p, ErrNotBatching
		}
		was := of.Evaluation()
		_, err = s.Search(ctx, board.NewGame(positions[i%len(positions)].Board), search.Limits{MoveTime: each, MultiPV: 1}, nil)
		if err != nil {
			return p, err
		}
		return pairOf(b, of.Evaluation().Since(was), each)
	})
	if err != nil {
		return nil, err
	}
	r = &Search{Search: set.Search, Pairs: found[0]}
	var ratios []float64
	for _, p := range r.Pairs {
		ratios = append(ratios, p.EPS/p.RawEPS)
	}
	slices.Sort(ratios)
	r.Ratio = ratios[len(ratios)/2]
	return r, nil
}

// pairOf has the net run alone in batches as large as those of a search.
func pairOf(b batcher.Backend, of batcher.Stats, each time.Duration) (p Pair, err error) {
	p.Batch = float64(of.Items) / float64(max(1, of.Batches))
	p.EPS = float64(of.Items) / of.Elapsed.Seconds()
	p.Idle, p.Used = of.NetIdle(), of.Used()
	p.RawEPS, err = batcher.RawRate(b, max(1, int(p.Batch)), each)
	return p, err
}

// String is a table of the pairs.
func (s *Search) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%10s %8s %10s %6s %6s %6s\n", s.Search, "batch", "raw", "ratio", "idle", "used")
	for _, p := range s.Pairs {
		fmt.Fprintf(&out, "%10.0f %8.1f %10.0f %6.3f %5.1f%% %5.1f%%\n", p.EPS, p.Batch, p.RawEPS, p.EPS/p.RawEPS, 100*p.Idle, 100*p.Used)
	}
	fmt.Fprintf(&out, "A search's evaluations a second are %.3f of the net's alone (median); 1 is best.\n", s.Ratio)
	return out.String()
}
