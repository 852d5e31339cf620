package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tesla/lab/speedup"
)

func TestDefaultThreads(t *testing.T) {
	for cores, want := range map[int][]int{1: {1}, 2: {1, 2}, 6: {1, 2, 4, 6}, 8: {1, 2, 4, 8}} {
		if got := speedup.DefaultThreads(cores); !slices.Equal(got, want) {
			t.Errorf("%d cores: %v, want %v", cores, got, want)
		}
	}
}

func TestSpeedupRefusals(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(notes, []byte("my notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--search minimax":           "want one of auto, bestfirst",
		"--search pvsplit --evals 5": "use --depth",
		"--search-options depth=9":   "no option",
		"--backend abacus":           "want one of auto",
		"--threads 0":                "threads 0",
		"--threads 2,1":              "1 after 2",
		"--threads 1,2,2":            "2 twice",
		"--threads 1,,2":             "threads",
		"--threads two":              "threads",
		"--repeat 0":                 "repeat 0",
		"--hash 0":                   "0 is not in 1..33554432",
		"--time 0s":                  "time limit",
		"--depth 7":                  "use --evals",
		"--evals 0":                  "at least 1",
		"--evals -5":                 "at least 1",
		"--resume":                   "journal",
		"--simulate":                 "--simulate replays pvsplit or jamboree",
		"--message -1us":             "negative",
		"extra":                      "an argument too many",
		"--journal " + notes:         "exists",
	} {
		all := append([]string{"speedup", "--backend", "mock"}, strings.Fields(args)...)
		code, out, errOut := run(t, "", all...)
		if code != exitUsage || out != "" || !strings.Contains(errOut, want) {
			t.Errorf("%s: code %d, %q, %q; want %q", args, code, out, errOut, want)
		}
	}
	if text, err := os.ReadFile(notes); err != nil || string(text) != "my notes\n" {
		t.Errorf("%v: the file is now %q", err, text)
	}
}

// TestSpeedup measures in small, resumes what is complete, and refuses to go on with another configuration.
func TestSpeedup(t *testing.T) {
	folder := t.TempDir()
	journal, report := filepath.Join(folder, "journal"), filepath.Join(folder, "report")
	args := []string{"speedup", "--backend", "mock", "--threads", "1,2", "--repeat", "1", "--evals", "32", "--hash", "1", "--journal", journal}
	code, out, errOut := run(t, "", append(args, "--report", report, "--json")...)
	var r speedup.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone {
		t.Fatalf("code %d, %v: %s %s", code, err, out, errOut)
	}
	if r.Positions != 24 || len(r.Runs) != 2 || r.Search != "bestfirst" || r.Backend != "mock" || r.Runs[1].SO != 0 ||
		r.Runs[1].Nodes != r.Base.Nodes || r.Runs[1].Ceiling <= 0 || r.Runs[1].Short != 0 || strings.Count(errOut, "\n") != 24 {
		t.Errorf("%+v %s", r, errOut)
	}
	for _, name := range []string{"speedup.txt", "speedup.json", "speedup.svg"} {
		if _, err := os.Stat(filepath.Join(report, name)); err != nil {
			t.Error(err)
		}
	}
	before, err := os.ReadFile(journal)
	if err != nil || bytes.Count(before, []byte{'\n'}) != 1+24*3 {
		t.Fatalf("%v: journal %s", err, before)
	}
	code, again, errOut := run(t, "", append(args, "--resume", "--json")...)
	if code != exitDone || again != out {
		t.Errorf("resumed: code %d, %s %s", code, again, errOut)
	}
	code, out, errOut = run(t, "", append(args, "--resume", "--hash", "2")...)
	if code != exitUsage || out != "" || !strings.Contains(errOut, "hash is 1 there and 2 here") {
		t.Errorf("another configuration: code %d, %s %s", code, out, errOut)
	}
	if after, err := os.ReadFile(journal); err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v: the journal changed", err)
	}
}

// TestSpeedupInterrupt interrupts a measurement of seconds: the finished part is printed, and is in the journal.
func TestSpeedupInterrupt(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(t.TempDir(), "journal")
	stop := make(chan error, 1)
	go func() {
		for range 2000 {
			time.Sleep(10 * time.Millisecond)
			if text, err := os.ReadFile(journal); err == nil && bytes.Count(text, []byte{'\n'}) > 5 {
				break
			}
		}
		stop <- self.Signal(os.Interrupt)
	}()
	code, out, errOut := run(t, "", "speedup", "--backend", "mock", "--threads", "1", "--repeat", "2", "--evals", "20000", "--hash", "1",
		"--journal", journal)
	if err := <-stop; err != nil {
		t.Fatal(err)
	}
	if code != exitFailure || !strings.Contains(errOut, "--resume goes on with it") || !strings.Contains(out, "TTL") {
		t.Errorf("code %d, %s %s", code, out, errOut)
	}
	text, err := os.ReadFile(journal)
	if n := bytes.Count(text, []byte{'\n'}); err != nil || n < 6 || n > 48 || !bytes.HasSuffix(text, []byte{'\n'}) {
		t.Errorf("%v: journal %s", err, text)
	}
}

// TestSpeedupSimulate replays small trees: the same command gives the same object, whatever the machine does.
func TestSpeedupSimulate(t *testing.T) {
	args := []string{"speedup", "--simulate", "--backend", "nnue", "--search", "jamboree", "--depth", "5", "--node", "1us", "--hash", "1"}
	code, out, errOut := run(t, "", append(args, "--json")...)
	var s speedup.Simulation
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != exitDone {
		t.Fatalf("code %d, %v: %s %s", code, err, out, errOut)
	}
	if len(s.Runs) != 6 || s.Path <= 0 || s.Path >= s.Work || s.Node != 1e-6 || s.Message != 2e-6 || strings.Count(errOut, "\n") != 24 {
		t.Errorf("%+v %s", s, errOut)
	}
	for _, r := range s.Runs {
		if r.Greedy.Speedup <= 1 || r.Offers.Speedup <= 1 || r.Offers.Messages == 0 || r.Offers.Idle <= 0 {
			t.Errorf("%+v", r)
		}
	}
	if code, again, errOut := run(t, "", append(args, "--json")...); code != exitDone || again != out {
		t.Errorf("again: code %d, %s %s", code, again, errOut)
	}
	if code, out, _ := run(t, "", append(args, "--threads", "1,3")...); code != exitDone || !strings.Contains(out, "1     1.00     1.00     1.00      0.0") {
		t.Errorf("the table: code %d, %s", code, out)
	}
}
