package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// programVariable names the program that the tests of whole UCI sessions run. Without it they run this one.
const programVariable = "TESLA_PROGRAM"

// searchers are the values of the option Search.
var searchers = []string{"bestfirst", "puct", "lazysmp", "mtdf", "pvsplit", "jamboree"}

// program is the engine as a process of its own.
type program struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan printed // closes at the end of its output
	stderr tail
}

// printed is a line of the engine, and the time when it was read.
type printed struct {
	text string
	at   time.Time
}

// tail keeps the end of what is written to it. The process writes while the test reads.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (w *tail) Write(p []byte) (int, error) {
	const most = 4096
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-most):]
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(bytes.TrimSpace(w.text))
}

// startProgram starts the engine, or a command. It is killed at the end of the test if it still runs.
func startProgram(t *testing.T, args ...string) *program {
	t.Helper()
	path := os.Getenv(programVariable)
	if path == "" {
		var err error
		if path, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	p := &program{cmd: exec.Command(path, args...), lines: make(chan printed, 1<<14)}
	p.cmd.Env = append(os.Environ(), teslaVariable+"=1")
	p.cmd.Stderr = &p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in = in
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	go func() {
		defer close(p.lines)
		for r := bufio.NewReader(out); ; {
			text, err := r.ReadString('\n')
			if text != "" {
				p.lines <- printed{strings.TrimSuffix(text, "\n"), time.Now()}
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// end closes the input and returns the exit code, or an error if the process does not end in time.
func (p *program) end(limit time.Duration) (int, error) {
	p.in.Close()
	late := time.AfterFunc(limit, func() { p.cmd.Process.Kill() })
	for range p.lines { // what is left
	}
	p.cmd.Wait() // its error is the exit code
	if !late.Stop() {
		return 0, fmt.Errorf("no end in %v", limit)
	}
	return p.cmd.ProcessState.ExitCode(), nil
}

// runDelay is how long the threads of the engine and of this test have waited for a processor, where the system tells:
// another process is to blame for that part of a late answer.
func (p *program) runDelay() time.Duration {
	var sum int64
	for _, pid := range []int{p.cmd.Process.Pid, os.Getpid()} {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, name := range files {
			text, _ := os.ReadFile(name) // a thread may end meanwhile
			if fields := strings.Fields(string(text)); len(fields) == 3 {
				ns, _ := strconv.ParseInt(fields[1], 10, 64)
				sum += ns
			}
		}
	}
	return time.Duration(sum)
}

// report is an info line with a score.
type report struct {
	rank  int
	depth int
	score search.Score
	bound search.Bound
	wdl   []int // nil: not told
	nodes int64
	pv    []string
}

// parseReport reads an info line that is not text, and checks that its values are in range.
func parseReport(line string) (report, error) {
	r := report{rank: 1}
	words := strings.Fields(line)[1:]
	next := func() (int, error) {
		if len(words) == 0 {
			return 0, fmt.Errorf("the line ends too early")
		}
		n, err := strconv.Atoi(words[0])
		words = words[1:]
		return n, err
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		var err error
		n := 0
		switch word {
		case "score":
			err = r.parseScore(&words, next)
		case "wdl":
			for sum := 0; err == nil && len(r.wdl) < 3; sum += n {
				if n, err = next(); err == nil && (n < 0 || n > 1000 || len(r.wdl) == 2 && sum+n != 1000) {
					err = fmt.Errorf("three numbers of 0 to 1000 that sum to 1000 are wanted")
				}
				r.wdl = append(r.wdl, n)
			}
		case "pv":
			r.pv, words = words, nil
		case "depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "time", "tbhits":
			if n, err = next(); err == nil && (n < 0 || word == "multipv" && n == 0 || word == "hashfull" && n > 1000) {
				err = fmt.Errorf("out of range")
			}
			switch word {
			case "depth":
				r.depth = n
			case "multipv":
				r.rank = n
			case "nodes":
				r.nodes = int64(n)
			}
		default:
			err = fmt.Errorf("unknown word")
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", word, err)
		}
	}
	return r, nil
}

// parseScore reads what follows the word score.
func (r *report) parseScore(words *[]string, next func() (int, error)) error {
	const mostMoves = (search.MateScore - search.Proven + 1) / 2
	if len(*words) == 0 {
		return fmt.Errorf("no kind")
	}
	kind := (*words)[0]
	*words = (*words)[1:]
	n, err := next()
	if err != nil {
		return err
	}
	switch size := max(n, -n); {
	case kind == "cp" && size <= search.MaxCP:
		r.score.CP = n
	case kind == "mate" && size <= mostMoves:
		r.score.Mate = n
	default:
		return fmt.Errorf("%s %d is out of range", kind, n)
	}
	if len(*words) > 0 {
		switch (*words)[0] {
		case "lowerbound":
			r.bound, *words = search.Lower, (*words)[1:]
		case "upperbound":
			r.bound, *words = search.Upper, (*words)[1:]
		}
	}
	return nil
}

// follow plays the line of a report and returns the game that it ends in. Each move must be legal and in the form that
// the protocol wants, and the game must not have ended before it.
func (r *report) follow(g *board.Game, chess960 bool) (*board.Game, error) {
	end := g.Clone()
	for i, text := range r.pv {
		if o := end.Outcome(); i > 0 && o != board.Ongoing && o != board.Material {
			return nil, fmt.Errorf("the line goes on with %s after %v", text, o)
		}
		m, err := end.Pos.ParseMove(text)
		if err != nil {
			return nil, err
		}
		if form := end.Pos.UCI(m, chess960); form != text {
			return nil, fmt.Errorf("%s should be written %s", text, form)
		}
		end.Play(m)
	}
	return end, nil
}

// proves checks that the line of an exact mate score has its length and ends in mate.
func (r *report) proves(end *board.Game) error {
	if r.score.Mate == 0 || r.bound != search.Exact {
		return nil
	}
	plies := 2*r.score.Mate - 1
	if r.score.Mate < 0 {
		plies = -2 * r.score.Mate
	}
	switch {
	case len(r.pv) != plies:
		return fmt.Errorf("mate %d has a line of %d plies", r.score.Mate, len(r.pv))
	case end.Outcome() != board.Checkmate:
		return fmt.Errorf("the line of mate %d ends in no mate: %v", r.score.Mate, end.Outcome())
	}
	return nil
}
