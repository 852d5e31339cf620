package main

import (
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
		{"--search lazysmp --sure 95", exitUsage, "between 0 and 1"},
		{"--search lazysmp --sure 0.9 --multipv 2", exitUsage, "--multipv"},
	} {
		code, out, errOut := run(t, "", append([]string{"analyze", "--fen", hanging}, strings.Fields(c.line)...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%s: code %d\n%s%s", c.line, code, out, errOut)
		}
	}
}
