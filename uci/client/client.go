// Package client runs UCI engines in processes of their own: for matches, for training data and for verdicts. The
// protocol is that of the engine interface of April 2006.
//
// # Basics
//
//	e, err := client.Start(ctx, client.Config{Path: "stockfish", Options: []client.Option{{"Threads", "2"}}})
//	err = e.NewGame(ctx)
//	answer, err := e.Search(ctx, game, search.Limits{MoveTime: time.Second}, 2*time.Second, time.Second)
//	e.Close()
//
// Config.OnInfo shows what the engine thinks while it searches.
//
// # Invariants
//
// Every wait has a limit, and every error says why it ended: errors wrap ErrCrash, ErrHang, ErrIllegal or ErrOption,
// or are those of the context. An engine is asked one question at a time, because UCI lets it read a command only
// after its bestmove: an engine that reads its input while it searches would take the next position for the present
// one.
//
// One goroutine reads the output as it comes and never waits for the caller. So a flood of output costs the engine
// its own time and this program a bounded memory: lines are cut at 64 KiB, the log has a quota for each command, and
// at most 1000 variations of a search are checked. Text that is not UCI is ignored.
//
// With a process ends everything in its process group.
//
// # Caveats
//
// A child that an engine has moved out of its process group survives it. Outside Unix and Windows there are no
// groups.
package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tesla/board"
)

// How an engine fails. After any of them but ErrIllegal every question gets the same error again, and Close kills the
// engine. The end of a context during a question has the same effect.
var (
	ErrCrash   = errors.New("crash")          // it ended, or closed its output
	ErrHang    = errors.New("no answer")      // it did not answer within its time
	ErrIllegal = errors.New("illegal move")   // its move, or the first move of a variation, is not legal
	ErrOption  = errors.New("option refused") // it does not declare the option, or does not take the value
)

// Fault is something that an engine did wrong and that did not stop it from giving a legal move.
type Fault uint8

// The faults.
const (
	IllegalPV Fault = iota // a variation has an illegal move
	OtherMove              // the move is not the first of the variation that it reported last
	Unasked                // a bestmove came when no search was running
	Overlong               // a line was above 64 KiB
	BadQuit                // it crashed at quit, or had to be killed
)

// defaultStartTime is how long an engine may take to answer uci, isready and ucinewgame where Config.StartTime is 0:
// it loads nets and clears its hash table.
const defaultStartTime = time.Minute

// Config says which engine is started, and how.
type Config struct {
	Path      string        // program: a name in PATH, or a path relative to the current directory
	Args      []string      // its arguments
	Dir       string        // its working directory; empty: the current one
	Options   []Option      // are set in this order
	Chess960  bool          // sets UCI_Chess960, and writes castling as the king takes the rook
	Ponder    bool          // sets Ponder, where the engine has that option and Options do not set it
	Cores     []int         // the only cores that it may run on, where cores.CanPin; empty: any
	StartTime time.Duration // limit of each wait for uciok or readyok; 0: a minute
	Name      string        // in the log; empty: that of the program
	Log       []io.Writer   // get all lines in both directions, and its standard error

	// OnFault receives how often a fault happened, and the first case in words. It is called from the goroutine that
	// reads the output, or from the caller of a method, and must not call a method of the engine. Where it is nil,
	// only the first moves of variations are checked.
	OnFault func(f Fault, n int, text string)
	// OnString receives the text of each "info string", in the same way as OnFault.
	OnString func(text string)
	// OnInfo receives each other info line of a search, all of them before Search, Hit or Wait returns. It is called from
	// the goroutine that reads the output and must not call a method of the engine; an engine whose output is not read
	// for long stops. To end a search from here, close the halt of SearchUntil.
	OnInfo func(Report)
}

// Engine is a running engine. One goroutine at a time may call its methods.
type Engine struct {
	config  Config
	process *process
	log     transcript
	failed  error // it crashed, hangs, or was left in the middle of a search: why; nil: none of these

	position positionCommand
	begun    time.Time // when the running search began
	commands []byte    // for one write

	// These belong to the goroutines that read standard output and standard error.
	lines  splitter
	errors splitter
	answer *answer // in the piece of the output that is being read

	mu        sync.Mutex // guards what follows: the reader of the output and the caller use it
	awaited   string     // the word that the caller waits for; empty: none
	answers   chan answer
	id        string                 // the name by which it answers uci; empty: none
	declared  map[string]Declaration // by the name of the option in lower case
	refusal   string                 // a line that refuses an option; empty: none
	searching bool
	heard     heard
	killed    bool   // nothing that it says counts any more
	suspect   bool   // it sent a bestmove unasked: its next one may be late as well
	unknown   []byte // start of its last line that is not UCI
}

// answer is a line that was awaited, and when it was read.
type answer struct {
	line string
	at   time.Time
}

// Start starts an engine and waits until it has taken its options and is ready.
func Start(ctx context.Context, config Config) (*Engine, error) {
	if config.StartTime <= 0 {
		config.StartTime = defaultStartTime
	}
	if config.Name == "" {
		config.Name = filepath.Base(config.Path)
	}
	e := &Engine{
		config: config, declared: map[string]Declaration{}, answers: make(chan answer, 1),
		log: transcript{name: []byte(config.Name), to: config.Log, quota: logQuota},
	}
	var err error
	e.process, err = startProcess(&config, e.hear, e.complain)
	if err != nil {
		return nil, err
	}
	e.remark("process %d, on %s", e.process.cmd.Process.Pid, time.Now().Format(time.DateOnly))
	if err := e.handshake(ctx); err != nil {
		e.Kill()
		if words := e.lastOutput(160); errors.Is(err, ErrHang) && words != "" {
			err = fmt.Errorf("%w; its last output: %s", err, words)
		}
		return nil, err
	}
	return e, nil
}

func (e *Engine) handshake(ctx context.Context) error {
	if err := e.query(ctx, "uci\n", "uciok", e.config.StartTime); err != nil {
		return err
	}
	options := e.config.Options
	if e.config.Chess960 {
		options = append(options[:len(options):len(options)], Option{"UCI_Chess960", "true"})
	}
	if e.config.Ponder && e.CanPonder() && !slices.ContainsFunc(options, func(o Option) bool { return key(o.Name) == "ponder" }) {
		options = append(options[:len(options):len(options)], Option{"Ponder", "true"})
	}
	var commands strings.Builder
	for _, o := range options {
		e.mu.Lock()
		d, ok := e.declared[key(o.Name)]
		e.mu.Unlock()
		if !ok {
			return fmt.Errorf("%w: no option %q of the engine", ErrOption, o.Name)
		}
		if err := d.check(o.Value); err != nil {
			return fmt.Errorf("%w: option %s: %w", ErrOption, d.Name, err)
		}
		commands.WriteString(d.command(o.Value))
	}
	if err := e.query(ctx, commands.String()+"isready\n", "readyok", e.config.StartTime); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.refusal != "" && len(options) > 0 {
		return fmt.Errorf("%w: the engine says: %s", ErrOption, e.refusal)
	}
	return nil
}

// ID is the name by which the engine has answered uci, with its version.
func (e *Engine) ID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.id
}

// Value is what an option of the engine is set to: by Config, or else the default that it declares. It is empty where the
// engine has no such option.
func (e *Engine) Value(name string) string {
	e.mu.Lock()
	d, ok := e.declared[key(name)]
	e.mu.Unlock()
	value := d.Default
	for _, o := range e.config.Options {
		if ok && key(o.Name) == key(name) {
			value = o.Value
		}
	}
	return value
}

// CanPonder reports whether the engine declares the option Ponder, by which the protocol has it say that it can.
func (e *Engine) CanPonder() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.declared["ponder"]
	return ok
}

// NewGame tells the engine that the next position is of another game, and waits until it is ready.
func (e *Engine) NewGame(ctx context.Context) error {
	e.position.game = nil
	return e.query(ctx, "ucinewgame\nisready\n", "readyok", e.config.StartTime)
}

// query sends commands of which the last makes the engine answer with the word, and waits for it.
func (e *Engine) query(ctx context.Context, commands, word string, limit time.Duration) error {
	err := e.ask([]byte(commands), word)
	if err == nil {
		_, err = e.await(ctx, nil, word, limit)
	}
	return e.fail(err)
}

// fail notes that the engine cannot be asked any more.
func (e *Engine) fail(err error) error {
	if e.failed == nil {
		e.failed = err
	}
	return err
}

// ask sends commands, one a line, of which the last makes the engine answer with the word.
func (e *Engine) ask(commands []byte, word string) error {
	if e.failed != nil {
		return e.failed
	}
	e.mu.Lock()
	select {
	case <-e.answers: // it came after the caller had given up waiting
	default:
	}
	e.awaited = word
	e.mu.Unlock()
	return e.send(commands)
}

// send writes commands, each with the end of its line.
func (e *Engine) send(commands []byte) error {
	e.log.commands(commands)
	err := e.process.write(commands)
	if errors.Is(err, ErrCrash) && e.process.wait(closedTime+drainTime) {
		err = e.crashed("on receiving a command")
	}
	return e.fail(err)
}

// await waits for the word that was asked for, until halt is closed at most; nil: it never is.
func (e *Engine) await(ctx context.Context, halt <-chan struct{}, word string, limit time.Duration) (answer, error) {
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
			return answer{}, e.crashed("before " + word)
		}
	case <-timer.C:
		return answer{}, fmt.Errorf("%w: %s did not come within %v", ErrHang, word, limit)
	case <-halt:
		return answer{}, fmt.Errorf("%w: %s did not come before the halt", ErrHang, word)
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

func (e *Engine) crashed(when string) error {
	err := fmt.Errorf("%w: %s %s", ErrCrash, e.process.state, when)
	if words := e.lastOutput(160); words != "" {
		err = fmt.Errorf("%w; its last output: %s", err, words)
	}
	return err
}

// lastOutput is the end of its standard error or, where that is empty, its last line that is not UCI.
func (e *Engine) lastOutput(limit int) string {
	text := e.process.errors.tail(limit)
	if text == "" {
		e.mu.Lock()
		text = string(e.unknown)
		e.mu.Unlock()
	}
	return Printable([]byte(text), limit+3)
}

// remark writes a line to the log that neither the engine nor the caller has sent.
func (e *Engine) remark(format string, args ...any) {
	e.log.add(time.Now(), remark, fmt.Appendf(nil, format, args...))
	e.log.flush()
}

func (e *Engine) fault(f Fault, n int, text string) {
	e.remark("warning: %s", text)
	if e.config.OnFault != nil {
		e.config.OnFault(f, n, text)
	}
}

// Close asks the engine to quit, and kills it if it does not. An engine that has failed is killed at once. A bad end
// is a fault, not an error: the answers that the caller has are still good.
func (e *Engine) Close() {
	if e.failed != nil {
		e.Kill()
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
		e.fault(BadQuit, 1, fault)
	}
	e.finish()
}

// Kill ends the engine at once. What it still says is ignored.
func (e *Engine) Kill() {
	e.mu.Lock()
	e.killed = true
	e.mu.Unlock()
	if !e.process.kill() {
		e.fault(BadQuit, 1, "it cannot be killed")
	}
	e.finish()
}

func (e *Engine) finish() {
	select {
	case <-e.process.exited:
		e.remark("ended: %s", e.process.state)
	default:
	}
	e.log.end(time.Now())
}

// positionCommand is the command that sets up the position of a game. It grows with the game and is not written anew
// for each move.
type positionCommand struct {
	game    *board.Game    // nil: none
	text    []byte         // without the end of the line
	written int            // moves of the game in text
	pos     board.Position // after those moves
}

// of returns the command for the present position of the game.
func (c *positionCommand) of(g *board.Game, chess960 bool) []byte {
	if c.game != g || c.written > len(g.Moves) {
		start := board.StartPosition()
		if fen := g.Start.FEN(chess960); fen == start.FEN(chess960) {
			c.text = append(c.text[:0], "position startpos"...)
		} else {
			c.text = append(append(c.text[:0], "position fen "...), fen...)
		}
		c.game, c.written, c.pos = g, 0, g.Start
	}
	for _, m := range g.Moves[c.written:] {
		if c.written == 0 {
			c.text = append(c.text, " moves"...)
		}
		c.text = append(append(c.text, ' '), c.pos.UCI(m, chess960)...)
		c.pos = c.pos.After(m)
		c.written++
	}
	return c.text
}
