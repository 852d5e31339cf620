package uci

import (
	"bufio"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
	"tesla/search"
	"tesla/tt128"
	"tesla/uci/option"
)

// gui is the other side of the protocol.
type gui struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	ended chan error
}

// fakeEngine is an engine whose Open is a function.
type fakeEngine struct {
	open    func() (search.Searcher, []string, error)
	notices chan string
}

func (e fakeEngine) Open(bool) (search.Searcher, []string, error) { return e.open() }
func (e fakeEngine) Notices() <-chan string                       { return e.notices }

// settings are what the options of a test's engine set.
type settings struct {
	hash, treeMemory int
	search, weights  string
	verbose          bool
}

func (s *settings) options() []option.Option {
	return []option.Option{
		{Name: "Hash", Value: option.Number[int]{To: &s.hash, Min: 1, Max: 1 << 25}, Remake: true},
		{Name: "Search", Value: option.Choice{To: &s.search, Of: []string{"bestfirst"}}, Remake: true},
		{Name: "WeightsFile", Value: option.Text{To: &s.weights}, Remake: true},
		{Name: "TreeMemory", Value: option.Number[int]{To: &s.treeMemory, Min: 1, Max: 1 << 25}, Remake: true},
		{Name: "VerboseMoveStats", Value: option.Check{To: &s.verbose}, Remake: true},
	}
}

// config runs the best-first search on the mock backend.
func config(t *testing.T) Config {
	set := &settings{hash: 16, treeMemory: 16, search: "bestfirst"}
	lines := func(onBoard bool, lines ...string) Prompt {
		return Prompt{OnBoard: onBoard, Make: func(board.Position, bool) func(context.Context) ([]string, error) {
			return func(context.Context) ([]string, error) { return lines, nil }
		}}
	}
	return Config{
		Name: "Test", Author: "Tests", Options: set.options(),
		Engine: fakeEngine{open: func() (search.Searcher, []string, error) {
			table, err := tt128.New(1)
			if err != nil {
				return nil, nil, err
			}
			s, err := bestfirst.New(batcher.NewMock(batcher.Options{}), table,
				bestfirst.Options{TreeMemory: set.treeMemory << 20, Verbose: set.verbose})
			if err == nil {
				t.Cleanup(func() { s.Close(); table.Close() })
			}
			return s, []string{"opened"}, err
		}},
		Prompts: map[string]Prompt{"eval": lines(true, "evaluated"), "bench": lines(false, "1 nodes 1 nps")},
	}
}

// opens changes what the engine of a configuration opens.
func (c *Config) opens(open func() (search.Searcher, []string, error)) {
	c.Engine = fakeEngine{open: open}
}

func play(t *testing.T, cfg Config) *gui {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	g := &gui{t: t, in: inWrite, lines: make(chan string, 1<<16), ended: make(chan error, 1)}
	go func() {
		g.ended <- Loop(inRead, outWrite, cfg)
		outWrite.Close()
	}()
	go func() {
		r := bufio.NewReader(outRead)
		for {
			text, err := r.ReadString('\n')
			if err != nil {
				close(g.lines)
				return
			}
			g.lines <- strings.TrimSuffix(text, "\n")
		}
	}()
	t.Cleanup(func() {
		inWrite.Close()
		select {
		case err := <-g.ended:
			if err != nil {
				t.Errorf("Loop: %v", err)
			}
		case <-time.After(patience):
			t.Error("the loop does not end")
		}
	})
	return g
}

func (g *gui) send(lines ...string) {
	for _, l := range lines {
		if _, err := io.WriteString(g.in, l+"\n"); err != nil {
			g.t.Fatal(err)
		}
	}
}

// until collects lines to the first that begins with prefix.
func (g *gui) until(prefix string) []string {
	g.t.Helper()
	var got []string
	late := time.After(patience)
	for {
		select {
		case l, open := <-g.lines:
			if !open {
				g.t.Fatalf("output ends before %q; so far %q", prefix, got)
			}
			got = append(got, l)
			if strings.HasPrefix(l, prefix) {
				return got
			}
		case <-late:
			g.t.Fatalf("no %q in %v; so far %q", prefix, patience, got)
		}
	}
}

// quiet fails when a bestmove comes within a moment.
func (g *gui) quiet() {
	g.t.Helper()
	wait := time.After(80 * time.Millisecond)
	for {
		select {
		case l := <-g.lines:
			if strings.HasPrefix(l, "bestmove") {
				g.t.Fatalf("%q before it was asked for", l)
			}
		case <-wait:
			return
		}
	}
}

var infoForm = regexp.MustCompile(`^info depth \d+ seldepth \d+ multipv \d+ score (cp|mate) -?\d+( lowerbound| upperbound)?` +
	`( wdl \d+ \d+ \d+)? nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+( pv( [a-h][1-8][a-h][1-8][nbrq]?)+)?$`)

// check holds an answer against the protocol and the rules, and returns the best move.
func check(t *testing.T, pos board.Position, chess960 bool, lines []string) string {
	t.Helper()
	first, last := "", lines[len(lines)-1]
	for _, l := range lines[:len(lines)-1] {
		if strings.HasPrefix(l, "info string") || !strings.HasPrefix(l, "info ") {
			continue
		}
		if !infoForm.MatchString(l) {
			t.Errorf("malformed: %q", l)
		}
		_, pv, _ := strings.Cut(l, " pv ")
		p := pos
		for i, w := range strings.Fields(pv) {
			m, err := p.ParseMove(w)
			if err != nil {
				t.Fatalf("PV of %q: %v", l, err)
			}
			if i == 0 && strings.Contains(l, " multipv 1 ") {
				first = w
			}
			p = p.After(m)
		}
	}
	words := strings.Fields(last)
	if words[1] != first {
		t.Errorf("%q after a PV that begins with %q", last, first)
	}
	m, err := pos.ParseMove(words[1])
	if err != nil {
		t.Fatalf("%q: %v", last, err)
	}
	if len(words) > 2 {
		next := pos.After(m)
		if _, err := next.ParseMove(words[3]); err != nil || words[2] != "ponder" {
			t.Errorf("%q: %v", last, err)
		}
	}
	return words[1]
}

func parse(t *testing.T, args string) board.Position {
	t.Helper()
	g, _, err := parsePosition(strings.Fields(args))
	if err != nil {
		t.Fatal(err)
	}
	return g.Pos
}

func TestIntroduction(t *testing.T) {
	g := play(t, config(t))
	g.send("uci")
	text := strings.Join(g.until("uciok"), "\n")
	for _, want := range []string{"id name Test", "id author Tests", "name Hash type spin default 16 min 1",
		"name Move Overhead type spin default 10", "name Search type combo default bestfirst var bestfirst", "name Clear Hash type button",
		"name WeightsFile type string default <empty>", "name UCI_Chess960 type check default false"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the answer to uci", want)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct{ setup, position, command, want string }{
		{"", "startpos", "go evals 300", ""},
		{"", "startpos moves e2e4 e7e5", "go nodes 200", ""},
		{"", "startpos", "go depth 5", ""},
		{"", "startpos", "go depth 0", ""},
		{"", "startpos", "go movetime 20", ""},
		{"", "startpos", "go movetime 0", ""},
		{"", "startpos", "go wtime 300 btime 300 winc 5 binc 5", ""},
		{"", "startpos", "go wtime -20 btime 300", ""},
		{"", "startpos", "go wtime 300 btime 300 movestogo 1", ""},
		{"", "startpos", "go btime 60000", ""},
		{"", "startpos", "go winc 10", ""},
		{"", "startpos", "go searchmoves a2a3 evals 200", "a2a3"},
		{"", "startpos", "go evals 200 searchmoves h2h4 a2a3 endless", "(h2h4|a2a3)"},
		{"", "startpos", "go depth six", ""},
		{"", "startpos", "go nodes", ""},
		{"", "fen 6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "go mate 1", "a1a8"},
		{"", "fen 6k1/5ppp/8/8/8/8/8/R6K w - -", "go evals 500", "a1a8"},
		{"setoption name MultiPV value 3", "startpos", "go evals 400", ""},
		{"setoption name UCI_ShowWDL value true", "startpos", "go evals 100", ""},
		{"setoption name VerboseMoveStats value true", "startpos", "go evals 100", ""},
		{"setoption name UCI_ShowSure value true", "startpos", "go evals 100", ""}, // nothing is fitted to the net of the tests
		{"setoption name UCI_Chess960 value true", "fen 1k6/8/8/8/8/8/5PPP/4RK1R w H - 0 1", "go searchmoves f1h1 evals 50", "f1h1"},
		{"", "fen 4k3/8/8/8/8/8/4PPPP/4K2R w K - 0 1", "go searchmoves e1g1 evals 50", "e1g1"},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			g := play(t, config(t))
			if c.setup != "" {
				g.send(c.setup)
			}
			g.send("position "+c.position, c.command)
			lines := g.until("bestmove")
			best := check(t, parse(t, c.position), strings.Contains(c.setup, "960"), lines)
			if c.want != "" && !regexp.MustCompile("^"+c.want+"$").MatchString(best) {
				t.Errorf("bestmove %s, want %s", best, c.want)
			}
			text := strings.Join(lines, "\n")
			for setup, want := range map[string]string{"MultiPV": " multipv 3 ", "ShowWDL": " wdl ", "VerboseMoveStats": "info string node "} {
				if strings.Contains(c.setup, setup) != strings.Contains(text, want) {
					t.Errorf("with %q: %q in the answer is %t", c.setup, want, strings.Contains(text, want))
				}
			}
		})
	}
}

// TestGameOver: no legal move is answered too, by go alone at once, by go infinite only after stop.
func TestGameOver(t *testing.T) {
	g := play(t, config(t))
	g.send("position fen 7k/8/8/8/8/8/r7/1r5K w - - 0 1", "go evals 10")
	if text := strings.Join(g.until("bestmove 0000"), "\n"); !strings.Contains(text, "score mate 0") {
		t.Errorf("mated: %q", text)
	}
	g.send("position fen 7k/8/8/8/8/6q1/8/7K w - - 0 1", "go")
	g.until("bestmove 0000")
	g.send("go infinite")
	g.quiet()
	g.send("stop")
	g.until("bestmove 0000")
}

func TestInfiniteAndPonder(t *testing.T) {
	g := play(t, config(t))
	start := board.StartPosition()
	g.send("isready", "position startpos", "go infinite")
	g.until("readyok")
	g.quiet()
	g.send("isready", "d", "eval", "go perft 2")
	g.until("readyok")
	g.until("Nodes searched: 400")
	g.quiet()
	g.send("stop")
	g.until("bestmove")
	g.send("go ponder wtime 200 btime 200")
	g.quiet()
	g.send("ponderhit")
	g.until("bestmove")
	g.send("go ponder wtime 200 btime 200", "ponderhit") // before the search has begun
	check(t, start, false, g.until("bestmove"))
	g.send("go ponder evals 20")
	g.quiet()
	g.send("stop")
	g.until("bestmove")
	g.send("stop", "ponderhit", "isready") // nothing to stop: no second answer
	for _, l := range g.until("readyok") {
		if strings.HasPrefix(l, "bestmove") {
			t.Error("an answer that nobody asked for")
		}
	}
}

// TestQueue: lines that have to wait do, and a waiting line ends an infinite search.
func TestQueue(t *testing.T) {
	g := play(t, config(t))
	g.send("go evals 400", "position startpos moves e2e4", "go evals 100", "setoption name MultiPV value 2", "ucinewgame",
		"go infinite", "stop")
	check(t, board.StartPosition(), false, g.until("bestmove"))
	after := parse(t, "startpos moves e2e4")
	check(t, after, false, g.until("bestmove"))
	check(t, after, false, g.until("bestmove"))
	g.send("d")
	if text := strings.Join(g.until("Checkers"), "\n"); !strings.Contains(text, "PPPP1PPP/RNBQKBNR b") {
		t.Errorf("d shows %s", text)
	}
	g.send("go infinite", "go evals 50")
	g.until("bestmove")
	g.until("bestmove")
}

func TestBadInput(t *testing.T) {
	g := play(t, config(t))
	g.send("position startpos moves d2d4")
	for _, c := range []struct{ line, want string }{
		{"setoption", "no name"},
		{"setoption name Nonsense value 3", "no option called"},
		{"setoption name Hash value 0", "not in 1.."},
		{"setoption name Hash value 99999999999999999999", "whole number"},
		{"setoption name hash value 999999999", "still 16"},
		{"setoption name Hash", "no value"},
		{"setoption name TreeMemory value -5", "not in"},
		{"setoption name MultiPV value many", "whole number"},
		{"setoption name Ponder value maybe", "neither true nor false"},
		{"setoption name Search value minimax", "bestfirst"},
		{"setoption name Debug Log File value /nonexistent/x/y", "Debug Log File"},
		{"go perft", "depth"},
		{"go perft -1", "depth"},
		{"hello", "unknown command"},
		{strings.Repeat("x", 200000), "unknown command"},
		{"setoption name " + strings.Repeat("x", 200000) + " value 3", "no option called"},
		{"setoption name Hash value " + strings.Repeat("9", 200000), "still 16"},
		{"go perft " + strings.Repeat("9", 200000), "depth"},
	} {
		g.send(c.line, "isready")
		text := strings.Join(g.until("readyok"), "\n")
		if !strings.Contains(text, "info string error: ") || !strings.Contains(text, c.want) || len(text) > 600 {
			t.Errorf("%.60q: answer %q, want an error with %q", c.line, text, c.want)
		}
	}
	g.send("d")
	if text := strings.Join(g.until("Checkers"), "\n"); !strings.Contains(text, "3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1") {
		t.Errorf("bad input changed the position: %s", text)
	}
}

func TestLongGame(t *testing.T) {
	moves := strings.Repeat(" g1f3 g8f6 f3g1 f6g8", 5000)
	g := play(t, config(t))
	g.send("position startpos moves"+moves, "go evals 100")
	check(t, board.StartPosition(), false, g.until("bestmove"))
}

// TestEndOfInput: what was asked is still answered.
func TestEndOfInput(t *testing.T) {
	for _, text := range []string{"go infinite", "go evals 100\n", "isready\nposition startpos\ngo ponder wtime 100\n", "go evals 50\ngo evals 60\nquit\n"} {
		var out strings.Builder
		if err := Loop(strings.NewReader(text), &out, config(t)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got, want := strings.Count(out.String(), "bestmove "), strings.Count(text, "go "); got != want {
			t.Errorf("%q: %d answers, want %d: %s", text, got, want, out.String())
		}
	}
}

func TestNothingLoads(t *testing.T) {
	cfg := config(t)
	cfg.opens(func() (search.Searcher, []string, error) { return nil, nil, errors.New("no net anywhere") })
	g := play(t, cfg)
	g.send("isready")
	lines := g.until("readyok")
	g.send("go movetime 10")
	lines = append(lines, g.until("bestmove")...)
	check(t, board.StartPosition(), false, lines)
	if strings.Count(strings.Join(lines, "\n"), "error: no net anywhere") != 2 {
		t.Errorf("no reason before readyok and bestmove in %q", lines)
	}
	g.send("go infinite")
	g.quiet()
	g.send("stop")
	g.until("bestmove")
}

// panicking is a searcher that reports nonsense and panics.
type panicking struct{}

func (panicking) Search(_ context.Context, _ *board.Game, _ search.Limits, report func(search.Info)) (search.Result, error) {
	report(search.Info{Depth: 1, PV: []board.Move{12345}})
	panic("out of ideas")
}
func (panicking) PonderHit()   {}
func (panicking) NewGame()     {}
func (panicking) Close() error { return nil }

func TestPanic(t *testing.T) {
	cfg := config(t)
	cfg.opens(func() (search.Searcher, []string, error) { return panicking{}, nil, nil })
	g := play(t, cfg)
	for range 2 {
		g.send("go depth 3")
		lines := g.until("bestmove")
		check(t, board.StartPosition(), false, lines)
		if !strings.Contains(strings.Join(lines, "\n"), "out of ideas") {
			t.Errorf("no reason in %q", lines)
		}
	}
}

// Notices are told while a search runs.
func TestNotices(t *testing.T) {
	notices := make(chan string)
	cfg := config(t)
	open := cfg.Engine.Open
	cfg.Engine = fakeEngine{func() (search.Searcher, []string, error) { return open(false) }, notices}
	g := play(t, cfg)
	g.send("go infinite")
	notices <- "the backend\nfailed"
	g.until("info string the backend; failed")
	g.send("stop")
	g.until("bestmove")
	g.send("quit")
}

// A move that is searched now has a line of its own, with its number. It is not the one that is played.
func TestCurrentMove(t *testing.T) {
	cfg := config(t)
	cfg.opens(func() (search.Searcher, []string, error) { return telling{}, nil, nil })
	g := play(t, cfg)
	g.send("go movetime 1")
	lines := g.until("bestmove")
	if n := len(lines); n < 2 || lines[n-2] != "info depth 7 currmove g1f3 currmovenumber 2" || lines[n-1] != "bestmove e2e4" {
		t.Errorf("%q", lines)
	}
}

// telling is a searcher that reports a line, and then a move that it searches where that was asked for.
type telling struct{ sinking }

func (telling) Search(_ context.Context, g *board.Game, lim search.Limits, report func(search.Info)) (search.Result, error) {
	best, _ := g.Pos.ParseMove("e2e4")
	now, _ := g.Pos.ParseMove("g1f3")
	in := search.Info{Depth: 6, PV: []board.Move{best}}
	report(in)
	if lim.Current {
		report(search.Info{Depth: 7, Current: now, Number: 2})
	}
	return search.Result{Best: best, Info: in}, nil
}
