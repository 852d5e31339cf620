package uci

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

// patience is how long anything asked for may take. It is long because other tests share the processors.
const patience = time.Minute

// opening is an engine whose Open waits at a gate, and the calls of it.
type opening struct {
	inner   Engine
	gate    chan struct{} // closed: open
	hurried chan bool     // of each call
}

func (o *opening) Open(hurried bool) (search.Searcher, []string, error) {
	o.hurried <- hurried
	<-o.gate
	return o.inner.Open(hurried)
}

func (o *opening) Notices() <-chan string { return nil }

// playSlowly is a session whose engine opens at a gate.
func playSlowly(t *testing.T) (*gui, *opening) {
	cfg := config(t)
	o := &opening{cfg.Engine, make(chan struct{}), make(chan bool, 16)}
	cfg.Engine = o
	return play(t, cfg), o
}

// silent fails if a line comes within a moment.
func (g *gui) silent() {
	g.t.Helper()
	select {
	case l := <-g.lines:
		g.t.Errorf("%q before its time", l)
	case <-time.After(50 * time.Millisecond):
	}
}

// readyok comes when the searcher is open, and then a go opens nothing. What comes meanwhile waits in its order.
func TestReady(t *testing.T) {
	g, o := playSlowly(t)
	g.send("isready", "isready", "position startpos moves e2e4", "d", "go infinite", "isready")
	g.silent()
	close(o.gate)
	lines := g.until("readyok")
	if lines[0] != "info string opened" || len(lines) != 2 {
		t.Errorf("%q before readyok", lines)
	}
	g.until("readyok")
	g.until("Checkers")
	g.until("readyok")
	g.quiet()
	g.send("isready")
	g.until("readyok")
	g.send("stop")
	check(t, parse(t, "startpos moves e2e4"), false, g.until("bestmove"))
	if hurried := <-o.hurried; hurried || len(o.hurried) > 0 {
		t.Errorf("opened in a hurry: %t, and %d times more", hurried, len(o.hurried))
	}
}

// An option that needs another searcher is obeyed at the next isready, or soon where none comes.
func TestReopens(t *testing.T) {
	g, o := playSlowly(t)
	close(o.gate)
	g.send("setoption name Hash value 17", "isready")
	g.until("readyok")
	<-o.hurried
	g.send("setoption name Hash value 18", "setoption name TreeMemory value 17", "isready")
	g.until("readyok")
	if <-o.hurried; len(o.hurried) > 0 {
		t.Error("opened twice")
	}
	g.send("setoption name Hash value 19")
	g.until("info string opened")
	if <-o.hurried {
		t.Error("opened in a hurry in the background")
	}
	g.send("isready", "go evals 20")
	g.until("readyok")
	g.until("bestmove")
	if len(o.hurried) > 0 {
		t.Error("opened again")
	}
}

// forgetful counts the new games.
type forgetful struct {
	panicking
	games chan struct{}
}

func (f forgetful) NewGame() { f.games <- struct{}{} }

// A new game is prepared before readyok, or in the background.
func TestForgetsBeforeReady(t *testing.T) {
	cfg, f := config(t), forgetful{games: make(chan struct{}, 16)}
	cfg.opens(func() (search.Searcher, []string, error) { return f, nil, nil })
	g := play(t, cfg)
	g.send("isready")
	g.until("readyok")
	for i, word := range []string{"ucinewgame", "setoption name Clear Hash"} {
		g.send(word, "isready")
		g.until("readyok")
		if len(f.games) != 2*i+1 {
			t.Errorf("%s: %d new games at readyok", word, len(f.games))
		}
		g.send(word)
		for end := time.Now().Add(patience); len(f.games) < 2*i+2 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	if len(f.games) != 4 {
		t.Errorf("%d new games", len(f.games))
	}
}

// lasting is a searcher that searches until it is stopped, and tells how long that was.
type lasting struct {
	panicking
	took chan time.Duration
}

func (l lasting) Search(ctx context.Context, g *board.Game, _ search.Limits, _ func(search.Info)) (search.Result, error) {
	begun := time.Now()
	<-ctx.Done()
	l.took <- time.Since(begun)
	return search.Result{Best: g.Pos.LegalMoves(nil)[0]}, nil
}

// A search that was stopped while its net loaded gets a moment to find a sensible move, and every go one answer.
func TestStopWhileLoading(t *testing.T) {
	for _, end := range []string{"stop", "stop\nstop", "quit", "position startpos", "ponderhit\nstop", "isready: stop"} {
		end, asked := strings.CutPrefix(end, "isready: ") // which began the loading
		cfg, l := config(t), lasting{took: make(chan time.Duration, 1)}
		cfg.opens(func() (search.Searcher, []string, error) { return l, nil, nil })
		o := &opening{cfg.Engine, make(chan struct{}), make(chan bool, 16)}
		cfg.Engine = o
		g := play(t, cfg)
		if asked {
			g.send("isready")
		}
		g.send("position startpos", "go infinite")
		if hurried := <-o.hurried; hurried == asked {
			t.Errorf("%q: hurried %t", end, hurried)
		}
		g.send(end)
		g.silent()
		close(o.gate)
		if asked {
			g.until("readyok")
		}
		check(t, board.StartPosition(), false, g.until("bestmove"))
		if took := <-l.took; took < brief/2 {
			t.Errorf("%q: a search of %v", end, took)
		}
	}
}

// Quit and the end of input while a net loads end the session after what was asked.
func TestEndWhileLoading(t *testing.T) {
	for text, want := range map[string]string{
		"isready\n": "info string opened\nreadyok\n", "isready\nquit\n": "info string opened\nreadyok\n",
		"isready\nisready\nuci": "readyok\nreadyok\n", "quit\n": "", "": "",
	} {
		var out strings.Builder
		if err := Loop(strings.NewReader(text), &out, config(t)); err != nil || !strings.Contains(out.String(), want) || want == "" && out.Len() > 0 {
			t.Errorf("%q: %v, %q", text, err, out.String())
		}
	}
}

// A loading that panics is said, and readyok comes; it is tried again when it is needed, and not before.
func TestLoadingPanics(t *testing.T) {
	cfg, calls := config(t), 0
	cfg.opens(func() (search.Searcher, []string, error) { calls++; panic("no way in") })
	g := play(t, cfg)
	g.send("isready")
	if text := strings.Join(g.until("readyok"), "\n"); !strings.Contains(text, "no way in") {
		t.Errorf("no reason in %q", text)
	}
	g.silent()
	g.send("go movetime 10")
	g.until("bestmove")
	if calls != 2 {
		t.Errorf("opened %d times", calls)
	}
}

// The answer of a finished game that waits for stop is given when lines wait behind it, however they came.
func TestHeldAnswer(t *testing.T) {
	for _, c := range []string{"go infinite", "go ponder wtime 100 btime 100"} {
		g, o := playSlowly(t)
		g.send("isready", "position fen 7k/8/8/8/8/6q1/8/7K w - - 0 1", c, "position startpos", "go evals 20")
		close(o.gate)
		g.until("bestmove 0000")
		check(t, board.StartPosition(), false, g.until("bestmove"))
		g.send("position fen 7k/8/8/8/8/6q1/8/7K w - - 0 1", c)
		g.quiet()
		g.send("go evals 20") // in the same position
		g.until("bestmove 0000")
		g.until("bestmove 0000")
	}
}

// A writer that fails while an answer is held ends the session.
func TestBrokenOutput(t *testing.T) {
	broken := errors.New("broken pipe")
	g := make(chan error, 1)
	in := strings.NewReader("position fen 7k/8/8/8/8/6q1/8/7K w - - 0 1\ngo infinite\nd\n")
	go func() { g <- Loop(in, failing{broken}, config(t)) }()
	select {
	case err := <-g:
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the session does not end")
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

// sinking is a searcher that reports depth 9 and returns another move at depth 2.
type sinking struct{ panicking }

func (sinking) Search(_ context.Context, g *board.Game, _ search.Limits, report func(search.Info)) (search.Result, error) {
	moves := g.Pos.LegalMoves(nil)
	report(search.Info{Depth: 9, SelDepth: 9, PV: moves[:1]})
	return search.Result{Best: moves[1], Info: search.Info{Depth: 2, SelDepth: 2, PV: moves[1:2]}}, nil
}

// The depth of the last report is not below an earlier one.
func TestDepthDoesNotFall(t *testing.T) {
	cfg := config(t)
	cfg.opens(func() (search.Searcher, []string, error) { return sinking{}, nil, nil })
	g := play(t, cfg)
	g.send("go depth 9")
	lines := g.until("bestmove")
	check(t, board.StartPosition(), false, lines)
	if last := lines[len(lines)-2]; !strings.HasPrefix(last, "info depth 9 ") {
		t.Errorf("the last report is %q", last)
	}
}

// A byte order mark and carriage returns are no part of the lines.
func TestMarks(t *testing.T) {
	var out strings.Builder
	err := Loop(strings.NewReader("\ufeffuci\r\nposition startpos moves e2e4\r\nd\r\n"), &out, config(t))
	if err != nil || !strings.Contains(out.String(), "uciok") || strings.Contains(out.String(), "error") {
		t.Errorf("%v, %s", err, out.String())
	}
}
