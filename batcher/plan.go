package batcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"tesla/eut"
)

// laneStep is the granularity of a batch on the CPU. ONNX Runtime multiplies one or two rows with another kernel,
// whose sums differ in the last bit; in batches of four, eight, twelve.. a result does not depend on its company.
const laneStep = 4

// plan is how ONNX Runtime's devices compute batches. None is best for every net and machine.
type plan struct {
	Streams int  `json:"streams"` // batches of a device that are under way: encoded, run or decoded
	Turns   int  `json:"turns"`   // of these, those that run
	Parts   int  `json:"parts"`   // of a batch, each run by a thread
	Shared  int  `json:"shared"`  // threads that share every operator
	Listed  bool `json:"listed"`  // the device sums the first layer, see eut.Net.ListedGraph
	Batch   int  `json:"batch"`   // see Info; 0: not measured
	Free    int  `json:"free"`    // likewise
}

// input is the name of the session's input.
func (p plan) input() string {
	if p.Listed {
		return eut.ListedInput
	}
	return GraphInput
}

// plansOf are the plans worth measuring, those with less under way first.
func plansOf(name string, opts Options) []plan {
	n := opts.Threads
	plans := []plan{{Streams: 2, Turns: 1, Parts: n, Shared: 1}}
	switch {
	case name != "cpu":
		plans[0] = plan{Streams: 2, Turns: 2, Parts: 1, Shared: 1}
		if listed := plans[0]; !opts.Sums {
			listed.Listed = true
			plans = append(plans, listed)
		}
	case n > 1:
		plans = append(plans, plan{Streams: 2, Turns: 1, Parts: 1, Shared: n}, plan{Streams: n + 1, Turns: n, Parts: 1, Shared: 1})
	}
	return plans
}

func (p plan) String() string {
	s := fmt.Sprintf("%d batches under way", p.Streams)
	switch {
	case p.Parts > 1:
		s += fmt.Sprintf(", each divided among %d threads", p.Parts)
	case p.Shared > 1:
		s += fmt.Sprintf(", %d threads for each operator", p.Shared)
	case p.Turns > 1:
		s += fmt.Sprintf(", %d at a time", p.Turns)
	}
	if p.Listed {
		s += ", first layer on the device"
	}
	return s
}

const (
	// planBudget is spent on each plan, once on a machine.
	planBudget = 400 * time.Millisecond
	// planGain is how much faster than the one before a plan must be.
	planGain = 1.03
)

// bestPlan opens the plan that measured best, today or when this net was first opened on this machine with such options.
func bestPlan(name string, net *eut.Net, opts Options, open func(plan) (Backend, error)) (Backend, []string, error) {
	key := fmt.Sprintf("%s %s %d threads, batches of %d, %d GPUs, %s %d", name, net.ShortHash(), opts.Threads, opts.MaxBatch, gpus(), processor(), runtime.NumCPU())
	if p, ok := knownPlan(key); ok && !(p.Listed && opts.Sums) {
		b, err := open(p)
		return b, nil, err
	}
	best, why, err := comparePlans(plansOf(name, opts), open)
	if err != nil {
		return nil, nil, err
	}
	b, err := open(best)
	if err != nil {
		return nil, nil, err
	}
	if best.Batch, best.Free, err = Sizes(b); err != nil {
		return nil, nil, errors.Join(err, b.Close())
	}
	b.(interface{ setSizes(batch, free int) }).setSizes(best.Batch, best.Free)
	notes := []string{fmt.Sprintf("backend %s, measured once: batches of %d, the first %d at little cost, %v%s", name, best.Batch, best.Free, best, why)}
	if err := rememberPlan(key, best); err != nil {
		notes = append(notes, fmt.Sprintf("backend %s: cannot keep that: %v", name, err))
	}
	return b, notes, nil
}

// comparePlans measures plans, if there are several, and says what it found. The first must open.
func comparePlans(plans []plan, open func(plan) (Backend, error)) (best plan, why string, err error) {
	if best = plans[0]; len(plans) == 1 {
		return best, "", nil
	}
	most := 0.0
	var found []string
	for i, p := range plans {
		rate, err := p.measure(open)
		if err != nil {
			if i == 0 {
				return best, "", err
			}
			found = append(found, fmt.Sprintf("%v: %v", p, err))
			continue
		}
		found = append(found, fmt.Sprintf("%v: %.0f", p, rate))
		if rate > planGain*most {
			best, most = p, rate
		}
	}
	return best, "; evaluations a second of " + strings.Join(found, "; of "), nil
}

const (
	// curveBudget is spent on each size of batch, once on a machine.
	curveBudget = 60 * time.Millisecond
	// mostLatency is the longest that a batch may take, ms: who stops a search waits for it.
	mostLatency = 25
)

// Sizes measures a backend that is not in use: the smallest size of batches whose rate is near the best, of those that take no more
// than mostLatency, and Free of its Info, at least the granularity of a batch and at most the largest size measured. Half of what the
// backend takes is for quiet positions beside the leaves.
func Sizes(b Backend) (batch, free int, err error) {
	var rows []Row
	for size := laneStep; size <= max(laneStep, b.Info().MaxBatch/2); size *= 2 {
		row, err := Measure(b, []int{min(size, b.Info().MaxBatch)}, curveBudget)
		if err != nil {
			return 0, 0, err
		}
		if len(rows) > 0 && row[0].MSMean > mostLatency {
			break
		}
		rows = append(rows, row[0])
	}
	return Recommend(rows).Batch, freeOf(rows), nil
}

// freeOf is Free of an Info by the line through the smallest and the largest batch.
func freeOf(rows []Row) int {
	took := func(r Row) float64 { return float64(r.Batch) / r.EPSMedian }
	least, most := rows[0], rows[len(rows)-1]
	each := (took(most) - took(least)) / max(1, float64(most.Batch-least.Batch))
	return int(max(laneStep, min(took(least)/max(each, 1e-9)-float64(least.Batch), float64(most.Batch))))
}

// measure is the evaluations a second of as many callers as the plan has streams.
func (p plan) measure(open func(plan) (Backend, error)) (rate float64, err error) {
	b, err := open(p)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	size := min(autoBatch, b.Info().MaxBatch)
	items := walk(size * p.Streams)
	var wait sync.WaitGroup
	errs, counts := make([]error, p.Streams), make([]int, p.Streams)
	start := time.Now()
	for k := range p.Streams {
		wait.Go(func() {
			for errs[k] == nil && time.Since(start) < planBudget {
				errs[k] = b.Evaluate(items[k*size : (k+1)*size])
				counts[k] += size
			}
		})
	}
	wait.Wait()
	took := time.Since(start).Seconds()
	for k := range counts {
		if errs[k] != nil {
			return 0, errs[k]
		}
		rate += float64(counts[k]) / took
	}
	return rate, nil
}

// processor is the processor's name as Linux has it, or what Go calls its kind.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// plansFile keeps plans by what they were measured for, in the user's cache folder.
func plansFile() (string, error) {
	base, err := os.UserCacheDir()
	return filepath.Join(base, "tesla", "plans.json"), err
}

// knownPlans is what the file holds: nothing where it is missing or damaged.
func knownPlans() map[string]plan {
	plans := map[string]plan{}
	if path, err := plansFile(); err == nil {
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &plans) != nil {
			clear(plans)
		}
	}
	return plans
}

func knownPlan(key string) (plan, bool) {
	p, ok := knownPlans()[key]
	return p, ok && p.Streams > 0 && p.Turns > 0 && p.Parts > 0 && p.Shared > 0 && p.Free > 0
}

// rememberPlan adds a plan to the file, which another process may read meanwhile.
func rememberPlan(key string, p plan) error {
	path, err := plansFile()
	if err != nil {
		return err
	}
	plans := knownPlans()
	plans[key] = p
	data, err := json.MarshalIndent(plans, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "plans")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), path)
}
