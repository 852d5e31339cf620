//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"tesla/batcher"
	"tesla/eut"
)

// laneStep is the granularity of a batch on the CPU. ONNX Runtime multiplies one or two rows with another kernel, whose
// sums differ in the last bit. In batches of four, eight, twelve and so on, the result of a row does not depend on the
// other rows.
const laneStep = 4

// plan is how the devices of ONNX Runtime compute batches. No plan is best for every net and machine.
type plan struct {
	Streams int  `json:"streams"` // pending batches of a device: those that are encoded, run or decoded
	Turns   int  `json:"turns"`   // the number of these that run at a time
	Parts   int  `json:"parts"`   // parts of a batch, each of which is run by a thread of its own
	Shared  int  `json:"shared"`  // threads that share every operator
	Listed  bool `json:"listed"`  // the device sums the first layer, see eut.Net.ListedGraph
	Batch   int  `json:"batch"`   // Batch of batcher.Info; 0: not measured
	Free    int  `json:"free"`    // Free of batcher.Info; 0: not measured
}

// input is the name of the session's input.
func (p plan) input() string {
	if p.Listed {
		return eut.ListedInput
	}
	return batcher.GraphInput
}

// plansOf are the plans worth measuring, those with fewer pending batches first.
func plansOf(name string, opts batcher.Options) []plan {
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
	s := fmt.Sprintf("%d pending batches", p.Streams)
	switch {
	case p.Parts > 1:
		s += fmt.Sprintf(", each split over %d threads", p.Parts)
	case p.Shared > 1:
		s += fmt.Sprintf(", %d threads share each operator", p.Shared)
	case p.Turns > 1:
		s += fmt.Sprintf(", of which %d run at a time", p.Turns)
	}
	if p.Listed {
		s += ", first layer on the device"
	}
	return s
}

const (
	// planBudget is the time that is spent on each plan, once on a machine.
	planBudget = 400 * time.Millisecond
	// planBatch is the size of batch that plans are compared with.
	planBatch = 32
	// planGain is the least factor by which a plan must be faster than the one before.
	planGain = 1.03
)

// bestPlan opens the plan that measured best, now or when this net was first opened on this machine with these options.
// notes tell the user what was measured.
func bestPlan(name string, net *eut.Net, opts batcher.Options, open func(plan) (*backend, error)) (b *backend, notes []string, err error) {
	key := fmt.Sprintf("%s %s %d threads, batches of %d, %d GPUs, %s %d", name, net.ShortHash(), opts.Threads, opts.MaxBatch, gpus(), processor(), runtime.NumCPU())
	plans := plansOf(name, opts)
	p, err := knownPlan(key, plans, opts.MaxBatch)
	switch {
	case err != nil:
		notes = append(notes, fmt.Sprintf("backend %s: the plan that was kept is measured anew: %v", name, err))
	case p != nil:
		if b, err = open(*p); err == nil {
			return b, nil, nil
		}
		notes = append(notes, fmt.Sprintf("backend %s: the plan that was kept does not open and is measured anew: %v", name, err))
	}
	best, why, err := comparePlans(plans, open)
	if err != nil {
		return nil, notes, err
	}
	if b, err = open(best); err != nil {
		return nil, notes, err
	}
	if best.Batch, best.Free, err = batcher.Sizes(b); err != nil {
		return nil, notes, errors.Join(err, b.Close())
	}
	b.info.Batch, b.info.Free = best.Batch, best.Free
	notes = append(notes, fmt.Sprintf("backend %s, measured once: batches of %d, the first %d at little cost, %v%s", name, best.Batch, best.Free, best, why))
	if err := rememberPlan(key, best); err != nil {
		notes = append(notes, fmt.Sprintf("backend %s: the plan is not kept: %v", name, err))
	}
	return b, notes, nil
}

// comparePlans measures plans, if there are several. why tells the user what it found. The first plan must open.
func comparePlans(plans []plan, open func(plan) (*backend, error)) (best plan, why string, err error) {
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
	return best, "; evaluations a second: " + strings.Join(found, "; "), nil
}

// measure opens the plan, and returns the evaluations a second that one caller for each stream gets together.
func (p plan) measure(open func(plan) (*backend, error)) (rate float64, err error) {
	b, err := open(p)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	size := min(planBatch, b.Info().MaxBatch)
	items := batcher.Walk(size * p.Streams)
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

// processor is the name of the processor: on Linux the model, elsewhere the architecture.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
