package annotate

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/corentings/chess/v2"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/match/pgn"
	"tesla/search"
)

// open makes a searcher that is quick and always finds the same.
func open(t *testing.T) search.Searcher {
	t.Helper()
	set := engine.Default()
	set.Search, set.Backend, set.Hash, set.TreeMemory = "bestfirst", "mock", 1, 4
	s, _, err := engine.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// config is a configuration that reads a file and writes into a folder of the test.
func config(t *testing.T, in string) Config {
	return Config{In: in, Out: filepath.Join(t.TempDir(), "out.pgn"), Limits: search.Limits{Evals: 6}, From: 1, Print: io.Discard, Err: io.Discard}
}

// label names the search in what is written.
var label = Label{Search: "lazysmp"}

// annotate runs a configuration and returns what it wrote.
func annotate(t *testing.T, s search.Searcher, cfg Config) string {
	t.Helper()
	f, err := Open(cfg)
	if err == nil {
		err = f.Run(context.Background(), s, label)
	}
	if err != nil {
		t.Fatal(err)
	}
	return read(t, cfg.Out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOddities annotates ten files that have all oddities of the standard. Nothing of them is lost, and other programs read
// the same moves.
func TestOddities(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pgn")
	if err != nil || len(files) != 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	s := open(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			cfg := config(t, file)
			text := annotate(t, s, cfg)
			if !utf8.ValidString(text) || strings.Contains(text, "\r") {
				t.Error("it is not UTF-8 with line feeds")
			}
			before, after := pgn.ReadAnnotated(read(t, file)), pgn.ReadAnnotated(text)
			if len(before) != len(after) {
				t.Fatalf("%d games became %d", len(before), len(after))
			}
			for i := range before {
				checkKept(t, before[i], after[i])
			}
			checkOneComment(t, text)
			readByLibrary(t, file, text, before)
			readByPGNExtract(t, cfg.Out, before)
		})
	}
}

// checkKept checks that a game still has its tags, moves, variations, comments and glyphs, in their order.
func checkKept(t *testing.T, before, after *pgn.Annotated) {
	t.Helper()
	if after.Err != nil || after.Start != before.Start || after.Result != before.Result {
		t.Errorf("%s: %v, result %s, want %s", before.Name(), after.Err, after.Result, before.Result)
	}
	for _, tag := range before.Tags {
		if got := after.Tag(tag.Name); got != tag.Value && !(tag.Name == "Annotator" && got == tag.Value+"; Tesla") {
			t.Errorf("%s: tag %s is %q, was %q", before.Name(), tag.Name, got, tag.Value)
		}
	}
	if got, want := movesOf(after), movesOf(before); got != want {
		t.Errorf("%s: moves %s, want %s", before.Name(), got, want)
	}
	rest := after.Elements
	for _, e := range before.Elements {
		if e.Kind == pgn.Comment {
			if e.Text = strings.Join(strings.Fields(earlier.ReplaceAllString(e.Text, "")), " "); e.Text == "" {
				continue
			}
		}
		k := 0
		for k < len(rest) && (rest[k].Kind != e.Kind || !strings.Contains(braceless(rest[k].Text), braceless(e.Text)) || rest[k].Glyph != e.Glyph || rest[k].Move != e.Move ||
			rest[k].Before != e.Before) {
			k++
		}
		if k == len(rest) {
			t.Errorf("%s: %+v is lost", before.Name(), e)
			return
		}
		rest = rest[k+1:]
	}
}

// braceless is a comment as it can be written between braces.
func braceless(text string) string { return strings.NewReplacer("{", "(", "}", ")").Replace(text) }

// movesOf is the moves of a game in UCI form.
func movesOf(a *pgn.Annotated) string {
	var words []string
	p := a.Start
	for _, m := range a.Moves {
		words = append(words, p.UCI(m, a.Start.NeedsChess960()))
		p = p.After(m)
	}
	return strings.Join(words, " ")
}

// refused are the files with what the library cannot read, even as the standard has it.
var refused = map[string]string{"chess960.pgn": "castling of Chess960", "escapes.pgn": "escapes, and quotation marks in tags", "crlf.pgn": "escapes",
	"commands.pgn": "null moves in variations"}

// readByLibrary has corentings/chess read the moves. Of variations it loses much, so only the games themselves are compared.
func readByLibrary(t *testing.T, file, text string, want []*pgn.Annotated) {
	t.Helper()
	if refused[filepath.Base(file)] != "" {
		return
	}
	games := chess.NewScanner(strings.NewReader(text))
	for _, w := range want {
		if !games.HasNext() {
			t.Fatalf("the library misses %s", w.Name())
		}
		g, err := games.ParseNext()
		if err != nil {
			t.Fatalf("the library, %s: %v", w.Name(), err)
		}
		var words []string
		for _, m := range g.Moves() {
			words = append(words, m.String())
		}
		if got := strings.Join(words, " "); got != movesOf(w) {
			t.Errorf("the library reads %s as %s, want %s", w.Name(), got, movesOf(w))
		}
	}
}

// readByPGNExtract has pgn-extract read the moves, where it is installed.
func readByPGNExtract(t *testing.T, file string, want []*pgn.Annotated) {
	t.Helper()
	program, err := exec.LookPath("pgn-extract")
	if err != nil {
		program = "/usr/games/pgn-extract" // where Debian has it
	}
	if _, err := os.Stat(program); err != nil {
		return
	}
	var complaints bytes.Buffer
	c := exec.Command(program, "-s", "-Wuci", "--notags", "-C", "-N", "-V", file)
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("pgn-extract: %v, %s", err, complaints.String())
	}
	games := strings.Split(strings.TrimSpace(string(out)), "\n\n")
	for i, w := range want {
		line := strings.TrimSpace(movesOf(w) + " " + w.Result)
		if i >= len(games) || !strings.EqualFold(strings.TrimSpace(games[i]), line) {
			t.Fatalf("pgn-extract reads %q, want %s", games[min(i, len(games)-1)], line)
		}
	}
}

// TestMarks checks what is written about a game with a blunder, a move that is the only one, and a mate.
func TestMarks(t *testing.T) {
	set := engine.Default()
	set.Search, set.Hash = "lazysmp", 1
	s, _, err := engine.Open(set)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in := filepath.Join(t.TempDir(), "in.pgn")
	write(t, in, "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 $146 {why} 4. Qxf7# 1-0")
	cfg := config(t, in)
	cfg.Limits = search.Limits{Nodes: 4000}
	cfg.Graphs = filepath.Join(t.TempDir(), "graphs")
	text := strings.Join(strings.Fields(annotate(t, s, cfg)), " ")
	for _, want := range []string{"[ECO \"C23\"]", "[Opening \"Bishop's Opening\"]", "[Annotator \"Tesla\"]", "{Tesla, lazysmp, 4000 nodes a move. White: accuracy ",
		"3... Nf6 $146 $4 {[%eval #1,", " Blunder, from ", " to #1. why} (3... ", ") 4. Qxf7# $1 {Only move.} 1-0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, name := range []string{"game-0001.svg", "game-0001.png"} {
		if head := read(t, filepath.Join(cfg.Graphs, name)); !strings.Contains(head[:200], "<svg") && !strings.HasPrefix(head, "\x89PNG") {
			t.Errorf("%s is no picture", name)
		}
	}
	again := config(t, cfg.Out)
	again.Limits = cfg.Limits
	second := strings.Join(strings.Fields(annotate(t, s, again)), " ")
	for _, once := range []string{"[%eval", "Annotator", "White: accuracy", "Theory: ", "Blunder, from", "Only move.", "(3..."} {
		if n := strings.Count(second, once); n != strings.Count(text, once) {
			t.Errorf("annotated twice: %q is there %d times\n%s", once, n, second)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSelection checks which moves are judged.
func TestSelection(t *testing.T) {
	s := open(t)
	in := filepath.Join(t.TempDir(), "in.pgn")
	write(t, in, "[Event \"x\"]\n[White \"Carlsen, M\"]\n[Black \"B\"]\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n[Event \"y\"]\n[White \"C\"]\n[Black \"D\"]\n1. d4 {kept} *\n")
	for _, c := range []struct {
		change func(*Config)
		want   string // moves that have an evaluation
	}{
		{func(*Config) {}, "e4 e5 Nf3 Nc6 Bb5 a6 d4"},
		{func(c *Config) { c.Player = "carlsen" }, "e4 Nf3 Bb5"},
		{func(c *Config) { c.From, c.To = 2, 2 }, "Nf3 Nc6"},
		{func(c *Config) { c.From, c.Player = 3, "b" }, "a6"},
	} {
		cfg := config(t, in)
		c.change(&cfg)
		var got []string
		for _, g := range pgn.ReadAnnotated(annotate(t, s, cfg)) {
			last := ""
			for _, e := range g.Elements {
				if e.Kind == pgn.Played {
					last = pgn.SAN(&e.Before, e.Move)
				} else if strings.HasPrefix(e.Text, "[%eval") {
					got = append(got, last)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("judged are %v, want %s", got, c.want)
		}
	}
	cfg := config(t, in)
	cfg.Player = "Nobody"
	if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), "no move to judge") {
		t.Errorf("%v", err)
	}
}

// TestBroken checks that broken games are named and end the run before it writes anything, or go into a file of their own.
func TestBroken(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.pgn")
	const bad = "[Event \"b\"]\n[White \"W\"]\n[Black \"B\"]\n\n1. e4 e5\n2. Ke3 {lost?} 1-0"
	write(t, in, "[Event \"a\"]\n1. d4 *\n\n"+bad+"\n\n[Event \"c\"]\n1. c4 {open\n")
	cfg := config(t, in)
	_, err := Open(cfg)
	for _, want := range []string{in + `: game 2 (W - B), line 9, move 2.: move "Ke3": no legal move fits`,
		in + ": game 3 (? - ?), line 12, move 1...: a comment is not closed", "2 of 3 unreadable games, and nothing written; --skip-bad"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	cfg.SkipBad = true
	text := annotate(t, open(t), cfg)
	if n := strings.Count(text, "[Event"); n != 1 {
		t.Errorf("%d games are annotated", n)
	}
	if got := read(t, cfg.BadFile()); got != bad+"\n\n[Event \"c\"]\n1. c4 {open\n\n" {
		t.Errorf("the bad games became %q", got)
	}
}

// TestResume ends a run after each number of positions, as a kill does, and starts again: the file is the same.
func TestResume(t *testing.T) {
	s := open(t)
	cfg := config(t, "testdata/nested.pgn")
	want := annotate(t, s, cfg)
	for _, after := range []int{0, 1, 7, 20} {
		cfg := config(t, cfg.In)
		ctx, cancel := context.WithCancel(context.Background())
		f, err := Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Run(ctx, &stopping{s, after, cancel}, label); err == nil {
			t.Fatalf("the run of %d positions has not ended early", after)
		}
		torn := read(t, cfg.Journal()) + `{"game":0,"pl`
		write(t, cfg.Journal(), torn)
		if text := annotate(t, s, cfg); text != want {
			t.Errorf("after %d positions: the file is another one", after)
		}
		if _, err := os.Stat(cfg.Journal()); err == nil {
			t.Error("the journal is still there")
		}
	}
	write(t, cfg.Journal(), `{"tesla_annotate":2,"search":"other","input":"0"}`+"\n")
	f, err := Open(cfg)
	if err == nil {
		err = f.Run(context.Background(), s, label)
	}
	if err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("the journal of another run: %v", err)
	}
}

// stopping cancels the run after a number of searches.
type stopping struct {
	search.Searcher
	left   int
	cancel func()
}

func (s *stopping) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if s.left--; s.left < 0 {
		s.cancel()
	}
	return s.Searcher.Search(ctx, g, l, report)
}

// TestAccuracy compares the formulas with values that were computed by hand from those of Lichess.
func TestAccuracy(t *testing.T) {
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 0.01 {
			t.Errorf("%s is %.3f, want %.3f", name, got, want)
		}
	}
	near("win percentage at +100", winPercent(100), 59.10)
	near("win percentage of a mate", winPercent(search.MateIn(3)), 97.54)
	near("accuracy of a move that loses nothing", moveAccuracy(50, 60), 100)
	near("accuracy of a move that loses 10 points", moveAccuracy(60, 50), 64.58)
	near("accuracy of a move that loses all", moveAccuracy(100, 0), 0)
	// Two moves of White, accuracies 100 and 64.58. The windows have two positions: deviations 0 (at least 0.5) and 5.
	wins := []float64{50, 50, 60, 50}
	white := func(i int) (counts, forced bool) { return i%2 == 0, false }
	near("accuracy of White", accuracy(wins, false, white), ((0.5*100+5*64.58)/5.5+2/(1/100.+1/64.58))/2)
	black := func(i int) (counts, forced bool) { return i%2 == 1, false }
	near("accuracy of Black", accuracy(wins, true, black), 64.58)
	near("accuracy of a forced move", accuracy(wins, true, func(i int) (counts, forced bool) { return i%2 == 1, true }), 100)
}

func TestOpenings(t *testing.T) {
	table, err := theory()
	if err != nil || len(table) < 3700 {
		t.Fatalf("%d positions, %v", len(table), err)
	}
	g := pgn.ReadAnnotated("1. Nf3 d5 2. d4 Nf6 3. c4 e6 4. Nc3 Be7 5. Bf4 h6 6. a3 a6 *")[0]
	o, plies, err := findOpening(g.Start, g.Moves)
	if err != nil || plies != 9 || o.Code != "D37" || !strings.HasPrefix(o.Name, "Queen's Gambit Declined") {
		t.Errorf("%v after %d plies, %v", o, plies, err)
	}
}

// TestJudge judges moves by the scores before and after them, whether or not the search chose them.
func TestJudge(t *testing.T) {
	second := func(cp int) *int { return &cp }
	for _, c := range []struct {
		name       string
		before     evaluation
		after      int // for the other side
		best       bool
		legal      int
		recaptures bool
		mark       mark
		loss       int
	}{
		{"the search's choice loses a piece", evaluation{CP: -83, Second: second(-90)}, 557, true, 30, false, bad, 474},
		{"the search's choice loses a pawn", evaluation{CP: 20, Second: second(10)}, 80, true, 30, false, imprecise, 100},
		{"the search's choice is mated", evaluation{CP: 30, Second: second(10)}, search.MateIn(5), true, 30, false, bad, 1030},
		{"the search's choice gives a mate away", evaluation{CP: search.MateIn(5), Second: second(10)}, 0, true, 30, false, bad, 1000},
		{"the search's choice holds", evaluation{CP: 30, Second: second(-400)}, -25, true, 30, false, onlyMove, 5},
		{"it recaptures", evaluation{CP: 30, Second: second(-400)}, -25, true, 30, true, 0, 5},
		{"an only move that does not hold", evaluation{CP: 30, Second: second(-400)}, 50, true, 30, false, imprecise, 80},
		{"an only move that is worse than thought", evaluation{CP: 100, Second: second(-80)}, -80, true, 30, false, 0, 20},
		{"the only legal move", evaluation{CP: 30}, 600, true, 1, false, 0, 0},
		{"another move", evaluation{CP: 30}, 120, false, 30, false, wrong, 150},
		{"another move that is better", evaluation{CP: 30}, -300, false, 30, false, 0, 0},
	} {
		j := judge(&c.before, &evaluation{CP: c.after}, c.best, c.legal, c.recaptures)
		if j.mark != c.mark || j.loss() != c.loss {
			t.Errorf("%s: %q, loss %d; want %q, %d", c.name, j.mark, j.loss(), c.mark, c.loss)
		}
	}
}

// scripted gives the scores of a list, each for one position, with its line and a second one.
type scripted struct {
	search.Searcher
	scores []int // of White
	asked  int
}

func (s *scripted) NewGame() {}

func (s *scripted) Search(_ context.Context, g *board.Game, _ search.Limits, report func(search.Info)) (search.Result, error) {
	cp := s.scores[s.asked]
	s.asked++
	if g.Pos.Black {
		cp = -cp
	}
	moves := g.Pos.LegalMoves(nil)
	second := search.Info{Score: search.ScoreFromCP(cp - 7), PV: moves[1:2], MultiPV: 2, Depth: 9}
	report(second)
	best := search.Info{Score: search.ScoreFromCP(cp), PV: moves[:1], MultiPV: 1, Depth: 9}
	return search.Result{Best: moves[0], Info: best}, nil
}

// TestBlunderOfTheSearch annotates games in which each move is the choice of the search before it: the mark, the better
// line and the summary come from what is known after the move. A null move is not judged.
func TestBlunderOfTheSearch(t *testing.T) {
	first := func(p board.Position) string { return pgn.SAN(&p, p.LegalMoves(nil)[0]) }
	p := board.StartPosition()
	white := first(p)
	next := p.After(p.LegalMoves(nil)[0])
	black := first(next)
	for _, c := range []struct {
		moves  string
		scores []int
		want   []string
	}{
		{"1. " + white + " " + black + " *", []int{20, 30, 557}, []string{
			"1... " + black + " $4 {[%eval 5.57,9] Blunder, from 0.30 to 5.57.} (1... ", "White: accuracy 100.0 %, average loss 0 centipawns, 0 ?!, 0 ?, 0 ??.",
			"average loss 527 centipawns, 0 ?!, 0 ?, 1 ??."}},
		{"1. " + white + " " + black + " *", []int{20, -700, -700}, []string{
			"1. " + white + " $4 {[%eval -7.00,9] Blunder, from 0.20 to -7.00. Theory: ", "} (1. ", "White: accuracy 12.5 %, average loss 720 centipawns, 0 ?!, 0 ?, 1 ??. Black: accuracy 100.0 %, average loss 0"}},
		{"1. -- " + "e5 *", []int{30, 40}, []string{"1. -- e5 {[%eval 0.40,9]} *", "White: no move. Black: accuracy"}},
	} {
		in := filepath.Join(t.TempDir(), "in.pgn")
		write(t, in, c.moves)
		text := strings.Join(strings.Fields(annotate(t, &scripted{scores: c.scores}, config(t, in))), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", c.moves, want, text)
			}
		}
		checkOneComment(t, text)
	}
}

// twoComments are what many readers refuse: two comments in a row, or one behind a variation, or a glyph behind one.
var twoComments = regexp.MustCompile(`\}\s*\{|\)\s*\{|\}\s*\$`)

func checkOneComment(t *testing.T, text string) {
	t.Helper()
	if found := twoComments.FindString(text); found != "" {
		t.Errorf("%q in\n%s", found, text)
	}
}
