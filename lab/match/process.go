package match

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

const (
	// quitTime is what an engine is given to end after it was told to quit.
	quitTime = 2 * time.Second
	// askTime is what it is given after it was asked by the system (SIGTERM), before it is killed.
	askTime = 500 * time.Millisecond
	// killTime is what the system is given to end a killed process.
	killTime = 5 * time.Second
	// drainTime is how long output is awaited after the process has ended: what it started, and what has left its group,
	// may hold the pipes open.
	drainTime = time.Second
	// closedTime is what a process that has closed its output is given to end by itself, so that it can be told how.
	closedTime = 250 * time.Millisecond
	// writeTime is how long a command may wait for an engine that does not read.
	writeTime = 10 * time.Second
)

// process is a program with pipes to its three standard files. Its output is read all the time, by goroutines that
// wait for nobody, so that the program never waits for its reader.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	exited chan struct{} // closed when the program has ended
	ended  chan struct{} // closed when, besides, its output was read to the end
	state  string        // how it ended; after exited
	errors lastWords     // end of its standard error
}

// startProcess starts the program in a group of its own. hear gets its output, chunk by chunk, and complain its
// standard error, both with the time of arrival; the end is an empty chunk. Each is called from one goroutine, and
// never after ended is closed.
func startProcess(name string, args []string, dir string, cores []int,
	hear, complain func(chunk []byte, at time.Time)) (*process, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, args...), exited: make(chan struct{}), ended: make(chan struct{})}
	p.cmd.Dir = dir
	ownGroup(p.cmd)
	var ours, theirs [3]*os.File
	closeAll := func(files [3]*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, fmt.Errorf("pipe: %w", err)
		}
		if ours[i], theirs[i] = r, w; i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	err = startOn(p.cmd, cores)
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	p.stdin = ours[0]
	p.watch(ours[1], ours[2], hear, complain)
	return p, nil
}

// watch reads both outputs and waits for the program.
func (p *process) watch(stdout, stderr *os.File, hear, complain func([]byte, time.Time)) {
	var readers sync.WaitGroup
	readers.Go(func() {
		pump(stdout, hear)
		select { // one that has closed its output cannot play
		case <-p.exited:
		case <-time.After(closedTime):
			killGroup(p.cmd)
		}
	})
	readers.Go(func() {
		pump(stderr, func(chunk []byte, at time.Time) {
			_, _ = p.errors.Write(chunk)
			complain(chunk, at)
		})
	})
	go func() {
		_ = p.cmd.Wait() // its state says it all
		p.state = p.cmd.ProcessState.String()
		close(p.exited)
		killRest(p.cmd)
		held := time.AfterFunc(drainTime, func() {
			stdout.Close()
			stderr.Close()
		})
		readers.Wait()
		held.Stop()
		stdout.Close()
		stderr.Close()
		close(p.ended)
	}()
}

// pump reads until the file ends or is closed. The end is an empty chunk.
func pump(from io.Reader, to func([]byte, time.Time)) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 {
			to(chunk[:n], time.Now())
		}
		if err != nil {
			to(nil, time.Now())
			return
		}
	}
}

// write passes text to the program. A program that does not read fails as one that hangs.
func (p *process) write(text []byte) error {
	_ = p.stdin.SetWriteDeadline(time.Now().Add(writeTime)) // where pipes have none it waits
	_, err := p.stdin.Write(text)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: it does not read what it is told", errHang)
	case err != nil:
		return fmt.Errorf("%w: %w", errCrash, err)
	}
	return nil
}

// kill ends the program at once, and tells whether it is gone.
func (p *process) kill() bool {
	killGroup(p.cmd)
	p.stdin.Close()
	return p.wait(killTime)
}

// wait waits for the end of the program and of its output.
func (p *process) wait(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// quit lets a program that was told to quit end, then asks it, then kills it. It returns what went wrong, empty:
// nothing.
func (p *process) quit() string {
	p.stdin.Close()
	select {
	case <-p.exited:
		if p.wait(drainTime + killTime); !p.cmd.ProcessState.Success() {
			return "after quit it ended with " + p.state
		}
		return ""
	case <-time.After(quitTime):
	}
	askGroup(p.cmd)
	select {
	case <-p.exited:
		p.wait(drainTime + killTime)
		return "it did not quit until it was asked by a signal"
	case <-time.After(askTime):
	}
	if !p.kill() {
		return "it did not quit, and cannot be killed"
	}
	return "it did not quit and was killed"
}
