//go:build cgo

package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tesla/batcher"
)

// A plan is kept for the next start. What no measurement gives is an error, and is replaced by the next plan that is kept.
func TestPlansFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	plans := plansOf("cpu", batcher.Options{Threads: 2})
	a, b := plans[0], plans[1]
	a.Batch, a.Free, b.Batch, b.Free = 32, 4, 64, 9
	keep := func() {
		t.Helper()
		for key, p := range map[string]plan{"a": a, "b": b} {
			if err := rememberPlan(key, p); err != nil {
				t.Fatal(err)
			}
		}
		if p, err := knownPlan("b", plans, 64); err != nil || p == nil || *p != b {
			t.Errorf("%+v, %v", p, err)
		}
	}
	keep()
	if p, err := knownPlan("c", plans, 64); p != nil || err != nil {
		t.Errorf("%+v of nothing, %v", p, err)
	}
	if p, err := knownPlan("b", plans, 32); p != nil || err == nil {
		t.Errorf("%+v with batches above 32", p)
	}
	path, err := plansPath()
	if err != nil {
		t.Fatal(err)
	}
	good := `"streams":2,"turns":1,"parts":2,"shared":1,"batch":32`
	for _, text := range []string{
		"{", "[]", "null", "7", "", `{"a":{` + good + `,"free":4}}`, `{"version":1,"plans":{"a":{` + good + `,"free":4}}}`,
		`{"version":3,"plans":{"a":7}}`, `{"version":3,"plans":{"a":{}}}`, `{"version":3,"plans":{"a":{` + good + `,"free":"4"}}}`,
		`{"version":3,"plans":{"a":{` + good + `,"free":-4}}}`, `{"version":3,"plans":{"a":{` + good + `,"free":1000000000}}}`,
		`{"version":3,"plans":{"a":{` + strings.Replace(good, "2", "1000000000000", 1) + `,"free":4}}}`,
		`{"version":3,"plans":{"a":{` + good + `,"free":4,"listed":true}}}`, strings.Repeat(" ", maxPlansFile+1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if p, err := knownPlan("a", plans, 64); p != nil || err == nil {
			t.Errorf("%+v, %v from %.80s", p, err, text)
		}
		keep()
	}
	for _, link := range []string{"/dev/zero", t.TempDir()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link, path); err != nil {
			t.Skip(err)
		}
		if p, err := knownPlan("a", plans, 64); p != nil || err == nil {
			t.Errorf("%+v, %v from %s", p, err, link)
		}
	}
}

// Processes that keep plans at the same time leave a file that each of them reads.
func TestPlansFileShared(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	plans := plansOf("cpu", batcher.Options{Threads: 2})
	var wait sync.WaitGroup
	for k := range 4 {
		wait.Go(func() {
			for range 10 {
				p := plans[0]
				p.Batch, p.Free = 4+k, 4
				if err := rememberPlan(fmt.Sprint(k), p); err != nil {
					t.Error(err)
				}
				if _, err := knownPlan(fmt.Sprint(k), plans, 64); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// Without a cache folder no plan is kept, and that is no error before one is to be kept.
func TestNoCacheFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ cache, home, want string }{{"", "", "HOME"}, {"relative", "/", "relative"}, {"", "relative", "absolute"},
		{filepath.Join(file, "cache"), "", "directory"}} {
		t.Setenv("XDG_CACHE_HOME", c.cache)
		t.Setenv("HOME", c.home)
		if p, err := knownPlan("a", nil, 64); p != nil || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %+v, %v", c, p, err)
		}
		if err := rememberPlan("a", plan{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}
