package client

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"tesla/internal/cores"
)

const (
	// quitTime is how long an engine may take to end after quit.
	quitTime = 2 * time.Second
	// termTime is how long it may then take to end after SIGTERM, before it is killed.
	termTime = 500 * time.Millisecond
	// killTime is how long the system may take to end a killed process.
	killTime = 5 * time.Second
	// drainTime is how long output is read after the process has ended: a child that has left its group may hold the
	// pipes open.
	drainTime = time.Second
	// closedTime is how long a process that has closed its output may take to end by itself, so that its exit status
	// can be reported.
	closedTime = 250 * time.Millisecond
	// writeTime is how long a command may wait for an engine that does not read.
	writeTime = 10 * time.Second
)

// process is a program with pipes to its three standard files. Goroutines that wait for nothing else read its output,
// so that the program never waits for its reader.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	exited chan struct{} // closed when the program has ended
	ended  chan struct{} // closed when its output has been read to the end as well
	state  string        // how it ended; valid once exited is closed
	errors lastWords     // end of its standard error
}

// startProcess starts the program in a process group of its own. hear gets its output in chunks and complain its
// standard error, both with the time of arrival; an empty chunk is the end. Each is called from one goroutine, and
// never after ended is closed.
func startProcess(c *Config, hear, complain func(chunk []byte, at time.Time)) (*process, error) {
	path, err := exec.LookPath(c.Path)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(path, c.Args...), exited: make(chan struct{}), ended: make(chan struct{})}
	p.cmd.Dir = c.Dir
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
	err = startOn(p.cmd, c.Cores)
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
		select { // an engine that has closed its output cannot answer any more
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
		_ = p.cmd.Wait() // ProcessState has more than the error
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

// pump reads until the file ends or is closed, and then passes an empty chunk.
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

// write passes text to the program. A program that does not read it within writeTime hangs.
func (p *process) write(text []byte) error {
	_ = p.stdin.SetWriteDeadline(time.Now().Add(writeTime)) // where pipes have no deadlines, write blocks
	_, err := p.stdin.Write(text)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: input not read", ErrHang)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrCrash, err)
	}
	return nil
}

// kill ends the program at once and reports whether it is gone.
func (p *process) kill() bool {
	killGroup(p.cmd)
	p.stdin.Close()
	return p.wait(killTime)
}

// wait waits for the end of the program and of its output, and reports whether both came within the limit.
func (p *process) wait(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// quit waits for a program that was told to quit. It sends SIGTERM to one that does not end, and then kills it. It
// returns what went wrong, empty if nothing did.
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
	terminateGroup(p.cmd)
	select {
	case <-p.exited:
		p.wait(drainTime + killTime)
		return "it did not end at quit, only at SIGTERM"
	case <-time.After(termTime):
	}
	if !p.kill() {
		return "it did not end at quit, and cannot be killed"
	}
	return "it did not end at quit and was killed"
}

// startOn starts the command on the given cores, or on any if none are given. A process inherits the cores of the
// thread that starts it, so that every thread of the engine runs there from its start. To set the cores of a running
// process would race with the threads that it creates.
func startOn(cmd *exec.Cmd, on []int) error {
	if len(on) == 0 {
		return cmd.Start()
	}
	done := make(chan error, 1)
	go func() { // of its own: a thread whose cores cannot be restored ends with it
		release, err := cores.Pin(on)
		if err == nil {
			err = cmd.Start()
			release()
		}
		done <- err
	}()
	return <-done
}
