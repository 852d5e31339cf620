package match

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/search"
)

// engine is a UCI engine in a process of its own. The protocol is that of the engine interface of April 2006.
type engine struct {
	name     string
	chess960 bool
	broken   bool // it crashed, hangs, or is to be left in the middle of a search
	grace    time.Duration
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	lines    chan string   // what it says; closed when it ends
	quit     chan struct{} // closed when nobody listens any more
	ended    chan struct{} // closed when the process was waited for
	log      io.Writer
	options  map[string]bool // names in lower case
}

// locked makes one log of several writers.
type locked struct {
	mu sync.Mutex
	to io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(b)
}

// startEngine runs the program and goes through the handshake: uci, options, isready.
func startEngine(ctx context.Context, s *seat) (*engine, error) {
	path, err := exec.LookPath(s.spec.Cmd)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	e := &engine{
		name: s.name, chess960: s.chess960, grace: s.config.Grace, log: s.config.Log,
		lines: make(chan string, 64), quit: make(chan struct{}), ended: make(chan struct{}),
		options: map[string]bool{},
	}
	e.cmd = exec.Command(path, s.spec.Args...)
	e.cmd.Dir = s.spec.Dir
	ownGroup(e.cmd)
	if e.log != nil {
		e.cmd.Stderr = e.log
	}
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	go e.read(stdout)
	if err := e.handshake(ctx, s.spec); err != nil {
		e.kill()
		return nil, err
	}
	return e, nil
}

// read passes lines on until the engine closes its output, then waits for the process.
func (e *engine) read(stdout io.Reader) {
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		e.note("<", line)
		select {
		case e.lines <- line:
		case <-e.quit:
		}
	}
	close(e.lines)
	killGroup(e.cmd) // one that closed its output, or said a line without end, is of no use
	_ = e.cmd.Wait() // how it ended does not matter
	close(e.ended)
}

func (e *engine) note(direction, line string) {
	if e.log != nil {
		fmt.Fprintf(e.log, "%s %s %s %s\n", time.Now().Format("15:04:05.000"), e.name, direction, line)
	}
}

func (e *engine) send(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	e.note(">", line)
	if _, err := io.WriteString(e.stdin, line+"\n"); err != nil {
		return fmt.Errorf("%w: %w", errCrash, err)
	}
	return nil
}

// await reads lines up to one whose first word is wanted and returns that; each is shown to every other line.
func (e *engine) await(ctx context.Context, wanted string, limit <-chan time.Time, each func(line string)) (string, error) {
	for {
		select {
		case line, ok := <-e.lines:
			if !ok {
				return "", fmt.Errorf("%w: the engine ended while %s was awaited", errCrash, wanted)
			}
			if word, _, _ := strings.Cut(line, " "); word == wanted {
				return line, nil
			}
			if each != nil {
				each(line)
			}
		case <-limit:
			return "", fmt.Errorf("%w: %s did not come", errHang, wanted)
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func (e *engine) handshake(ctx context.Context, spec *Player) error {
	if err := e.send("uci"); err != nil {
		return err
	}
	_, err := e.await(ctx, "uciok", time.After(startTime), func(line string) {
		if rest, ok := strings.CutPrefix(line, "option name "); ok {
			name, _, _ := strings.Cut(rest, " type ")
			e.options[strings.ToLower(strings.TrimSpace(name))] = true
		}
	})
	if err != nil {
		return err
	}
	options := spec.Options
	if spec.Hash > 0 {
		options = append([]Option{{"Hash", strconv.Itoa(spec.Hash)}}, options...)
	}
	if spec.Threads > 0 {
		options = append([]Option{{"Threads", strconv.Itoa(spec.Threads)}}, options...)
	}
	if e.chess960 {
		options = append(options[:len(options):len(options)], Option{"UCI_Chess960", "true"})
	}
	for _, o := range options {
		if !e.options[strings.ToLower(o.Name)] {
			return fmt.Errorf("the engine has no option %q", o.Name)
		}
		line := "setoption name " + o.Name
		if o.Value != "" {
			line += " value " + o.Value
		}
		if err := e.send("%s", line); err != nil {
			return err
		}
	}
	return e.sync(ctx)
}

func (e *engine) sync(ctx context.Context) error {
	if err := e.send("isready"); err != nil {
		return err
	}
	_, err := e.await(ctx, "readyok", time.After(startTime), nil)
	return err
}

func (e *engine) newGame(ctx context.Context) error {
	if err := e.send("ucinewgame"); err != nil {
		return err
	}
	return e.sync(ctx)
}

func (e *engine) move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error) {
	if err := e.send("%s", e.position(g)); err != nil {
		return reply{}, err
	}
	begin := time.Now()
	if err := e.send("%s", goCommand(&g.Pos, &limits)); err != nil {
		return reply{}, err
	}
	var r reply
	each := func(line string) { readInfo(line, &r) }
	line, err := e.await(ctx, "bestmove", time.After(allowance), each)
	if errors.Is(err, errHang) {
		if err := e.send("stop"); err != nil {
			return r, err
		}
		line, err = e.await(ctx, "bestmove", time.After(e.grace), each)
	}
	r.took = time.Since(begin)
	if err != nil {
		e.broken = true
		return r, err
	}
	words := strings.Fields(line)
	if len(words) < 2 {
		return r, fmt.Errorf("%w: none", errIllegal)
	}
	if r.move, err = g.Pos.ParseMove(words[1], e.chess960); err != nil {
		return r, fmt.Errorf("%w: %w", errIllegal, err)
	}
	return r, nil
}

// position is the UCI command that sets up the game.
func (e *engine) position(g *board.Game) string {
	var b strings.Builder
	start := board.StartPosition()
	if fen := g.Start.FEN(e.chess960); fen == start.FEN(e.chess960) {
		b.WriteString("position startpos")
	} else {
		b.WriteString("position fen " + fen)
	}
	p := g.Start
	for i, m := range g.Moves {
		if i == 0 {
			b.WriteString(" moves")
		}
		b.WriteString(" " + p.UCI(m, e.chess960))
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	return b.String()
}

// goCommand is the UCI command that starts a search within the limits, the clocks turned to White and Black.
func goCommand(p *board.Position, l *search.Limits) string {
	var b strings.Builder
	b.WriteString("go")
	if l.HasClock {
		white, black := 0, 1
		if p.Black {
			white, black = 1, 0
		}
		fmt.Fprintf(&b, " wtime %d btime %d", l.Time[white].Milliseconds(), l.Time[black].Milliseconds())
		if l.Inc[0]+l.Inc[1] > 0 {
			fmt.Fprintf(&b, " winc %d binc %d", l.Inc[white].Milliseconds(), l.Inc[black].Milliseconds())
		}
		if l.MovesToGo > 0 {
			fmt.Fprintf(&b, " movestogo %d", l.MovesToGo)
		}
	}
	if l.Nodes > 0 {
		fmt.Fprintf(&b, " nodes %d", l.Nodes)
	}
	if l.MoveTime > 0 {
		fmt.Fprintf(&b, " movetime %d", l.MoveTime.Milliseconds())
	}
	return b.String()
}

// readInfo takes depth, nodes and score of the first line from an info line. Bounds count only as long as there is no
// exact score.
func readInfo(line string, r *reply) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "info" {
		return
	}
	info, scored := r.info, false
	info.Bound = search.Exact
	for i := 1; i < len(words); i++ {
		n := 0
		if i+1 < len(words) {
			n, _ = strconv.Atoi(words[i+1]) // what is no number is not one of the words below
		}
		switch words[i] {
		case "string", "pv":
			i = len(words)
		case "multipv":
			if n > 1 {
				return
			}
		case "depth":
			info.Depth = n
		case "nodes":
			info.Nodes = int64(n)
		case "cp":
			info.Score, scored = search.Score{CP: n}, true
		case "mate":
			info.Score, scored = search.Score{Mate: n}, true
		case "lowerbound":
			info.Bound = search.Lower
		case "upperbound":
			info.Bound = search.Upper
		}
	}
	if !scored || info.Bound != search.Exact && r.scored && r.info.Bound == search.Exact {
		return
	}
	r.info, r.scored = info, true
}

// close asks the engine to quit and kills it when it does not, at once where it is broken.
func (e *engine) close() {
	if e.broken {
		e.kill()
		return
	}
	close(e.quit)
	_ = e.send("quit") // it may have ended
	e.stdin.Close()
	select {
	case <-e.ended:
	case <-time.After(quitTime):
		killGroup(e.cmd)
		<-e.ended
	}
}

// kill ends the engine at once.
func (e *engine) kill() {
	close(e.quit)
	killGroup(e.cmd)
	e.stdin.Close()
	<-e.ended
}
