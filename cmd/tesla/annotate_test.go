package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/engine"
)

// written returns a folder of the test, and a function that writes a file there and returns its path.
func written(t *testing.T) (folder string, file func(name, text string) string) {
	t.Helper()
	folder = t.TempDir()
	return folder, func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// TestAnnotateCommand checks the contract with scripts: files, exit codes, limits and searchers.
func TestAnnotateCommand(t *testing.T) {
	folder, file := written(t)
	good := file("good.pgn", "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. f3 (1. e4) e5 {c} *\n")
	bad := file("bad.pgn", "[Event \"x\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. f3 f3 *\n\n[Event \"y\"]\n1. e4 *\n")
	out := filepath.Join(folder, "out.pgn")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{good}, exitUsage, "no --out"},
		{[]string{good, "--out", good}, exitUsage, "--out is the file that is read"},
		{[]string{good, "--out", out, "--nodes", "5", "--evals", "5"}, exitUsage, "want one of --nodes, --evals and --movetime"},
		{[]string{good, "--out", out, "--movetime", "0"}, exitUsage, "0s, want more than zero"},
		{[]string{good, "--out", out, "--from", "5", "--to", "4"}, exitUsage, "--to 4 is before --from 5"},
		{[]string{"/nonexistent.pgn", "--out", out}, exitFailure, "nonexistent"},
		{[]string{good, "--out", bad, "--evals", "5"}, exitFailure, "not a file that this command writes"},
		{[]string{bad, "--out", out, "--evals", "5"}, exitFailure, bad + `: game 1 (A - B), line 5, move 1...: move "f3": no legal move fits`},
		{[]string{bad, "--out", out, "--evals", "5", "--backend", "mock", "--skip-bad"}, exitDone, "it goes to " + out + ".bad"},
		{[]string{good, "--out", out, "--movetime", "5ms", "--backend", "mock"}, exitDone, "3 of 3 positions"},
		{[]string{good, "--out", out, "--nodes", "300", "--backend", "nnue", "--search", "lazysmp", "--threads", "1"}, exitDone,
			"2 of 2 moves are judged by the scores alone"},
	} {
		code, _, errOut := run(t, "", append([]string{"annotate"}, c.args...)...)
		if code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: code %d, %s; want %d, %s", c.args, code, errOut, c.code, c.want)
		}
	}
	for _, name := range engine.Searches[1:] {
		code, text, errOut := run(t, "", "annotate", good, "--out", out, "--search", name, "--nodes", "300", "--backend", "mock", "--threads", "1", "--hash", "1", "--json")
		var r struct {
			Games     int
			Summaries []struct{ Sides []struct{ Moves int } }
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil || code != exitDone || r.Games != 1 || r.Summaries[0].Sides[1].Moves != 1 {
			t.Errorf("%s: code %d, %v, %s %s", name, code, err, text, errOut)
		}
		pgn, err := os.ReadFile(out)
		written := strings.Join(strings.Fields(string(pgn)), " ") // lines break anywhere
		if err != nil || !strings.Contains(written, name+", 300 nodes a move") || !strings.Contains(written, " c}") {
			t.Errorf("%s: %v\n%s", name, err, written)
		}
	}
}

// TestSuiteCommand checks the contract with scripts.
func TestSuiteCommand(t *testing.T) {
	_, file := written(t)
	const mate, lost = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; dm 1; id \"m.1\";\n", "6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra8#; id \"m.2\";\n"
	good, bad := file("good.epd", mate+lost), file("bad.epd", mate+"8/8/8/8/8/8/8/8 w - - bm a1;\n\n"+lost+"bm e4;\n")
	code, text, errOut := run(t, "", "suite", good, "--search", "lazysmp,bestfirst", "--nodes", "300", "--backend", "mock", "--threads", "1", "--hash", "1", "--json")
	var r struct {
		Positions, Solved, Points int
		Searches                  []struct {
			Search string
			Solved int
		}
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || code != exitDone || r.Positions != 2 || r.Solved != 1 || r.Points != 1 || len(r.Searches) != 2 ||
		r.Searches[1].Search != "bestfirst" || r.Searches[1].Solved != 1 {
		t.Errorf("code %d, %v, %s %s", code, err, text, errOut)
	}
	for _, want := range []string{"searching with lazysmp on nnue, net ", "searching with bestfirst on mock, net "} {
		if strings.Count(errOut, want) != 1 {
			t.Errorf("%s; want a line %q", errOut, want)
		}
	}
	kept := filepath.Join(filepath.Dir(good), "journal")
	args := []string{"suite", good, "--search", "lazysmp", "--nodes", "300", "--backend", "mock", "--threads", "1", "--hash", "1", "--resume", "--journal", kept}
	if code, _, errOut = run(t, "", args...); code != exitDone {
		t.Fatalf("code %d, %s", code, errOut)
	}
	if info, err := os.Stat(kept); err != nil || os.Truncate(kept, info.Size()-20) != nil {
		t.Fatal(err)
	}
	if code, _, errOut = run(t, "", args...); code != exitDone || !strings.Contains(errOut, "were no whole record and were cut off") {
		t.Errorf("of a damaged end, code %d, %s", code, errOut)
	}
	code, _, errOut = run(t, "", "suite", bad, "--evals", "5", "--backend", "mock")
	for _, want := range []string{bad + ": line 2: ", "line 5: "} {
		if code != exitFailure || !strings.Contains(errOut, want) {
			t.Errorf("code %d, %s; want %s", code, errOut, want)
		}
	}
	for want, args := range map[string][]string{"want one of": {"--search", "lazysmp,guess"}, "want one of --nodes": {"--nodes", "5", "--movetime", "1s"}} {
		if code, _, errOut = run(t, "", append([]string{"suite", good}, args...)...); code != exitUsage || !strings.Contains(errOut, want) {
			t.Errorf("%q: code %d, %s", args, code, errOut)
		}
	}
}
