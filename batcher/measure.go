package batcher

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/stat"

	"tesla/board"
	"tesla/models/eut"
)

// Row is what Measure found for one batch size.
type Row struct {
	Batch     int     `json:"batch"`    // items in each batch
	EPSMean   float64 `json:"eps_mean"` // evaluations a second, encoding and softmax included
	EPSMedian float64 `json:"eps_median"`
	MSMean    float64 `json:"ms_mean"`  // milliseconds a batch
	MSSdev    float64 `json:"ms_sdev"`  // sample standard deviation
	MSFirst   float64 `json:"ms_first"` // milliseconds of the first batch of this size, which the other fields leave out
	RawEPS    float64 `json:"raw_eps"`  // evaluations a second of the net alone; 0 if the backend is no RawRunner
}

// Plan is what was measured of a plan: a way in which a backend computes batches.
type Plan struct {
	Name  string  `json:"plan"`
	Rate  float64 `json:"rate"` // evaluations a second of as many callers as the plan has pending batches, see Rate
	Rows  []Row   `json:"rows"`
	Error string  `json:"error,omitempty"` // why there are no rows
}

// enough is the share of the best rate at which Recommend takes a batch: a smaller one searches better.
const enough = 0.95

// Recommend is the row of the smallest batch whose rate is at least enough of the best.
func Recommend(rows []Row) Row {
	best := 0.0
	for _, r := range rows {
		best = max(best, r.EPSMedian)
	}
	return rows[slices.IndexFunc(rows, func(r Row) bool { return r.EPSMedian >= enough*best })]
}

// RawRunner is a backend that can run its net alone: ONNX Runtime's session without encoding and softmax, on the
// contents of its buffers; nnue without the policy, which few leaves need.
type RawRunner interface {
	// RunRaw runs the net on as many rows as there are items, and blocks until it has. It need not look at the items.
	RunRaw(items []*Item) error
}

// Measure times b at each size of batch, for about budget each, on the positions of Walk.
// b must not be in use.
func Measure(b Backend, sizes []int, budget time.Duration, each func(Row)) ([]Row, error) {
	items := Walk(max(slices.Max(sizes), 1) * 4)
	var rows []Row
	for _, size := range sizes {
		if size < 1 || size > b.Info().MaxBatch {
			return nil, fmt.Errorf("batch size %d, want 1 to %d", size, b.Info().MaxBatch)
		}
		row, err := measureSize(b, items, size, budget)
		if err != nil {
			return nil, fmt.Errorf("batch size %d: %w", size, err)
		}
		rows = append(rows, row)
		if each != nil {
			each(row)
		}
	}
	return rows, nil
}

func measureSize(b Backend, items []*Item, size int, budget time.Duration) (Row, error) {
	first, ms, err := timeRuns(budget*2/3, inTurn(items, size, b.Evaluate))
	if err != nil {
		return Row{}, err
	}
	row := Row{Batch: size, MSFirst: first}
	row.MSMean, row.MSSdev = stat.MeanStdDev(ms, nil)
	slices.Sort(ms)
	row.EPSMean = float64(size) / row.MSMean * 1000
	row.EPSMedian = float64(size) / ms[len(ms)/2] * 1000
	if raw, ok := b.(RawRunner); ok {
		row.RawEPS, err = rateOf(raw.RunRaw, 1, size, budget/3)
	}
	return row, err
}

// Rate is the number of evaluations a second that as many callers as b has streams get together, in batches of size. It
// takes about budget, or as long as two batches of each caller where that is more. b must not be in use.
func Rate(b Backend, size int, budget time.Duration) (float64, error) {
	return rateOf(b.Evaluate, b.Info().Streams, size, budget)
}

// RawRate is Rate of the net of b alone.
func RawRate(b Backend, size int, budget time.Duration) (float64, error) {
	raw, ok := b.(RawRunner)
	if !ok {
		return 0, fmt.Errorf("backend %s: no run of the net alone", b.Info().Name)
	}
	return rateOf(raw.RunRaw, b.Info().Streams, size, budget)
}

// rateOf is the number of positions a second that some callers of run get together, in batches of size, for about budget.
func rateOf(run func([]*Item) error, callers, size int, budget time.Duration) (float64, error) {
	items := Walk(size * callers)
	rates, errs := make([]float64, callers), make([]error, callers)
	var wait sync.WaitGroup
	for k := range callers {
		wait.Go(func() {
			batch := items[k*size : (k+1)*size]
			if errs[k] = run(batch); errs[k] != nil { // the first one plans memory
				return
			}
			start, n := time.Now(), 0
			for n == 0 || time.Since(start) < budget && errs[k] == nil {
				errs[k] = run(batch)
				n += size
			}
			rates[k] = float64(n) / max(1e-9, time.Since(start).Seconds())
		})
	}
	wait.Wait()
	sum := 0.0
	for _, r := range rates {
		sum += r
	}
	return sum, errors.Join(errs...)
}

// inTurn returns a function that calls f with the next batch of items, and begins again at the end.
func inTurn(items []*Item, size int, f func([]*Item) error) func() error {
	at := 0
	return func() error {
		if at+size > len(items) {
			at = 0
		}
		at += size
		return f(items[at-size : at])
	}
}

// timeRuns runs f once, and then at least three times and until budget is spent. It returns the milliseconds of the
// first run and of each later run. Runs that are too short for the clock are timed in groups.
func timeRuns(budget time.Duration, f func() error) (first float64, ms []float64, err error) {
	start := time.Now()
	if err := f(); err != nil {
		return 0, nil, err
	}
	first = time.Since(start).Seconds() * 1000
	for begin := time.Now(); len(ms) < 3 || time.Since(begin) < budget; {
		start, runs := time.Now(), 0
		for runs == 0 || time.Since(start) < 20*time.Microsecond {
			if err := f(); err != nil {
				return 0, nil, err
			}
			runs++
		}
		ms = append(ms, time.Since(start).Seconds()*1000/float64(runs))
	}
	return first, ms, nil
}

const (
	// curveBudget is the time that Sizes spends on each size of batch.
	curveBudget = 20 * time.Millisecond
	// maxLatency is the longest time that a batch may take, in ms: a search that is stopped waits for it.
	maxLatency = 25
	// leastBatch is the smallest size of batch that Sizes measures.
	leastBatch = 4
)

// Sizes measures a backend that is not in use, and returns what its Info should say. batch is the smallest size whose
// rate is near the best, among those that take at most maxLatency. free is Free of Info, between leastBatch and the
// largest size measured. The sizes end at half of MaxBatch: the other half is for quiet positions beside the leaves.
func Sizes(b Backend) (batch, free int, err error) {
	var rows []Row
	for size := leastBatch; size <= max(leastBatch, b.Info().MaxBatch/2); size *= 2 {
		row, err := Measure(struct{ Backend }{b}, []int{min(size, b.Info().MaxBatch)}, curveBudget, nil) // without RunRaw
		if err != nil {
			return 0, 0, err
		}
		if len(rows) > 0 && row[0].MSMean > maxLatency {
			break
		}
		rows = append(rows, row[0])
	}
	return Recommend(rows).Batch, freeOf(rows), nil
}

// freeOf is Free of Info, by the line through the smallest and the largest batch.
func freeOf(rows []Row) int {
	took := func(r Row) float64 { return float64(r.Batch) / r.EPSMedian }
	least, most := rows[0], rows[len(rows)-1]
	each := (took(most) - took(least)) / max(1, float64(most.Batch-least.Batch))
	return int(max(leastBatch, min(took(least)/max(each, 1e-9)-float64(least.Batch), float64(most.Batch))))
}

// MeasureIncremental is the number of positions a second that an Encoder of the net encodes, along Walk.
func MeasureIncremental(net *eut.Net, budget time.Duration) (float64, error) {
	items := Walk(1024)
	encoder := eut.NewEncoder(net)
	row := make([]int32, net.Row())
	_, ms, err := timeRuns(budget, func() error {
		for _, it := range items {
			encoder.Encode(&it.Position, row)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return float64(len(items)) / stat.Mean(ms, nil) * 1000, nil
}

// Walk is n positions in an order like that of a best-first search: some children of a node, then of a child that is
// chosen by hash, and so on. At the end of a game it begins again.
func Walk(n int) []*Item {
	items := make([]*Item, 0, n)
	node := board.StartPosition()
	moves := make([]board.Move, 0, 64)
	for ply := uint64(0); len(items) < n; ply++ {
		moves = node.LegalMoves(moves[:0])
		if len(moves) == 0 || node.Halfmove >= 100 || ply%120 == 119 {
			node = board.StartPosition()
			continue
		}
		r := mix(node.Key + ply)
		var next board.Position
		for i := range min(6, len(moves)) {
			node.Make(moves[(int(r>>8&0xffff)+i)%len(moves)], &next)
			it := &Item{Position: next}
			it.Moves = next.LegalMoves(nil)
			if items = append(items, it); len(items) == n {
				break
			}
		}
		node = next
	}
	return items
}
