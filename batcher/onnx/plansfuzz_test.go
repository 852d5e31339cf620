//go:build cgo

package onnx

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tesla/batcher"
)

// FuzzPlans reads any file of plans: a plan is one of those that would be measured, and one that is added is there.
func FuzzPlans(f *testing.F) {
	f.Add([]byte(`{"version":3,"plans":{"key":{"Streams":3,"Turns":2,"Parts":1,"Shared":1,"Batch":16,"Free":4},"other":7}}`))
	f.Add([]byte(`{"version":3,"plans":null}`))
	f.Add([]byte(`{"version":3,"plans":{"key":`))
	plans := plansOf("cpu", batcher.Options{Threads: 2, MaxBatch: 256})
	folder := f.TempDir()
	f.Setenv("XDG_CACHE_HOME", folder)
	path := filepath.Join(folder, "tesla", "plans.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := knownPlan("key", plans, 256); err == nil && p != nil && !slices.Contains(plans, p.unsized()) {
			t.Errorf("%q: plan %v", text, *p)
		}
		want := plans[0]
		want.Batch, want.Free = 16, 4
		if err := rememberPlan("new", want); err != nil {
			t.Fatal(err)
		}
		if p, err := knownPlan("new", plans, 256); err != nil || p == nil || *p != want {
			t.Errorf("%q: plan %v, %v, want %v", text, p, err, want)
		}
	})
}
