//go:build cgo

package onnx

import (
	"strings"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/internal/slow"
	"tesla/models"
)

// The graphs that are made for GPUs compute what the graph of the file does: fused up to rounding, in half precision up to that of
// float16.
func TestGraphs(t *testing.T) {
	slow.Test(t) // TestSuite runs the same goroutines
	for _, file := range []string{"eut-s.tesla", "eut-m.tesla"} {
		net, err := models.OpenEUT("../../models/" + file)
		if err != nil {
			t.Fatal(err)
		}
		open, err := opener("cpu", net, batcher.Options{}.WithDefaults())
		if err != nil {
			opened(t, nil, err)
		}
		want := batcher.Walk(16)
		for _, test := range []struct {
			plan plan
			most float64 // difference
		}{
			{plan{}, 0}, {plan{Listed: true}, 0}, {plan{Fused: true}, 1e-4}, {plan{Listed: true, Fused: true}, 1e-4}, {plan{Listed: true, Fused: true, Half: true}, 2e-2},
		} {
			p := test.plan
			p.Streams, p.Turns, p.Parts, p.Shared = 1, 1, 1, 1
			b, err := open(p)
			if err != nil {
				t.Fatal(file, p, err)
			}
			got := batcher.Walk(16)
			if p.Half {
				got = got[:6] // a CPU is slow at it
			}
			if test.most == 0 && !p.Listed {
				got = want
			}
			if err := b.Evaluate(got); err != nil {
				t.Fatal(file, p, err)
			}
			largest := 0.0
			for i := range got {
				largest = max(largest, want[i].Difference(got[i]))
			}
			t.Logf("%s, %v: largest difference %.2g", file, p, largest)
			if largest > test.most {
				t.Errorf("%s, %v: largest difference %g, want at most %g", file, p, largest, test.most)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A plan that computes something else than the first is refused. Plans that are measured are kept.
func TestMeasurePlans(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	net, opts := builtIn(t), batcher.Options{Threads: 2}.WithDefaults()
	openCPU(t, opts) // skips where there is no library
	other, err := models.OpenEUT("../../models/eut-m.tesla")
	if err != nil {
		t.Fatal(err)
	}
	lies := false
	u := unmeasured{open: func(p plan) (*backend, error) {
		of := net
		if lies {
			of = other
		}
		open, err := opener("cpu", of, opts)
		if err != nil {
			return nil, err
		}
		return open(p)
	}}
	for _, lies = range []bool{false, true} {
		b, _, err := u.try(plansOf("cpu", opts)[0])
		if lies != (err != nil) || lies && !strings.Contains(err.Error(), "that of the first plan") {
			t.Errorf("of another net %v: %v", lies, err)
		}
		if err == nil {
			err = b.Close()
		}
		if !lies && err != nil {
			t.Error(err)
		}
	}
	var found []batcher.Plan
	err = MeasurePlans("cpu", net, opts, []int{1, 4}, time.Millisecond, func(p batcher.Plan) { found = append(found, p) })
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		if p.Error != "" || p.Rate <= 0 || len(p.Rows) != 2 || p.Rows[1].EPSMedian <= 0 {
			t.Errorf("%+v", p)
		}
	}
	kept, err := knownPlan(planKey("cpu", net, opts), plansOf("cpu", opts), opts.MaxBatch)
	if len(found) != 3 || err != nil || kept == nil || kept.Batch == 0 {
		t.Errorf("%d plans, kept %+v, %v", len(found), kept, err)
	}
}
