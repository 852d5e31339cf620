package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"tesla/engine"
)

// soakVariable is how long TestSoak searches at full speed; 10,000 cycles of go and stop follow. Without it both are
// short.
const soakVariable = "TESLA_SOAK"

// gui talks to an engine of this process.
type gui struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Scanner
	ends chan int // the exit code
}

func newGUI(t *testing.T) *gui {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	g := &gui{t: t, in: inWrite, out: bufio.NewScanner(outRead), ends: make(chan int, 1)}
	go func() {
		g.ends <- execute([]string{}, inRead, outWrite, outWrite)
		outWrite.Close()
	}()
	return g
}

func (g *gui) say(format string, args ...any) {
	if _, err := fmt.Fprintf(g.in, format+"\n", args...); err != nil {
		g.t.Fatal(err)
	}
}

// hear reads to a line that begins with a word. What the engine complains of fails the test.
func (g *gui) hear(word string) string {
	for g.out.Scan() {
		if line := g.out.Text(); strings.HasPrefix(line, word) {
			return line
		} else if strings.Contains(line, "error") {
			g.t.Fatal(line)
		}
	}
	g.t.Fatalf("the engine ended before it said %s: %v", word, g.out.Err())
	return ""
}

// footprint is what a process holds.
type footprint struct {
	goroutines, threads int
	heap, resident      int64 // bytes
}

func measureFootprint(t *testing.T) (f footprint) {
	debug.FreeOSMemory() // what is free is not resident: when Go gives it back is not what is measured
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.goroutines, f.heap = runtime.NumGoroutine(), int64(m.HeapAlloc)
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		n, _ := strconv.ParseInt(strings.Fields(value + " 0")[0], 10, 64)
		switch name {
		case "Threads":
			f.threads = int(n)
		case "VmRSS":
			f.resident = n << 10
		}
	}
	return f
}

// grew says what a process holds more of than it did, if that is too much.
func (f footprint) grew(was footprint) string {
	switch {
	case f.goroutines > was.goroutines:
		return "goroutines"
	case f.threads > was.threads+4: // Go starts a few as it needs them
		return "threads"
	case f.heap > was.heap+8<<20:
		return "heap"
	case f.resident > was.resident+64<<20:
		return "resident memory"
	}
	return ""
}

// A long search at full speed, and many short ones, leave nothing behind.
func TestSoak(t *testing.T) {
	long, cycles := 2*time.Second, 240
	if text := os.Getenv(soakVariable); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatalf("%s: %v", soakVariable, err)
		}
		cycles = 10008
	} else if testing.Short() {
		t.Skip("a soak under the race detector is of no use")
	}
	g := newGUI(t)
	g.say("setoption name Backend value mock\nsetoption name Hash value 16\nsetoption name TreeMemory value 32")
	check := func(what string, was footprint) {
		t.Helper()
		now := measureFootprint(t)
		t.Logf("%s: %+v, before: %+v", what, now, was)
		if grew := now.grew(was); grew != "" {
			t.Errorf("%s: %s grew", what, grew)
		}
	}

	g.say("go infinite")
	time.Sleep(long / 4) // the tree fills its memory
	was, first := measureFootprint(t), time.Now()
	time.Sleep(long - long/4)
	g.say("stop")
	g.hear("bestmove")
	check(fmt.Sprintf("%v of search", time.Since(first).Round(time.Second)), was)

	for i := range cycles {
		if i == cycles/2 {
			was = measureFootprint(t)
		}
		if part := cycles / 24; i%part == 0 { // now and then everything is made anew; both halves end with it
			n := i / part % 12
			g.say("setoption name Search value %s\nsetoption name BatchSize value %d\nsetoption name Hash value %d",
				engine.Searches[n%len(engine.Searches)], 1+n%12, 1+n%4)
		}
		g.cycle(i)
	}
	check(fmt.Sprintf("%d cycles", cycles), was)
	g.say("quit")
	if code := <-g.ends; code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

// cycle is the i-th of many short searches, of all kinds.
func (g *gui) cycle(i int) {
	if i%25 == 0 {
		g.say("ucinewgame")
	}
	g.say("position startpos moves %s", []string{"e2e4", "d2d4 d7d5", "g1f3 g8f6 c2c4", "e2e4 c7c5 g1f3"}[i%4])
	switch i % 5 {
	case 0:
		g.say("go infinite\nstop")
	case 1:
		g.say("go movetime 1")
	case 2:
		g.say("go nodes 100")
	case 3:
		g.say("go ponder wtime 100 btime 100\nponderhit\nstop")
	case 4:
		g.say("go infinite")
		g.hear("info")
		g.say("stop")
	}
	g.hear("bestmove")
}
