package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// matchSignals are the phases of a match in which the first signal must end it.
var matchSignals = []struct {
	name, line string
	ready      string // file that is there in the phase
}{
	{"an engine is started", "--a {deaf} --b {m}", "deaf.busy"},
	{"an engine begins a game", "--a {unready} --b {m}", "unready.busy"},
	{"in a game", "--a {thinking} --b {m} --games 4 --tc 1000", "thinking.busy"},
	{"between games", "{mock} --games 100000 --pgn {dir}/new.pgn", "new.pgn"},
	{"nobody reads the output", "{mock} --games 100000 --pgn {dir}/new.pgn", "new.pgn"},
}

// The first signal ends a match within seconds, whatever it waits for, with exit code 1 and nothing left behind.
func TestMatchSignals(t *testing.T) {
	for i, c := range matchSignals {
		t.Run(c.name, func(t *testing.T) {
			slowTest(t, c.name == "nobody reads the output")
			t.Parallel()
			dir := matchFolder(t)
			ours, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			blocked := c.name == "nobody reads the output"
			if blocked {
				if _, err := unix.FcntlInt(theirs.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
					t.Skip(err)
				}
			}
			m := exec.Command(os.Args[0], matchLine(dir, c.line)...)
			var errOut bytes.Buffer
			m.Stdout, m.Stderr = theirs, &errOut
			if err := m.Start(); err != nil {
				t.Fatal(err)
			}
			theirs.Close()
			if !blocked {
				go func() { _, _ = bytes.NewBuffer(nil).ReadFrom(ours) }()
			}
			waitFor(t, filepath.Join(dir, c.ready), blocked)
			begun := time.Now()
			if err := m.Process.Signal([]os.Signal{unix.SIGINT, unix.SIGTERM}[i%2]); err != nil {
				t.Fatal(err)
			}
			_ = m.Wait() // the exit code is looked at
			if took := time.Since(begun); took > 15*time.Second || m.ProcessState.ExitCode() != exitFailure || !strings.Contains(errOut.String(), "interrupted") {
				t.Errorf("%v after %v: %s", m.ProcessState, took, &errOut)
			}
			checkProcesses(t, dir)
		})
	}
}

// waitFor waits until a file is there and, where asked to, does not grow any more.
func waitFor(t *testing.T, path string, still bool) {
	t.Helper()
	size := int64(-1)
	for range 600 {
		info, err := os.Stat(path)
		if err == nil && (!still || info.Size() > 0 && info.Size() == size) {
			return
		}
		if err == nil {
			size = info.Size()
			time.Sleep(400 * time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s is not there, or grows for ever", path)
}
