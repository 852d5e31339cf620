package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Starts, steps and ranges are those declared, unless an argument says otherwise.
func TestFind(t *testing.T) {
	folder := t.TempDir()
	source := "package x\n\nconst (\n\tmargin = 40\n\tratio  = 0.25 // of something\n)\n"
	if err := os.WriteFile(filepath.Join(folder, "x.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	tune := &tuner{player: "search=puct,backend=nnue", folder: folder, regime: "deepened"}
	if err := tune.find([]string{"cpuct", "fpu=0.3:", "choice=0.5:0.1", "margin:10", "ratio:0.05", "temperature=2"}); err != nil {
		t.Fatal(err)
	}
	want := []number{
		{Name: "cpuct", Mean: 0.3, Step: 0.05, most: 10, decimals: 4},
		{Name: "fpu", Mean: 0.3, Step: 0.02, most: 4, decimals: 4},
		{Name: "choice", Mean: 0.5, Step: 0.1, most: 1, decimals: 4},
		{Name: "margin", Mean: 40, Step: 10, decimals: 0},
		{Name: "ratio", Mean: 0.25, Step: 0.05, decimals: 3},
	}
	for i, n := range tune.Numbers {
		if n.Name != want[i].Name || n.Mean != want[i].Mean || n.Step != want[i].Step || n.most != want[i].most || n.decimals != want[i].decimals {
			t.Errorf("%+v, want %+v", *n, want[i])
		}
	}
	if len(tune.Numbers) != len(want) || len(tune.words) != 1 || tune.words[0] != "temperature=2" {
		t.Errorf("%d numbers, fixed %v", len(tune.Numbers), tune.words)
	}
	if v := tune.Numbers[2].clamp(1.2); v != 1 {
		t.Errorf("choice 1.2 is kept at %v, want 1", v)
	}
	if v := tune.Numbers[3].clamp(-5); v != -5 {
		t.Errorf("a constant of -5 is kept at %v", v)
	}
	for _, arg := range []string{"nothing", "margin", "cpuct=x:1", "cpuct:-1", "lcb", "deepen"} {
		if err := tune.find([]string{arg}); err == nil {
			t.Errorf("%s was accepted", arg)
		}
	}
}

// A fleet plays with tunables alone, and with a journal of each step. Without one nothing is said of it.
func TestFleet(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "x.go"), []byte("package x\n\nconst (\n\tmargin = 40\n)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		positions, arg, want string
	}{{"", "margin:10", "a constant needs programs of its own"}, {"games", "cpuct", "no games are played"}, {"", "cpuct", ""}} {
		tune := &tuner{player: "search=puct", folder: folder, regime: "plain", positions: c.positions, fleet: []string{"--fleet", "hub:4222"}, work: "w"}
		err := tune.find([]string{c.arg})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.arg, err, c.want)
		}
		if line := strings.Join(tune.match([2]string{}), " "); !strings.Contains(line, " --fleet hub:4222 --journal "+filepath.Join("w", "step-0.jsonl")) {
			t.Error(line)
		}
		tune.fleet = nil
		if line := strings.Join(tune.match([2]string{}), " "); strings.Contains(line, "fleet") || strings.Contains(line, "journal") {
			t.Error(line)
		}
	}
}

// Tunables are those of the player's search, and none where it names no search.
func TestTunable(t *testing.T) {
	for player, want := range map[string]bool{"backend=nnue": false, "option.Search=puct": false, "search=bestfirst,evals=1": true, "search=lazysmp": false} {
		if got := tunable(player, "LCB") != nil; got != want {
			t.Errorf("%s: LCB is a tunable: %v, want %v", player, got, want)
		}
	}
	var out strings.Builder
	list(&out)
	for _, word := range []string{"bestfirst", "puct", "evidence", "cpuctfactor"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("%s is not listed", word)
		}
	}
}
