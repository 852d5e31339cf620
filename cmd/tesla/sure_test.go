package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestSureUCI checks that sureness is said where it was asked for and fitted, each time after a report.
func TestSureUCI(t *testing.T) {
	line := regexp.MustCompile(`^info string sure 0\.\d\d( stays 0\.\d\d)? expected [01]\.\d\d to [01]\.\d\d$`)
	for _, search := range []string{"lazysmp", "bestfirst", "puct"} {
		for _, on := range []string{"true", "false"} {
			limit := map[string]string{"lazysmp": "nodes 40000"}[search]
			if limit == "" {
				limit = "evals 60"
			}
			out := converse(t, session(search)+"setoption name UCI_ShowSure value "+on+"\n", "go "+limit, kiwipete)
			lines, said := strings.Split(strings.TrimSpace(out), "\n"), 0
			for i, text := range lines {
				if !strings.HasPrefix(text, "info string sure") {
					continue
				}
				said++
				if !line.MatchString(text) || !strings.HasPrefix(lines[i-1], "info depth") {
					t.Errorf("%s: %q after %q", search, text, lines[i-1])
				}
			}
			if (said > 0) != (on == "true" && search != "puct") || !strings.HasPrefix(lines[len(lines)-1], "bestmove") {
				t.Errorf("%s, %s: said %d times:\n%s", search, on, said, out)
			}
		}
	}
}

// TestAnalyzeSure checks the limit of analyze, and its errors.
func TestAnalyzeSure(t *testing.T) {
	hanging := "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3"
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"--search bestfirst --backend nnue --threads 1 --sure 0.9 --movetime 1m", exitDone, "best f3h4"},
		{"--search bestfirst --backend nnue --threads 1 --sure 0.9999 --evals 30", exitDone, "not as sure as asked: 0."},
		{"--search puct --backend nnue --sure 0.9", exitFailure, "no fit to puct"},
		{"--search bestfirst --backend mock --sure 0.9", exitFailure, "no fit to bestfirst"},
		{"--search lazysmp --sure 95", exitUsage, "want more than 0 and less than 1"},
		{"--search lazysmp --sure 0.9 --multipv 2", exitUsage, "--multipv"},
	} {
		code, out, errOut := run(t, "", append([]string{"analyze", "--fen", hanging}, strings.Fields(c.line)...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%s: code %d\n%s%s", c.line, code, out, errOut)
		}
	}
}

// TestSuiteSure checks that a search of a suite ends when it is as sure as it was asked to be, and is refused where nothing is stated.
func TestSuiteSure(t *testing.T) {
	_, file := written(t)
	hanging := file("hanging.epd", "6k1/5ppp/8/3q4/8/8/1B3PPP/3R2K1 w - - bm Rxd5;\n")
	code, text, errOut := run(t, "", "suite", hanging, "--search", "lazysmp", "--nodes", "400000", "--sure", "0.8", "--threads", "1", "--json")
	var r struct {
		Searches []struct {
			Nodes   int
			Records []struct {
				Solved bool
				Sure   float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil || code != exitDone {
		t.Fatalf("code %d, %v, %s %s", code, err, text, errOut)
	}
	if s := r.Searches[0]; !s.Records[0].Solved || s.Records[0].Sure < 0.8 || s.Nodes >= 400000 {
		t.Errorf("%+v; want it solved for less than the limit, and so sure", s)
	}
	code, _, errOut = run(t, "", "suite", hanging, "--search", "lazysmp,puct", "--sure", "0.8")
	if code != exitFailure || !strings.Contains(errOut, "no fit to puct") || strings.Contains(errOut, "searching with lazysmp") {
		t.Errorf("code %d, %s", code, errOut)
	}
	if _, _, errOut = run(t, "", "suite", hanging, "--search", "lazysmp", "--nodes", "50", "--syzygy", "/nonexistent"); !strings.Contains(errOut, "tables: open /nonexistent") {
		t.Errorf("tables are missing without a word: %s", errOut)
	}
}
