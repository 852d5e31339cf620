package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/bestfirst"
	"tesla/engine"
	"tesla/lab/bench"
)

// The fit that calibrate writes beside a net is the one that the net is searched with.
func TestCalibrate(t *testing.T) {
	net, err := os.ReadFile("../../models/nnue.tesla")
	if err != nil {
		t.Fatal(err)
	}
	weights := filepath.Join(t.TempDir(), "net.tesla")
	if err := os.WriteFile(weights, net, 0o600); err != nil {
		t.Fatal(err)
	}
	plot := filepath.Join(t.TempDir(), "plot.png")
	code, out, errOut := run(t, "", "calibrate", "--backend", "nnue", "--weights", weights, "--threads", "1", "--searches", "5",
		"--evals", "100", "--plot", plot)
	if code != exitDone || !strings.Contains(out, "promotions logged") {
		t.Fatalf("code %d: %s %s", code, out, errOut)
	}
	if _, err := os.Stat(plot); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(engine.FitFile(weights))
	if err != nil {
		t.Fatal(err)
	}
	want, err := bestfirst.ReadFit(text)
	if err != nil || want.Net == "" {
		t.Fatalf("net %q, %v", want.Net, err)
	}
	benched := func() (r bench.Result) {
		code, out, errOut := run(t, "", "bench", "--backend", "nnue", "--weights", weights, "--threads", "1", "--evals", "10", "--json")
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone {
			t.Fatalf("code %d, %v: %s", code, err, errOut)
		}
		return r
	}
	with := benched()
	if err := os.Remove(engine.FitFile(weights)); err != nil {
		t.Fatal(err)
	}
	if without := benched(); with.Signature == without.Signature {
		t.Errorf("signature %d with and without the fit beside the net", with.Signature)
	}
	for _, bad := range []string{"{}", "[1]", `{"power":-1}`} {
		if err := os.WriteFile(engine.FitFile(weights), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errOut := run(t, "", "bench", "--backend", "nnue", "--weights", weights, "--evals", "5")
		if code != exitFailure || !strings.Contains(errOut, "fit.json") {
			t.Errorf("%s: code %d, %q", bad, code, errOut)
		}
	}
}
