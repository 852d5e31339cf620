//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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

// A run that is killed, or whose disk is full, leaves whole games, and goes on from them: the file is that of an undisturbed run. A
// second writer is refused. With TESLA_LONG it is killed twenty times, at any moment.
func TestKilledDatagen(t *testing.T) {
	slowTest(t, true)
	kills, games, dir := 1, 600, t.TempDir()
	if os.Getenv("TESLA_LONG") != "" {
		kills, games = 20, 4000
	}
	path, whole := filepath.Join(dir, "games"), filepath.Join(dir, "whole")
	args := []string{"datagen", "--player", "search=lazysmp,nodes=50", "--games", strconv.Itoa(games), "--plies", "20", "--concurrency", "1", "--out"}
	if code, _, errOut := run(t, "", append(args, whole)...); code != exitDone {
		t.Fatalf("exit code %d, %s", code, errOut)
	}
	args = append(args, path, "--resume")
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0 // it is not there yet
		}
		return info.Size()
	}
	for i := range kills {
		c, errOut := process(t, args)
		before := size()
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); size() < before+2000 && time.Since(begun) < mostTime; {
			time.Sleep(5 * time.Millisecond)
		}
		if i == 0 {
			if code, _, errOut := run(t, "", args...); code != exitFailure || !strings.Contains(errOut, "another process") {
				t.Errorf("a second writer: exit code %d, %s", code, errOut)
			}
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
		t.Logf("kill %d: %v, %d bytes are there", i+1, c.ProcessState, size())
		if c.ProcessState.Exited() {
			t.Fatalf("it ended by itself: %v, %s", c.ProcessState, errOut)
		}
	}
	full, errOut := process(t, nil)
	full.Path, full.Args = "/bin/sh", append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, size()>>9+4), full.Path}, args...)
	if err := full.Run(); full.ProcessState.ExitCode() != exitFailure || !strings.Contains(errOut.String(), "too large") {
		t.Errorf("a full disk: %v, %s", err, errOut)
	}
	if code, _, errOut := run(t, "", args...); code != exitDone {
		t.Errorf("exit code %d, %s", code, errOut)
	}
	want, errWhole := os.ReadFile(whole)
	got, err := os.ReadFile(path)
	if err = errors.Join(err, errWhole); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, an undisturbed run writes %d; %v", len(got), len(want), err)
	}
	if code, out, errOut := run(t, "", "datagen", "--stats", path); code != exitDone || !strings.Contains(out, fmt.Sprintf("games %d (", games)) {
		t.Errorf("exit code %d, %s, %s", code, out, errOut)
	}
}
