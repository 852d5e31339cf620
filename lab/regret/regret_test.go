package regret

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/output"
	"tesla/lab/games"
	"tesla/lab/journal"
	"tesla/lab/sweep"
	"tesla/search"
	"tesla/tablebase"
	"tesla/tablebase/tabletest"
	"tesla/uci/client"
	"tesla/uci/client/clienttest"
)

const engineVariable = "TESLA_REGRET_TEST_ENGINE"

// The test binary is a UCI engine that counts material where it is asked to be.
func TestMain(m *testing.M) {
	if clienttest.Main() {
		return
	}
	if os.Getenv(engineVariable) == "" {
		os.Exit(m.Run())
	}
	p := board.StartPosition()
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch word, rest, _ := strings.Cut(in.Text(), " "); word {
		case "uci":
			fmt.Println("option name Hash type spin\noption name Threads type spin\noption name MultiPV type spin\nuciok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			var err error
			if p, err = board.ParseFEN(strings.TrimPrefix(rest, "fen ")); err != nil {
				os.Exit(1)
			}
		case "go":
			m := p.LegalMoves(nil)[0]
			fmt.Printf("info depth 1 score cp 9999 lowerbound pv %[1]s\ninfo depth 1 score cp %[2]d pv %[1]s\nbestmove %[1]s\n", p.UCI(m, false), balance(&p))
		case "quit":
			os.Exit(0)
		}
	}
}

// balance is the material of the side to move less the other's, centipawns.
func balance(p *board.Position) (cp int) {
	for i, pieces := range []board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens} {
		cp += []int{100, 300, 300, 500, 900}[i] * ((pieces & p.Ours).Count() - (pieces & p.Theirs).Count())
	}
	return cp
}

// mover plays the first of the moves that gain most material, or the last of those that gain least.
type mover struct{ greedy bool }

func (m mover) Search(_ context.Context, g *board.Game, _ search.Limits, _ func(search.Info)) (r search.Result,
	err error) {
	best := math.MinInt
	for _, move := range g.Pos.LegalMoves(nil) {
		after := g.Pos
		g.Pos.Make(move, &after)
		gain := -balance(&after)
		if !m.greedy {
			gain = -gain
		}
		if gain > best {
			best, r.Best = gain, move
		}
	}
	return r, nil
}
func (mover) PonderHit()   {}
func (mover) NewGame()     {}
func (mover) Close() error { return nil }

func player(name string, greedy bool) Player {
	return Player{Searcher: sweep.Searcher{Name: name, Open: func() (search.Searcher, error) { return mover{greedy}, nil }}}
}

// gamesFile writes games of random moves.
func gamesFile(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "games")
	w, err := games.Create(path, "test")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for number := range 20 {
		g := &games.Game{Number: uint64(number), Start: board.StartPosition()}
		p := g.Start
		for i := range 60 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[random.IntN(len(moves))]
			if c := games.Encode(&p, m); i < 10 {
				g.Opening = append(g.Opening, c)
			} else {
				g.Plies = append(g.Plies, games.Ply{Choice: games.Choice{Move: c, Score: int16(balance(&p))}})
			}
			last := p
			last.Make(m, &p)
		}
		if err := w.Write(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// hash is an option of the test engine.
var hash = []client.Option{{Name: "Hash", Value: "1"}}

func quiet(string) {}

func judge(t *testing.T, path string) *Judge {
	j, err := NewJudge(client.Config{Path: os.Args[0], Options: hash}, 7, path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// nobody is a judge that is not there.
var nobody, _ = NewJudge(client.Config{Path: "/nonexistent"}, 1, "", quiet)

// A player that takes what it can loses less than one that gives away what it can; equal players do not differ. Verdicts
// are kept.
func TestRun(t *testing.T) {
	t.Setenv(engineVariable, "1")
	positions, _, err := Sample(gamesFile(t), 200, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "verdicts")
	cfg := Config{Players: []Player{player("gives", false), player("takes", true), player("also", true)},
		Positions: positions, Workers: 3}
	var first *Result
	for round := range 3 {
		cfg.Judge = judge(t, path)
		r, err := Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Players; p[1].Loss != 0 || p[1].Diff != p[2].Diff || !(p[1].Diff+p[1].Error < 0) ||
			p[0].Loss != -p[1].Diff || p[0].Error != 0 {
			t.Errorf("%+v", p)
		}
		if r.Differ < 100 || (r.Judged == 0) != (round > 0) {
			t.Errorf("round %d: %d differ, %d judged", round, r.Differ, r.Judged)
		}
		if round == 0 {
			first = r
		} else if r.Judged = first.Judged; !reflect.DeepEqual(r, first) {
			t.Errorf("%+v, first %+v", r, first)
		}
		if err := cfg.Judge.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0) // as a kill may leave it
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(`{"position":"8/8/8`)
		f.Close()
	}
	same, err := Run(context.Background(), Config{Players: cfg.Players[1:], Positions: positions, Judge: judge(t, ""),
		Workers: 1})
	if err != nil || same.Differ != 0 || same.Judged != 0 || same.Players[1].Diff != 0 {
		t.Errorf("%+v, %v", same, err)
	}
	if _, err := Run(context.Background(), Config{Players: cfg.Players, Positions: positions, Judge: nobody}); err == nil {
		t.Error("a judge that is not there is no error")
	}
}

func TestPoints(t *testing.T) {
	if points(0) != 0.5 || math.Abs(points(pointScale)-0.731) > 1e-3 || points(search.MateScore) < 0.999 {
		t.Errorf("%v %v %v", points(0), points(pointScale), points(search.MateScore))
	}
}

// Mates and stalemates need no judge.
func TestScore(t *testing.T) {
	b := nobody.bench()
	for fen, want := range map[string]int{"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1 a1a8": search.MateScore - 1,
		"7k/8/5KQ1/8/8/8/8/8 w - - 0 1 g6f7": 0} {
		at := strings.LastIndexByte(fen, ' ')
		p := boardtest.Position(t, fen[:at])
		m, err := p.ParseMove(fen[at+1:])
		if err != nil {
			t.Fatal(err)
		}
		if cp, err := b.score(t.Context(), &p, m); cp != want || err != nil {
			t.Errorf("%s: %d, %v", fen, cp, err)
		}
	}
}

// Tables give the verdict where they know the position; a bad one is an error.
func TestScoreByTables(t *testing.T) {
	dir := tabletest.Queen(t)
	tables, _ := tablebase.Open(tablebase.Paths{Syzygy: dir})
	j := &Judge{Tables: tables}
	defer func() {
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	}()
	p := boardtest.Position(t, "8/8/8/3k4/8/8/3KQ3/8 w - - 0 1")
	for move, want := range map[string]int{"e2e8": search.TableScore, "e2e4": 0} { // the king takes the queen
		m, err := p.ParseMove(move)
		if err != nil {
			t.Fatal(err)
		}
		if cp, err := j.bench().score(t.Context(), &p, m); cp != want || err != nil {
			t.Errorf("%s: %d, %v, want %d", move, cp, err, want)
		}
	}
	if engine, byTables := j.asked(); engine != 0 || byTables != 2 {
		t.Errorf("%d verdicts by the engine, %d by tables", engine, byTables)
	}
	bad := t.TempDir()
	if err := os.WriteFile(filepath.Join(bad, "KQvK.rtbw"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j.Tables, _ = tablebase.Open(tablebase.Paths{Syzygy: bad})
	if _, err := j.bench().score(t.Context(), &p, p.LegalMoves(nil)[0]); err == nil || !strings.Contains(err.Error(), "KQvK.rtbw") {
		t.Errorf("%v, want an error that names the file", err)
	}
}

// A judge that fails now and then is started anew. One that fails each time ends the run with the reason. Verdicts that it
// gave before are kept.
func TestBadJudges(t *testing.T) {
	positions, _, err := Sample(gamesFile(t), 20, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	players := []Player{player("gives", false), player("takes", true)}
	for mode, want := range map[string]error{
		"sound": nil, "crash": nil, "illegal": nil, "badhead": client.ErrIllegal,
		"dies": client.ErrCrash, "refuses": client.ErrOption,
	} {
		path := filepath.Join(t.TempDir(), "verdicts")
		script := clienttest.Script(t, mode)
		j, err := NewJudge(client.Config{Path: script, Options: hash}, 7, path, quiet)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Run(context.Background(), Config{Players: players, Positions: positions, Judge: j, Workers: 1})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", mode, err, want)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		again, err := NewJudge(client.Config{Path: script, Options: hash}, 7, path, quiet)
		if err != nil {
			t.Fatal(err)
		}
		given, _ := j.asked()
		text, err := os.ReadFile(path)
		if kept := strings.Count(string(text), "\n") - 1; err != nil || kept != given || (want == nil) != (kept > 2) {
			t.Errorf("%s: %d verdicts are kept, %d were given", mode, kept, given)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if left := clienttest.LeftOver(t, script); left != nil {
			t.Errorf("%s: left behind: %v", mode, left)
		}
	}
}

func TestBadFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verdicts")
	own, err := journal.ProgramHash(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf(`{"tesla_verdicts":1,"program":%q,"program_hash":%q,"args":null,"options":["Hash=1"],"nodes":7}`+"\n", os.Args[0], own)
	for text, want := range map[string]string{
		strings.Replace(head, ".test", ".other", 1):                       "program",
		strings.Replace(head, own, "0123", 1):                             "program_hash",
		strings.Replace(head, `"program_hash":"`+own+`",`, "", 1):         "program_hash",
		head + "no verdict\n{}\n":                                         "line 2",
		head + `{"position":"8/8 w - - 0 1","move":"a1","cp":"x"}` + "\n": "line 2",
		head + `{"position":"8/8 w - - 0 1","move":"a1"}` + "\n":          "line 2",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := NewJudge(client.Config{Path: os.Args[0], Options: hash}, 7, path, quiet); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.WriteFile(path, []byte(head), 0o644); err != nil {
		t.Fatal(err)
	}
	judge(t, path)
	if _, err := NewJudge(client.Config{Path: os.Args[0], Options: hash}, 7, path, quiet); !errors.Is(err, output.ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
	if _, _, err := Sample(gamesFile(t), 100000, 400, 1); err == nil {
		t.Error("more positions than there are")
	}
	if _, _, err := Sample(path, 1, 400, 1); err == nil {
		t.Error("no games")
	}
}

// Each position is within the limits, and drawn once.
func TestSample(t *testing.T) {
	path := gamesFile(t)
	seen := map[uint64]bool{}
	a, _, err := Sample(path, 100, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range a {
		if cp := balance(&p); seen[p.Key] || max(cp, -cp) > 200 || len(p.LegalMoves(nil)) < 2 {
			t.Errorf("%s: %d", p.FEN(false), cp)
		}
		seen[p.Key] = true
	}
	b, _, _ := Sample(path, 100, 200, 1)
	c, _, _ := Sample(path, 100, 200, 2)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a, c) {
		t.Error("the draw does not follow from its seed alone")
	}
}

// Each game gives one position at most, each file as many; fewer positions are the beginning of more.
func TestOnePerGame(t *testing.T) {
	paths := []string{gamesFile(t), gamesFile(t)}
	many, err := OnePerGame(paths, 20, 1)
	few, err2 := OnePerGame(paths, 7, 1)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(few, many[:7]) {
		t.Error("seven positions are not the first of twenty")
	}
	seen := map[string]bool{}
	for i, d := range many {
		if p := boardtest.Position(t, d.FEN); seen[d.Game] || !strings.HasPrefix(d.Game, paths[i%2]+":") || p.CountLegal() < 2 {
			t.Errorf("position %d: %+v", i, d)
		}
		seen[d.Game] = true
	}
	if _, err := OnePerGame(paths, 41, 1); err == nil || !strings.Contains(err.Error(), "only ") {
		t.Errorf("41 positions of 40 games: %v", err)
	}
}

// A reference scores the moves wanted and those that its engine names: here the first legal one.
func TestReference(t *testing.T) {
	t.Setenv(engineVariable, "1")
	r, err := NewReference(os.Args[0], 7, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p := boardtest.Position(t, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
	wanted := map[string]bool{"e4d5": true, "e1f2": true}
	scores, err := r.Scores(t.Context(), &p, wanted)
	want := map[string]int{"e4d5": 100, "e1f2": -800, p.UCI(p.LegalMoves(nil)[0], false): -800}
	if err != nil || !reflect.DeepEqual(scores, want) || len(want) != 3 || len(wanted) != 2 {
		t.Errorf("%v, want %v, %v", scores, want, err)
	}
}

// A PGN file gives the positions before its moves, each once, without those that have one legal move.
func TestSamplePGN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "games.PGN")
	text := "[Event \"a\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n\n[Event \"b\"]\n\n1. e4 c5 {no move} *\n\n[Event \"c\"]\n\n1. e4 e4 *\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sample, notes, err := Sample(path, 4, 1, 1)
	if err != nil || len(notes) != 2 || !strings.Contains(notes[1], "game 3") {
		t.Fatalf("%v, %q", err, notes)
	}
	seen := map[string]bool{}
	for i := range sample {
		seen[sample[i].FEN(false)] = true
	}
	for _, fen := range []string{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2"} {
		if !seen[fen] {
			t.Errorf("%s is not among %v", fen, seen)
		}
	}
	if _, _, err := Sample(path, 5, 1, 1); err == nil || !strings.Contains(err.Error(), ": 4 such positions, want 5") {
		t.Error(err)
	}
}
