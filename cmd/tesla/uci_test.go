package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// ordinary are the lines of text that a search writes: its settings, and its evaluations.
var ordinary = regexp.MustCompile(`(?m)^info string (searching with|evaluations) .*\n?`)

// firstStart starts the engine where nothing is kept from an earlier start, and returns how long the first moves took
// after readyok.
func firstStart(t *testing.T, options ...string) (clocked, fixed time.Duration) {
	t.Helper()
	if cache, err := os.UserCacheDir(); err == nil {
		if found, _ := filepath.Glob(filepath.Join(cache, "tesla", "onnxruntime-*", "libonnxruntime.so.1")); len(found) > 0 {
			t.Setenv("TESLA_ONNXRUNTIME", found[0])
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	g := newGUI(t)
	for _, o := range options {
		g.say("setoption name %s", o)
	}
	g.say("isready")
	g.hear("readyok")
	ask := func(limits string) time.Duration {
		begun := time.Now()
		g.say("position startpos\ngo %s", limits)
		for g.out.Scan() && !strings.HasPrefix(g.out.Text(), "bestmove ") {
			if strings.HasPrefix(g.out.Text(), "info string") && !ordinary.MatchString(g.out.Text()) {
				t.Errorf("after readyok: %s", g.out.Text())
			}
		}
		return time.Since(begun)
	}
	clocked, fixed = ask("wtime 300 btime 300 winc 0 binc 0"), ask("movetime 100")
	g.say("quit")
	for g.out.Scan() {
		t.Errorf("after quit: %s", g.out.Text())
	}
	if code := <-g.ends; code != exitDone {
		t.Errorf("exit code %d", code)
	}
	return clocked, fixed
}

// After readyok a move is made in time, also at the very first start on a machine. A machine that is busy has three
// tries.
func TestReadyAtFirstStart(t *testing.T) {
	for _, option := range []string{"Backend value auto", "Backend value cpu"} {
		for try := 1; ; try++ {
			clocked, fixed := firstStart(t, option)
			if clocked < 300*time.Millisecond && fixed < 150*time.Millisecond {
				break
			}
			if try == 3 {
				t.Errorf("%s: go wtime 300 took %v, go movetime 100 took %v", option, clocked, fixed)
				break
			}
		}
	}
}

// A net file that is missing does not keep readyok back, and the move comes in time.
func TestReadyWithoutNet(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.tesla")
	code, out, errOut := run(t, "setoption name Backend value nnue\nsetoption name WeightsFile value "+missing+"\nisready\ngo movetime 20\n")
	before, after, ready := strings.Cut(out, "readyok\n")
	if code != exitDone || !ready || !strings.Contains(before, "info string error: backend nnue: ") || !strings.Contains(before, "none.tesla") ||
		strings.Contains(ordinary.ReplaceAllString(after, ""), "info string") || strings.Count(after, "bestmove ") != 1 {
		t.Errorf("code %d, %s %s", code, out, errOut)
	}
}

// A position that is refused is not answered by a move of another, by the real engine.
func TestUCIRefusedPosition(t *testing.T) {
	in := "setoption name Backend value nnue\nposition startpos moves e2e4\nposition fen 8/8/8/8/8/8/8/8 w - - 0 1\ngo movetime 20\neval\nd\ngo perft 1\n"
	code, out, _ := run(t, in)
	if code != exitDone || strings.Count(out, "bestmove ") != 1 || !strings.Contains(out, "bestmove 0000\n") ||
		strings.Count(out, "there is no position: the last one was refused") != 4 {
		t.Errorf("code %d, %s", code, out)
	}
}

// Without options a start says one line: what plays, and that it is the strongest here. Nothing is said about backends that
// this machine does not have.
func TestStartSaysOneLine(t *testing.T) {
	t.Setenv("TESLA_ONNXRUNTIME", filepath.Join(t.TempDir(), "none.so"))
	g := newGUI(t)
	g.say("isready")
	var said []string
	for g.out.Scan() && g.out.Text() != "readyok" {
		said = append(said, g.out.Text())
	}
	want := regexp.MustCompile(`^info string backend nnue, net nnue [0-9a-f]{12}, [0-9]+ threads: the strongest here, tesla doctor lists all$`)
	if len(said) != 1 || !want.MatchString(said[0]) {
		t.Errorf("%q", said)
	}
	g.say("quit")
	if code := <-g.ends; code != exitDone {
		t.Errorf("exit code %d", code)
	}
}
