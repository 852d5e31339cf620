//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
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
		plans[0] = plan{Streams: 2, Turns: turns(name), Parts: 1, Shared: 1}
		if listed := plans[0]; !opts.Sums {
			listed.Listed = true
			plans = append(plans, listed)
		}
	case n > 1:
		plans = append(plans, plan{Streams: 2, Turns: 1, Parts: 1, Shared: n}, plan{Streams: n + 1, Turns: n, Parts: 1, Shared: 1})
	}
	return plans
}

// turns is the number of batches that a device runs at a time: while one is computed, another is copied. A session of
// DirectML may run one only.
func turns(name string) int {
	if name == "directml" {
		return 1
	}
	return 2
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
	// planBudget is the time that is spent on each plan, once on a machine. All of Tune takes about a second on a CPU:
	// somebody may be waiting for the engine to be ready.
	planBudget = 150 * time.Millisecond
	// planBatch is the size of batch that plans are compared with.
	planBatch = 32
	// planGain is the least factor by which a plan must be faster than the one before.
	planGain = 1.03
)

// usualPlan is the plan where none was measured: the one of plansOf that won on most machines, with sizes that were
// measured there (docs/log/0045-h200.md for GPUs).
func usualPlan(name string, opts batcher.Options) plan {
	if name != "cpu" {
		return plan{Streams: 2, Turns: turns(name), Parts: 1, Shared: 1, Batch: opts.MaxBatch / 2, Free: min(128, max(1, opts.MaxBatch/2))}
	}
	return plan{Streams: opts.Threads + 1, Turns: opts.Threads, Parts: 1, Shared: 1, Batch: 16, Free: laneStep}
}

// unmeasured is what Tune needs of a backend that computes by the usual plan.
type unmeasured struct {
	key   string // of the plan that is to be found
	opts  batcher.Options
	open  func(plan) (*backend, error)
	notes []string // why a plan that was kept is not taken
}

// planKey says what a plan is measured for.
func planKey(name string, net *eut.Net, opts batcher.Options) string {
	return fmt.Sprintf("%s %s %d threads, batches of %d, %d GPUs, %s %d", name, net.ShortHash(), opts.Threads, opts.MaxBatch, gpus(), processor(), runtime.NumCPU())
}

// Tune measures the plans of a backend that New opened by the usual plan, keeps the best for the next start on this
// machine, and returns the backend that computes by it. That is b, or another; then b is closed, as it is after an
// error. Any other backend is returned as it is. notes tell the user what was measured. b must not be in use.
func Tune(b batcher.Backend) (tuned batcher.Backend, notes []string, err error) {
	usual, ok := b.(*backend)
	if !ok || usual.unmeasured == nil {
		return b, nil, nil
	}
	u := usual.unmeasured
	best, why, err := u.compare(usual)
	if err != nil {
		return nil, u.notes, err
	}
	p := &best.plan
	if p.Batch, p.Free, err = batcher.Sizes(best); err != nil {
		return nil, u.notes, errors.Join(err, best.Close())
	}
	best.info.Batch, best.info.Free, best.unmeasured = p.Batch, p.Free, nil
	notes = append(u.notes, fmt.Sprintf("backend %s, measured once: batches of %d, the first %d at little cost, %v%s", best.info.Name, p.Batch, p.Free, *p, why))
	if err := rememberPlan(u.key, *p); err != nil {
		notes = append(notes, fmt.Sprintf("backend %s: the plan is not kept: %v", best.info.Name, err))
	}
	return best, notes, nil
}

// compare measures the plans, if there are several, beginning with that of the open backend, and returns the backend
// of the best. It closes the others. why tells the user what it found. The first plan must work.
func (u *unmeasured) compare(usual *backend) (best *backend, why string, err error) {
	plans := plansOf(usual.info.Name, u.opts)
	if len(plans) == 1 {
		return usual, "", nil
	}
	best = usual
	most, err := usual.rate()
	if err != nil {
		return nil, "", errors.Join(err, usual.Close())
	}
	found := []string{fmt.Sprintf("%v: %.0f", usual.plan, most)}
	for _, p := range plans {
		if p == usual.plan.unsized() {
			continue
		}
		b, rate, err := u.try(p)
		if err != nil {
			found = append(found, fmt.Sprintf("%v: %v", p, err))
			continue
		}
		found = append(found, fmt.Sprintf("%v: %.0f", p, rate))
		if rate > planGain*most {
			best, b, most = b, best, rate
		}
		if err := b.Close(); err != nil {
			return nil, "", errors.Join(err, best.Close())
		}
	}
	return best, "; evaluations a second: " + strings.Join(found, "; "), nil
}

// try opens the backend of a plan and measures it.
func (u *unmeasured) try(p plan) (b *backend, rate float64, err error) {
	if b, err = u.open(p); err != nil {
		return nil, 0, err
	}
	if rate, err = b.rate(); err != nil {
		return nil, 0, errors.Join(err, b.Close())
	}
	return b, rate, nil
}

// rate is the number of evaluations a second by which plans are compared.
func (b *backend) rate() (float64, error) {
	return batcher.Rate(b, min(planBatch, b.info.MaxBatch), planBudget)
}

// unsized is the plan without its sizes.
func (p plan) unsized() plan {
	p.Batch, p.Free = 0, 0
	return p
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
