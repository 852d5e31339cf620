package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/search"
)

// engine is a UCI engine in a process of its own. The protocol is that of the engine interface of April 2006.
//
// What it says is read and understood by one goroutine as it comes, and never waits for the game: a flood of output
// costs the engine its own time and the runner a bounded memory. The game waits for one word at a time: uciok, readyok,
// bestmove. What the runner does of its own while an engine thinks is read its output; see doc.go for what is timed.
type engine struct {
	seat     *seat
	process  *process
	log      transcript
	chess960 bool
	broken   bool // it crashed, hangs, or is to be left in the middle of a search

	lines  splitter // of the output, and
	errors splitter // of the standard error; used by their readers alone
	answer *answer  // in the piece of the output that is being read; its reader's

	out      []byte // the position command of the present game, without the end of the line
	game     *board.Game
	told     int // moves of the game in out
	upTo     board.Position
	commands []byte // for one write

	mu        sync.Mutex // guards all below: the reader of the output, and the game
	awaited   string     // the word; empty: none
	answers   chan answer
	options   map[string]bool // names in lower case
	searching bool
	heard     heard
	leaving   bool   // it is killed
	suspect   bool   // it moved when nobody asked it: what it says may be late
	unknown   []byte // start of its last line that is no UCI
}

// answer is a line that was awaited, and when it was read.
type answer struct {
	line string
	at   time.Time
}

// startEngine runs the program and goes through the handshake: uci, options, isready.
func startEngine(ctx context.Context, s *seat) (*engine, error) {
	e := &engine{
		seat: s, chess960: s.chess960, options: map[string]bool{}, answers: make(chan answer, 1),
		log: transcript{name: fmt.Appendf(nil, "%s#%d", s.name, s.slot.number+1), to: s.venue.writers(s.spec), quota: logQuota},
	}
	var err error
	e.process, err = startProcess(s.spec.Cmd, s.spec.Args, s.spec.Dir, s.slot.cores, e.hear, e.complain)
	if err != nil {
		return nil, err
	}
	e.remark("process %d, on %s", e.process.cmd.Process.Pid, time.Now().Format(time.DateOnly))
	if err := e.handshake(ctx, s.spec); err != nil {
		e.kill()
		if words := e.words(160); errors.Is(err, errHang) && words != "" {
			err = fmt.Errorf("%w; its last words: %s", err, words)
		}
		return nil, err
	}
	return e, nil
}

// remark writes to the log what is not said by the engine or to it.
func (e *engine) remark(format string, args ...any) {
	e.log.add(time.Now(), remark, fmt.Appendf(nil, format, args...))
	e.log.flush()
}

// happened counts an incident, logs it and warns.
func (e *engine) happened(kind incident, n int, text string) {
	e.remark("warning: %s", text)
	e.seat.venue.happened(e.seat.side, kind, n, text)
}

// hear takes a piece of the output. An answer in it counts when all of it is read: what the engine says in one breath
// is not taken for the answer to the next question.
func (e *engine) hear(chunk []byte, at time.Time) {
	before := e.lines.cuts
	e.lines.feed(chunk, func(line []byte) { e.line(line, at) })
	if e.answer != nil {
		e.answers <- *e.answer // there is room: awaited was set when the channel was empty
		e.answer = nil
	}
	e.log.flush()
	if n := e.lines.cuts - before; n > 0 {
		e.happened(overlong, n, fmt.Sprintf("a line above %d bytes is cut", maxLine))
	}
}

// complain takes a piece of the standard error.
func (e *engine) complain(chunk []byte, at time.Time) {
	e.errors.feed(chunk, func(line []byte) { e.log.add(at, fromStderr, bytes.TrimRight(line, "\r")) })
	e.log.flush()
}

// line understands one line. What is no UCI is passed over.
func (e *engine) line(line []byte, at time.Time) {
	line = bytes.TrimSpace(line)
	e.log.add(at, fromEngine, line)
	word, rest := cutWord(line)
	late := false
	e.mu.Lock()
	switch string(word) {
	case "info":
		if e.searching {
			e.heard.info(line)
		}
	case "option":
		if e.awaited == "uciok" {
			name, _, _ := strings.Cut(string(rest), " type ")
			name, _ = strings.CutPrefix(strings.TrimSpace(name), "name ")
			e.options[strings.ToLower(strings.TrimSpace(name))] = true
		}
	case "uciok", "readyok", "bestmove":
		if e.awaited == string(word) {
			e.awaited, e.searching = "", false
			e.answer = &answer{string(line), at}
		} else if string(word) == "bestmove" && !e.leaving {
			late, e.suspect = true, true
		}
	case "", "id", "registration", "copyprotection":
	default:
		e.unknown = append(e.unknown[:0], line[:min(len(line), 200)]...)
	}
	e.mu.Unlock()
	if late {
		e.happened(unasked, 1, fmt.Sprintf("nobody asked for %s", readable(line, 80)))
	}
}

// readable is text of an engine for a line of ours: short, printable, and without braces, which end comments in PGN.
func readable(text []byte, limit int) string {
	return strings.NewReplacer("{", "(", "}", ")").Replace(string(appendPrintable(nil, text, limit)))
}

// ask sends commands, one a line, of which the last makes the engine answer with the word.
func (e *engine) ask(commands []byte, word string) error {
	e.mu.Lock()
	select {
	case <-e.answers: // came after it was given up
	default:
	}
	e.awaited = word
	e.mu.Unlock()
	return e.send(commands)
}

// send writes commands, each with the end of its line.
func (e *engine) send(commands []byte) error {
	if len(e.log.to) > 0 {
		now := time.Now()
		for line := range bytes.Lines(commands) {
			e.log.add(now, toEngine, line[:len(line)-1])
		}
		e.log.flush()
	}
	err := e.process.write(commands)
	if errors.Is(err, errCrash) && e.process.wait(closedTime+drainTime) {
		return e.died("it was spoken to")
	}
	return err
}

// died is the error of an engine that has ended.
func (e *engine) died(when string) error {
	err := fmt.Errorf("%w: %s when %s", errCrash, e.process.state, when)
	if words := e.words(160); words != "" {
		err = fmt.Errorf("%w; its last words: %s", err, words)
	}
	return err
}

// words are the last words of the engine: the end of its standard error, else its last line that is no UCI.
func (e *engine) words(limit int) string {
	text := e.process.errors.tail(limit)
	if text == "" {
		e.mu.Lock()
		text = string(e.unknown)
		e.mu.Unlock()
	}
	return readable([]byte(text), limit+3)
}

// await waits for the word that was asked for.
func (e *engine) await(ctx context.Context, word string, limit time.Duration) (answer, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case a := <-e.answers:
		return a, nil
	case <-e.process.ended:
		select {
		case a := <-e.answers: // its last act
			return a, nil
		default:
			return answer{}, e.died(word + " was awaited")
		}
	case <-timer.C:
		return answer{}, fmt.Errorf("%w: %s did not come", errHang, word)
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// query is ask and await.
func (e *engine) query(ctx context.Context, commands, word string, limit time.Duration) error {
	err := e.ask([]byte(commands), word)
	if err == nil {
		_, err = e.await(ctx, word, limit)
	}
	if err != nil {
		e.broken = true
	}
	return err
}

func (e *engine) handshake(ctx context.Context, spec *player.Player) error {
	limit := e.seat.config.Patience.Start
	if err := e.query(ctx, "uci\n", "uciok", limit); err != nil {
		return err
	}
	options := spec.Options
	if spec.Hash > 0 {
		options = append([]player.Option{{Name: "Hash", Value: strconv.Itoa(spec.Hash)}}, options...)
	}
	if spec.Threads > 0 {
		options = append([]player.Option{{Name: "Threads", Value: strconv.Itoa(spec.Threads)}}, options...)
	}
	if e.chess960 {
		options = append(options[:len(options):len(options)], player.Option{Name: "UCI_Chess960", Value: "true"})
	}
	var commands strings.Builder
	for _, o := range options {
		e.mu.Lock()
		known := e.options[strings.ToLower(o.Name)]
		e.mu.Unlock()
		if !known {
			return fmt.Errorf("the engine has no option %q", o.Name)
		}
		commands.WriteString("setoption name " + o.Name)
		if o.Value != "" {
			commands.WriteString(" value " + o.Value)
		}
		commands.WriteByte('\n')
	}
	return e.query(ctx, commands.String()+"isready\n", "readyok", limit)
}

func (e *engine) newGame(ctx context.Context) error {
	e.game = nil
	return e.query(ctx, "ucinewgame\nisready\n", "readyok", e.seat.config.Patience.Start)
}

func (e *engine) move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error) {
	e.mu.Lock()
	suspect := e.suspect
	e.mu.Unlock()
	if suspect { // what comes before readyok belongs to an earlier search
		if err := e.query(ctx, "isready\n", "readyok", allowance+e.seat.config.Patience.Grace); err != nil {
			return reply{}, err
		}
	}
	e.commands = append(append(e.commands[:0], e.position(g)...), '\n')
	e.commands = append(append(e.commands, goCommand(&g.Pos, &limits)...), '\n')
	e.mu.Lock()
	e.searching = true
	e.heard.pv.reset(&g.Pos, e.chess960)
	e.heard.reply = reply{}
	e.mu.Unlock()
	begun := time.Now()
	a, err := e.search(ctx, allowance)
	e.mu.Lock()
	e.awaited, e.searching = "", false
	r, watch := e.heard.reply, &e.heard.pv // the reader leaves both alone now
	e.mu.Unlock()
	if watch.illegal > 0 {
		e.happened(illegalPV, watch.illegal, "an illegal move in the variation "+readable([]byte(watch.example), 120))
	}
	r.begun, r.arrived = begun, a.at
	if err != nil {
		e.broken = true
		r.took = time.Since(begun)
		return r, err
	}
	r.took = a.at.Sub(begun)
	_, rest := cutWord([]byte(a.line))
	word, _ := cutWord(rest)
	if len(word) == 0 {
		return r, fmt.Errorf("%w: none", errIllegal)
	}
	if r.move, err = g.Pos.ParseMove(string(word), e.chess960); err != nil {
		return r, fmt.Errorf("%w: %s", errIllegal, readable([]byte(err.Error()), 120))
	}
	if watch.first != board.NullMove && watch.first != r.move {
		e.happened(otherMove, 1, fmt.Sprintf("it moves %s, and its variation begins with %s", word, g.Pos.UCI(watch.first, e.chess960)))
	}
	return r, nil
}

// search makes the engine move; after the allowance it is told to stop and given Config.Grace.
func (e *engine) search(ctx context.Context, allowance time.Duration) (answer, error) {
	if err := e.ask(e.commands, "bestmove"); err != nil {
		return answer{}, err
	}
	a, err := e.await(ctx, "bestmove", allowance)
	if !errors.Is(err, errHang) {
		return a, err
	}
	if err := e.send([]byte("stop\n")); err != nil {
		return a, err
	}
	return e.await(ctx, "bestmove", e.seat.config.Patience.Grace)
}

// position is the UCI command that sets up the game. It is made longer move by move, not anew for each.
func (e *engine) position(g *board.Game) []byte {
	if e.game != g || e.told > len(g.Moves) {
		start := board.StartPosition()
		if fen := g.Start.FEN(e.chess960); fen == start.FEN(e.chess960) {
			e.out = append(e.out[:0], "position startpos"...)
		} else {
			e.out = append(append(e.out[:0], "position fen "...), fen...)
		}
		e.game, e.told, e.upTo = g, 0, g.Start
	}
	for _, m := range g.Moves[e.told:] {
		if e.told == 0 {
			e.out = append(e.out, " moves"...)
		}
		e.out = append(append(e.out, ' '), e.upTo.UCI(m, e.chess960)...)
		var next board.Position
		e.upTo.Make(m, &next)
		e.upTo = next
		e.told++
	}
	return e.out
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

// close asks the engine to quit and kills it when it does not, at once where it is broken.
func (e *engine) close() {
	if e.broken {
		e.kill()
		return
	}
	fault := ""
	if err := e.send([]byte("quit\n")); err != nil {
		fault = "before quit: " + err.Error()
	}
	if f := e.process.quit(); fault == "" {
		fault = f
	}
	if fault != "" {
		e.happened(badQuit, 1, fault)
	}
	e.finish()
}

// kill ends the engine at once; what still comes is of no interest.
func (e *engine) kill() {
	e.mu.Lock()
	e.leaving = true
	e.mu.Unlock()
	if !e.process.kill() {
		e.happened(badQuit, 1, "it cannot be killed")
	}
	e.finish()
}

// finish ends the log.
func (e *engine) finish() {
	select {
	case <-e.process.exited:
		e.remark("ended: %s", e.process.state)
	default:
	}
	e.log.end(time.Now())
}
