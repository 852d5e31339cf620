//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tesla/uci/client/clienttest"
)

// process is a command line in a process of its own.
func process(t *testing.T, args []string) (c *exec.Cmd, errOut *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	errOut = &bytes.Buffer{}
	c = exec.Command(self, args...)
	c.Stderr = errOut
	return c, errOut
}

// hangingEngine is a UCI engine whose searches never end.
const hangingEngine = `#!/bin/sh
while read -r word rest; do
	case $word in
	uci) echo uciok ;;
	isready) echo readyok ;;
	go) exec sleep 60 ;;
	quit) exit ;;
	esac
done
`

// longLines are commands that work for longer than a test, with the engine {engine}, which hangs.
var longLines = []string{
	"analyze --backend mock --movetime 1h", "bench --backend mock --evals 100000000", "perft 30", "backendbench --backend mock --time 1h",
	"calibrate --backend mock --searches 1000000 --out {dir}/fit", "speedup --search lazysmp --threads 1 --depth 40 --journal {dir}/speedup.journal",
	"match --a search=lazysmp,nodes=2000 --b search=lazysmp,nodes=1000 --games 100000 --concurrency 1 --journal {dir}/match.journal --pgn {dir}/match.pgn",
	"match --a name=x,cmd={engine} --b search=lazysmp,nodes=1000 --tc 1000 --games 2",
	"datagen --player search=lazysmp,nodes=200 --games 1000000 --concurrency 1 --out {dir}/search.games",
	"datagen --player cmd={engine},nodes=200 --games 1000 --concurrency 1 --out {dir}/engine.games",
	"regret --player search=lazysmp,nodes=100 --player search=bestfirst,backend=mock,evals=20 --from {dir}/from.games --positions 30 --within 1000" +
		" --judge cmd={engine},nodes=1000 --verdicts {dir}/verdicts",
	"tablebase gen --pieces 4 --out {dir}/tables", "serve --backend cpu --listen 127.0.0.1:0",
}

// A signal ends every command at work within seconds, with exit code 1, whatever it waits for.
func TestSignals(t *testing.T) {
	slowTest(t, true)
	engine := filepath.Join(t.TempDir(), "engine")
	if err := clienttest.WriteScript(engine, hangingEngine); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for _, line := range longLines {
		dir := failureFolder(t)
		c, errOut := process(t, failureLine(t, strings.ReplaceAll(line, "{engine}", engine), "", dir))
		ready := filepath.Join(dir, "ready")
		c.Env = append(os.Environ(), readyVariable+"="+ready)
		wait.Go(func() {
			if err := c.Start(); err != nil {
				t.Error(err)
				return
			}
			atWork(c.Process.Pid, ready)
			begun, ended := time.Now(), make(chan struct{})
			go func() {
				_ = c.Wait()
				close(ended)
			}()
			for waiting := true; waiting; {
				_ = c.Process.Signal(syscall.SIGTERM) // again, since one that comes before the command has begun is lost
				select {
				case <-ended:
					waiting = false
				case <-time.After(100 * time.Millisecond):
					if time.Since(begun) > mostTime {
						_ = c.Process.Kill()
					}
				}
			}
			state, took := c.ProcessState, time.Since(begun)
			t.Logf("%s: %v after %v: %s", strings.Fields(line)[0], state, took.Round(time.Millisecond), lastLine(errOut.String()))
			served := strings.HasPrefix(line, "serve") && state.Success() // its end is asked for by a signal
			if !served && state.ExitCode() != exitFailure {
				t.Errorf("%s: %v, %v after the signal: %s", line, state, took, errOut.String())
			}
		})
	}
	wait.Wait()
}

// mostTime is how long a command may take to begin and to end on a busy machine. What waits for a device waits for ever.
const mostTime = 30 * time.Second

// atWork waits until a process has begun and has computed for a while, or had the time to.
func atWork(pid int, ready string) {
	const ticks, most = 30, 2 * time.Second // hundredths of a second
	for begun, start := time.Now(), time.Now(); time.Since(begun) < most && time.Since(start) < 2*mostTime; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ready); err != nil {
			begun = time.Now()
			continue
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // on other systems there is none
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 13 {
			continue
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		if user+system > ticks {
			return
		}
	}
}

// A run that is killed, or whose disk is full, leaves whole games, and goes on from them. A second writer is refused.
func TestKilledDatagen(t *testing.T) {
	slowTest(t, true)
	path := filepath.Join(t.TempDir(), "games")
	args := []string{"datagen", "--player", "search=lazysmp,nodes=50", "--games", "400", "--plies", "20", "--concurrency", "1", "--resume", "--out", path}
	c, _ := process(t, args)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > 2000 {
			break
		}
	}
	if code, _, errOut := run(t, "", args...); code != exitFailure || !strings.Contains(errOut, "another process") {
		t.Errorf("a second writer: exit code %d, %s", code, errOut)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	full, errOut := process(t, nil)
	full.Path, full.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 16; exec "$0" "$@"`, full.Path}, args...)
	if err := full.Run(); full.ProcessState.ExitCode() != exitFailure || !strings.Contains(errOut.String(), "too large") {
		t.Errorf("a full disk: %v, %s", err, errOut)
	}
	if code, _, errOut := run(t, "", args...); code != exitDone {
		t.Errorf("exit code %d, %s", code, errOut)
	}
	if code, out, errOut := run(t, "", "datagen", "--stats", path); code != exitDone || !strings.Contains(out, "games 400 (") {
		t.Errorf("exit code %d, %s, %s", code, out, errOut)
	}
}
