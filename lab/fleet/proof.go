package fleet

import (
	"context"
	"fmt"
	"sync"

	"tesla/engine"
	"tesla/lab/bench"
	"tesla/search"
)

// Proof is what a worker shows before it plays: that each of its cores computes what the host's do, and how fast.
type Proof struct {
	Signatures []uint32 `json:"signatures"` // of the bench, of each slot
	NPS        float64  `json:"nps"`        // nodes a second of a slot, while all of them search: the mean
}

// benchNodes is the limit of each of the bench's 24 positions: half a second in all.
const benchNodes = 10_000

// Bench runs the bench in all slots at once. The alpha-beta search on the built-in nets stands for all others: it uses
// the rules, the CPU nets' kernels and the transposition table.
func Bench(ctx context.Context, slots int) (Proof, error) {
	set := engine.Default()
	set.Search, set.Threads = "lazysmp", 1
	results, errs := make([]bench.Result, slots), make([]error, slots)
	var wait sync.WaitGroup
	for i := range slots {
		wait.Go(func() { results[i], errs[i] = bench.Run(ctx, set, search.Limits{Nodes: benchNodes}, nil) })
	}
	wait.Wait()
	var p Proof
	for i, r := range results {
		if errs[i] != nil {
			return p, fmt.Errorf("bench: %w", errs[i])
		}
		p.Signatures = append(p.Signatures, r.Signature)
		p.NPS += r.NPS / float64(slots)
	}
	return p, nil
}
