package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"tesla/board"
	"tesla/board/book"
	"tesla/search"
	"tesla/uci/option"
)

// Engine is what a session drives.
type Engine interface {
	// Open makes the searcher for the options as they are, and ends the one that it made before. After an error the
	// earlier one is still good. Notes are for the user. Open may block for as long as a net takes to load; if hurried, a
	// move waits for it, and what can be left out is. The session calls it from one goroutine at a time and sets no
	// option meanwhile.
	Open(hurried bool) (s search.Searcher, notes []string, err error)
	// Notices are for the user, at any time, such as that a backend fails. The channel may be nil.
	Notices() <-chan string
}

// Prompt is a command beyond the protocol. The session calls Make from its loop, so that it may look at the options, and
// runs what it returns beside any search. ctx ends at stop.
type Prompt struct {
	OnBoard bool // it is about the position, and cannot be obeyed while there is none
	Make    func(pos board.Position, chess960 bool) (run func(ctx context.Context) (lines []string, err error))
}

// Config is what a session needs from the program around it.
type Config struct {
	Name, Author string
	Options      []option.Option // of the engine; the session adds its own
	Engine       Engine
	Prompts      map[string]Prompt // by the word of the command
}

// line is one line of input, and the time when it came.
type line struct {
	text string
	at   time.Time
}

// event is a message from a job or an aside to the loop. Exactly one field is set.
type event struct {
	note   string
	info   *search.Info
	opened *opened
	done   *done
	aside  *aside
}

// opened reports that the job made a searcher, or could not.
type opened struct {
	searcher search.Searcher
	notes    []string
	err      error
}

// done ends a job. For a load only search is set.
type done struct {
	search  bool
	result  search.Result
	trouble error // the search could not run, or panicked
}

// aside is the output of a prompt command, and its end.
type aside struct {
	lines []string
	err   error
}

type session struct {
	cfg Config
	out *bufio.Writer
	bad error // of writing
	log *os.File

	book *book.Book // of BookFile; nil: none

	options  []option.Option // the engine's and the session's own
	prefs    preferences
	game     *board.Game     // nil while there is no position
	refused  error           // why there is none
	searcher search.Searcher // nil until the first job
	dirty    bool            // searcher does not fit the options
	forget   bool            // the searcher is to forget everything before the next search
	stale    bool            // what has changed since the last job began may be prepared in the background

	events   chan event
	queue    []line // lines that wait for the job
	job      job
	asides   int
	dismiss  context.CancelFunc // ends asides; nil where there are none
	asideCtx context.Context
	leaving  bool // quit or the end of input was read

	waitedForNet bool // the next go waited for a load while its clock ran
}

// Loop runs a session until quit or the end of in. It returns an error when in or out fail.
func Loop(in io.Reader, out io.Writer, cfg Config) error {
	s := &session{cfg: cfg, out: bufio.NewWriter(out), dirty: true, prefs: preferences{multiPV: 1, overheadMS: 10, bookDepth: maxBookDepth},
		game: board.NewGame(board.StartPosition()), events: make(chan event, 256)}
	s.options = s.declareOptions(cfg.Options)
	defer s.closeLog()
	lines, quit := make(chan line, 64), make(chan struct{})
	var readErr error
	go func() { // readErr is written before lines closes
		readErr = read(in, lines, quit)
		close(lines)
	}()
	defer close(quit)
	s.run(lines)
	if s.bad != nil {
		return fmt.Errorf("uci: writing: %w", s.bad)
	}
	select {
	case _, open := <-lines:
		if !open && readErr != nil {
			return fmt.Errorf("uci: reading: %w", readErr)
		}
	default:
	}
	return nil
}

// byteOrderMark begins a text of UTF-8 that some programs on Windows write.
const byteOrderMark = "\ufeff"

// read sends the lines of in, of any length, until its end or until quit closes.
func read(in io.Reader, lines chan<- line, quit <-chan struct{}) error {
	r := bufio.NewReader(in)
	if mark, err := r.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		if _, err := r.Discard(len(byteOrderMark)); err != nil {
			return err
		}
	}
	for {
		text, err := r.ReadString('\n')
		if text = strings.TrimSpace(text); text != "" {
			select {
			case lines <- line{text, time.Now()}:
			case <-quit:
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// settling is how long options must have been left alone before the session prepares what they change, unasked.
const settling = 50 * time.Millisecond

// settled fires when changes have waited for settling and nothing else goes on. Before the first isready or go nothing
// is prepared: more options may come.
func (s *session) settled() <-chan time.Time {
	if !s.stale || s.searcher == nil || s.job.kind != idle || s.leaving {
		return nil
	}
	return time.After(settling)
}

// run is the loop: it ends when there is nothing to wait for after quit or the end of input, or when out fails.
func (s *session) run(lines <-chan line) {
	notices := s.cfg.Engine.Notices()
	for s.bad == nil {
		s.drain()
		s.flush()
		if s.leaving && s.job.kind == idle && s.asides == 0 && len(s.queue) == 0 {
			return
		}
		select {
		case l, open := <-lines:
			if !open {
				lines = nil
				s.leave()
				continue
			}
			s.note(">", l.text)
			s.take(l)
			if s.leaving {
				lines = nil
			}
		case e := <-s.events:
			s.hear(e)
		case n := <-notices:
			s.tell(n)
		case <-s.settled():
			s.start(job{kind: loading})
		}
	}
	s.job.stop()
	for s.job.kind != idle && s.job.held == nil { // a search may not outlive the loop: its searcher is about to be closed
		s.hear(<-s.events)
	}
}

// take obeys a line, or queues it when it has to wait for the job.
func (s *session) take(l line) {
	words := strings.Fields(l.text)
	for len(words) > 1 && !s.knows(words[0]) { // the protocol says: skip what is unknown
		words = words[1:]
	}
	name := words[0]
	wait := len(s.queue) > 0 || s.job.kind != idle && exclusive[name] && !isPrompt(words)
	switch name {
	case "quit":
		wait = false
	case "isready": // answered at once beside a search, but not before what loads is ready
		wait = s.job.kind == loading
	}
	if wait {
		if name == "stop" { // for the search that runs and, in its turn, for the one that waits
			s.stop()
		}
		s.queue = append(s.queue, line{strings.Join(words, " "), l.at})
		s.hurry()
		return
	}
	s.obey(words, l.at)
}

// exclusive commands change what a job uses.
var exclusive = map[string]bool{"position": true, "go": true, "setoption": true, "ucinewgame": true}

var known = map[string]bool{"uci": true, "isready": true, "ucinewgame": true, "setoption": true, "position": true,
	"go": true, "stop": true, "ponderhit": true, "quit": true, "d": true, "debug": true, "register": true}

// knows reports whether a line may begin with the word.
func (s *session) knows(word string) bool { return known[word] || s.cfg.Prompts[word].Make != nil }

// isPrompt reports whether a go command is one that does not search.
func isPrompt(words []string) bool { return words[0] == "go" && len(words) > 1 && words[1] == "perft" }

// drain obeys queued lines up to one that a job is in the way of. Behind a running search, lines that need not wait for
// it are obeyed at once. A held answer that a line waits for is given, and the line's turn comes.
func (s *session) drain() {
	for len(s.queue) > 0 && s.job.kind != loading {
		words, at := strings.Fields(s.queue[0].text), s.queue[0].at
		if s.job.kind == searching && exclusive[words[0]] && !isPrompt(words) {
			if s.hurry(); s.job.kind == searching {
				return
			}
		}
		s.queue = s.queue[1:]
		s.obey(words, at)
	}
	s.hurry()
}

// hurry stops an infinite search when a line waits for it, and any search when leaving.
func (s *session) hurry() {
	if s.job.kind == searching && (s.leaving || len(s.queue) > 0 && (s.job.limits.Infinite || s.job.limits.Ponder)) {
		s.stop()
	}
}

// leave begins to end the session. What was asked is still answered, at once.
func (s *session) leave() {
	s.leaving = true
	s.hurry()
}

// obey carries out one command.
func (s *session) obey(words []string, at time.Time) {
	args := words[1:]
	switch words[0] {
	case "uci":
		s.introduce()
	case "isready":
		if s.job.kind == idle && (s.dirty || s.forget || s.prefs.loadTree != "") {
			s.start(job{kind: loading, asked: true})
			return
		}
		s.say("readyok")
	case "ucinewgame":
		s.forget, s.stale, s.prefs.loadTree = true, true, ""
	case "setoption":
		s.setOption(args)
	case "position":
		s.position(args)
	case "go":
		s.goCommand(args, at)
	case "stop":
		if s.job.kind != searching && s.dismiss != nil {
			s.dismiss()
		}
		s.stop()
	case "ponderhit":
		s.ponderHit()
	case "quit":
		s.leave()
	case "d":
		if s.onBoard("d") {
			s.say(diagram(&s.game.Pos, s.prefs.chess960)...)
		}
	case "debug", "register": // accepted, without effect
	default:
		prompt, ok := s.cfg.Prompts[words[0]]
		if !ok {
			s.fail("unknown command: %s", words[0])
			return
		}
		var pos board.Position
		if s.refused == nil {
			pos = s.game.Pos
		}
		if !prompt.OnBoard || s.onBoard(words[0]) {
			s.beside(words[0], prompt.Make(pos, s.prefs.chess960))
		}
	}
}

// beside runs a prompt command on a goroutine of its own.
func (s *session) beside(name string, run func(context.Context) ([]string, error)) {
	if s.dismiss == nil {
		s.asideCtx, s.dismiss = context.WithCancel(context.Background())
	}
	s.asides++
	ctx := s.asideCtx
	go func() {
		a := &aside{}
		defer func() {
			if r := recover(); r != nil {
				a.err = fmt.Errorf("panic: %v", r)
			}
			if a.err != nil {
				a.err = fmt.Errorf("%s: %w", name, a.err)
			}
			s.events <- event{aside: a}
		}()
		a.lines, a.err = run(ctx)
	}()
}

func (s *session) introduce() {
	s.say("id name "+s.cfg.Name, "id author "+s.cfg.Author)
	for i := range s.options {
		s.say(s.options[i].Declare())
	}
	s.say("uciok")
}

// say writes lines; what is written is flushed before the loop waits.
func (s *session) say(lines ...string) {
	for _, text := range lines {
		s.note("<", text)
		if _, err := s.out.WriteString(text + "\n"); err != nil {
			s.bad = err
		}
	}
}

// fail reports an error.
func (s *session) fail(format string, args ...any) { s.tell("error: " + fmt.Sprintf(format, args...)) }

func (s *session) flush() {
	if err := s.out.Flush(); err != nil {
		s.bad = err
	}
}

// shorten leaves the middle of a long text out. Messages quote what was sent, and say at their end what is wrong.
func shorten(text string) string {
	const head, tail = 200, 200
	if len(text) <= head+tail {
		return text
	}
	return strings.ToValidUTF8(text[:head], "") + " .. " + strings.ToValidUTF8(text[len(text)-tail:], "")
}
