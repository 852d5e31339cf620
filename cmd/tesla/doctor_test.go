package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tesla/batcher"
	engines "tesla/engine"
	"tesla/models"
	"tesla/uci"
)

// slightlyOff is a backend whose value is a little more than its tolerance off, in every tenth position.
type slightlyOff struct{ batcher.Backend }

func (s slightlyOff) Evaluate(items []*batcher.Item) error {
	err := s.Backend.Evaluate(items)
	for i := 0; i < len(items); i += 10 {
		items[i].Eval.W, items[i].Eval.L = items[i].Eval.W-0.01, items[i].Eval.L+0.01
	}
	return err
}

// Backends that work are verified; doctor then ends with exit code 0.
func TestDoctorVerify(t *testing.T) {
	var out, errOut strings.Builder
	if code := execute([]string{"doctor", "--verify", "--json"}, strings.NewReader(""), &out, &errOut); code != exitDone {
		t.Fatalf("exit code %d: %s%s", code, out.String(), errOut.String())
	}
	var r doctorResult
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	verified := map[string]bool{}
	for _, v := range r.Verified {
		verified[v.Backend] = v.OK && v.Positions == 32 && v.Tolerance.Value > 0
	}
	for _, b := range r.Backends {
		if b.OK && b.Name != "mock" && !verified[b.Name] {
			t.Errorf("backend %s opens and is not verified: %s", b.Name, out.String())
		}
	}
}

// A backend that lies by a little is named, with the difference and the tolerance, and the exit code is 1.
func TestDoctorFindsLies(t *testing.T) {
	o := doctorOptions{verify: true, open: func(name string) (batcher.Backend, models.Net, error) {
		b, net, _, err := engines.OpenBackend(uci.Settings{Backend: name}, batcher.Options{})
		return slightlyOff{b}, net, err
	}}
	var out strings.Builder
	err := o.run(&out)
	if use := (usageError{}); err == nil || errors.As(err, &use) { // which execute would make another exit code of
		t.Fatalf("%v, want a failure", err)
	}
	if !strings.Contains(err.Error(), "backend nnue differs from the reference") {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "WRONG") || !strings.Contains(out.String(), "(tolerance 0.001)") {
		t.Errorf("no difference and tolerance in %s", out.String())
	}
}
