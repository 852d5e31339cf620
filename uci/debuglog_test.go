package uci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDebugLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a log.txt")
	g := play(t, config(t))
	g.send("setoption name Debug Log File value "+name, "isready", "go evals 50")
	g.until("bestmove")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"> isready", "< readyok", "> go evals 50", "< bestmove"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the log", want)
		}
	}
}

// A log that cannot be written ends, and says so once.
func TestDebugLogFull(t *testing.T) {
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skip(err)
	}
	g := play(t, config(t))
	g.send("setoption name Debug Log File value "+device, "isready", "go evals 50")
	told := strings.Join(g.until("bestmove"), "\n")
	if strings.Count(told, "Debug Log File") != 1 || !strings.Contains(told, "no space left on device; the log ends") {
		t.Errorf("the session said\n%s", told)
	}
}
