package speedup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/internal/slow"
)

func TestPositions(t *testing.T) {
	all, err := ParsePositions(BratkoKopec)
	if err != nil || len(all) != 24 {
		t.Fatalf("%d positions, %v", len(all), err)
	}
	moves := 0
	for i := range all {
		moves += len(all[i].Best)
		if len(all[i].Best) == 0 || !strings.HasPrefix(all[i].ID, "BK.") {
			t.Errorf("position %d: %+v", i+1, all[i])
		}
	}
	if moves != 26 || all[0].ID != "BK.01" || !all[0].solvedBy("d6d1") || all[0].solvedBy("d6d2") ||
		all[0].solvedBy("0000") {
		t.Errorf("%d best moves, the first %s %v", moves, all[0].ID, all[0].Best)
	}
}

func TestParsePositions(t *testing.T) {
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - "
	for name, c := range map[string]struct{ text, want string }{
		"empty":      {"# nothing\n\n", "no positions"},
		"board":      {start + "bm e4;\nnonsense w - - bm e4;", "line 2"},
		"move":       {start + "bm e5;", `"e5"`},
		"quotes":     {start + `c0 "a; bm e5"; id "x y"; bm e4 Nf3`, ""},
		"no id":      {start + "bm e4;", ""},
		"unfinished": {start + `id "x`, ""},
	} {
		all, err := ParsePositions(c.text)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if name == "quotes" && (len(all) != 1 || all[0].ID != "x y" || len(all[0].Best) != 2) || name == "no id" &&
			all[0].ID != "1" {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

// measured is a result with round figures: two threads halve the time.
func measured(t *testing.T, baseline bool) *Result {
	t.Helper()
	l := &lab{unit: Evals, path: 32}
	config := l.config(t, baseline, 2, 1, 2)
	config.Work, config.Driver.Note = 64, "fakes all"
	l.outcome = func(base bool, threads int, _ string, work int64) outcome {
		return outcome{took: 4 * time.Second / time.Duration(threads), nodes: work * int64(threads), best: "d6d1"}
	}
	r, err := Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPrint(t *testing.T) {
	for baseline, want := range map[bool][]string{
		true: {"fake: speed-up over PVS\n",
			"POS         evals         PVS       CPU 1       CPU 2         PVS       CPU 1       CPU 2       1       2  Move\n",
			"BK.01          64          64          64         128       4.000       4.000       2.000    1.00    2.00  d6d1!\n",
			"TTL                       128         128         256       8.000       8.000       4.000    1.00    2.00  1\n"},
		false: {"fake: speed-up over fake with one thread\n", "note: fakes all\n", "work: a number of evaluations\n",
			"POS         evals       CPU 1       CPU 2       CPU 1       CPU 2       2  Move\n",
			"AVG                        64         128       4.000       2.000    2.00\n",
			"   2     2.000   2.000 .. 2.000    2.000    1.000      0.0      0.0    100.0   -100.0      0.0      4.0       1\n",
			"baseline solved 1 of 2"},
	} {
		var text strings.Builder
		if err := measured(t, baseline).Print(&text); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(text.String(), line) {
				t.Errorf("baseline %v: no %q in\n%s", baseline, line, text.String())
			}
		}
	}
}

func TestReport(t *testing.T) {
	slow.Test(t)
	folder := filepath.Join(t.TempDir(), "deep", "report")
	r := measured(t, true)
	if err := r.Report(folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"speedup.txt": "TTL", "speedup.json": `"ceiling": 1,`,
		"speedup.svg": "ceiling of the machine"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, no %q", name, err, want)
		}
	}
	if err := r.Report(filepath.Join(folder, "speedup.txt")); err == nil || !strings.Contains(err.Error(), "report") {
		t.Errorf("a file as folder: %v", err)
	}
	r.Runs = r.Runs[:1]
	if err := r.Plot(filepath.Join(folder, "one.png")); err != nil {
		t.Errorf("one number of threads: %v", err)
	}
	if err := r.Plot(filepath.Join(folder, "plot.nonsense")); err == nil || !strings.Contains(err.Error(), "plot") {
		t.Errorf("an unknown kind of picture: %v", err)
	}
}

// TestJSON has the fields that scripts rely on.
func TestJSON(t *testing.T) {
	text, err := json.Marshal(measured(t, true))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Ceiling   *float64
		Positions *int
		Runs      []map[string]float64
	}
	var all map[string]any
	if err := json.Unmarshal(text, &r); err != nil || r.Ceiling == nil || r.Positions == nil || len(r.Runs) != 2 {
		t.Fatalf("%v: %s", err, text)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("search ceiling runs positions backend model commit") {
		if _, ok := all[name]; !ok {
			t.Errorf("no field %s", name)
		}
	}
	for _, name := range strings.Fields("threads nodes seconds speedup geomean low high to so co sy solved") {
		if _, ok := r.Runs[1][name]; !ok {
			t.Errorf("no field %s in runs", name)
		}
	}
}
