//go:build cgo

package onnx

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"tesla/batcher"
	"tesla/models/eut"
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
	Fused   bool `json:"fused"`   // the graph has fewer operators, see eut.Net.FusedGraph
	Half    bool `json:"half"`    // that graph in float16
	Batch   int  `json:"batch"`   // Batch of batcher.Info; 0: not measured
	Free    int  `json:"free"`    // Free of batcher.Info; 0: not measured
}

func (p plan) graph(net *eut.Net) ([]byte, error) {
	switch {
	case p.Fused:
		return net.FusedGraph(batcher.GraphInput, p.Listed, p.Half)
	case p.Listed:
		return net.ListedGraph(batcher.GraphInput)
	}
	return net.Graph, nil
}

func (p plan) input() string {
	if p.Listed {
		return eut.ListedInput
	}
	return batcher.GraphInput
}

// columns is the length of a row of the input.
func (p plan) columns(net *eut.Net) int {
	if p.Listed {
		return eut.ListRow
	}
	return net.Row()
}

// plansOf are the plans worth measuring, those with fewer pending batches first.
func plansOf(name string, opts batcher.Options) []plan {
	n := opts.Threads
	plans := []plan{{Streams: 2, Turns: 1, Parts: n, Shared: 1}}
	switch {
	case name != "cpu":
		plans = acceleratorPlans(name, opts)
	case n > 1:
		plans = append(plans, plan{Streams: 2, Turns: 1, Parts: 1, Shared: n}, plan{Streams: n + 1, Turns: n, Parts: 1, Shared: 1})
	}
	return plans
}

// acceleratorPlans are those of plansOf for an accelerator. The fused graph has operators of CUDA and the CPU.
func acceleratorPlans(name string, opts batcher.Options) (plans []plan) {
	lists := !opts.Sums
	ways := []plan{{}}
	if lists {
		ways = append(ways, plan{Listed: true})
	}
	if name == "cuda" {
		ways = append(ways, plan{Listed: lists, Fused: true}, plan{Listed: lists, Fused: true, Half: true})
	}
	for _, p := range ways {
		p.Streams, p.Turns, p.Parts, p.Shared = 2, turns, 1, 1
		plans = append(plans, p)
	}
	return plans
}

// turns is the number of batches that a device runs at a time: while one is computed, another is copied.
const turns = 2

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
	for _, of := range []struct {
		is   bool
		text string
	}{{p.Listed, "first layer on the device"}, {p.Fused, "fused operators"}, {p.Half, "float16"}} {
		if of.is {
			s += ", " + of.text
		}
	}
	return s
}

// usualPlan is the plan where none was measured: the one of plansOf that won on most machines, with sizes that were
// measured there (docs/log/batches.md#0045 for GPUs).
func usualPlan(name string, opts batcher.Options) plan {
	if name != "cpu" {
		return plan{Streams: 2, Turns: turns, Parts: 1, Shared: 1, Batch: opts.MaxBatch / 2, Free: min(128, max(1, opts.MaxBatch/2))}
	}
	return plan{Streams: opts.Threads + 1, Turns: opts.Threads, Parts: 1, Shared: 1, Batch: 16, Free: laneStep}
}

// unsized is the plan without its sizes.
func (p plan) unsized() plan {
	p.Batch, p.Free = 0, 0
	return p
}

// planKey says what a plan is measured for. What a GPU computes does not depend on the number of threads.
func planKey(name string, net *eut.Net, opts batcher.Options) string {
	threads := ""
	if !OnDevice(name) {
		threads = fmt.Sprintf("%d threads, ", opts.Threads)
	}
	return fmt.Sprintf("%s %s %sbatches of %d, %d GPUs, %s %d", name, net.ShortHash(), threads, opts.MaxBatch, gpus(), processor(), runtime.NumCPU())
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
