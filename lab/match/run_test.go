package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
	"tesla/board/boardtest"
	"tesla/lab/match/pgn"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// run plays a match and returns the result of all games of its first player.
func run(ctx context.Context, config Config) (stats.Result, error) {
	table, err := Play(ctx, config)
	return table.First(), err
}

// mocked is a best-first searcher that owns its mock backend.
type mocked struct {
	*bestfirst.Searcher
	backend batcher.Backend
}

func (m mocked) Close() error { return errors.Join(m.Searcher.Close(), m.backend.Close()) }

func mockFactory(player.Player) (search.Searcher, error) {
	b := batcher.NewMock(batcher.Options{})
	s, err := bestfirst.New(b, nil, bestfirst.Options{BatchSize: 8, TreeMemory: 8 << 20})
	if err != nil {
		return nil, err
	}
	return mocked{s, b}, nil
}

// scripted answers as told.
type scripted struct {
	answer func(ctx context.Context, g *board.Game) search.Result
}

func (s scripted) Search(ctx context.Context, g *board.Game, _ search.Limits, _ func(search.Info)) (search.Result,
	error) {
	return s.answer(ctx, g), nil
}
func (scripted) PonderHit()   {}
func (scripted) NewGame()     {}
func (scripted) Close() error { return nil }

// first plays the first legal move and says the given score.
func first(g *board.Game, cp int) search.Result {
	return search.Result{Best: g.Pos.LegalMoves(nil)[0], Info: search.Info{Depth: 1, Score: search.Score{CP: cp}}}
}

func TestMatchOfMocks(t *testing.T) {
	config := Default()
	config.Players = []player.Player{{Name: "x"}, {Name: "y", Condition: player.Condition{Nodes: 40}}}
	config.InProcess.Searcher = mockFactory
	config.Games, config.Condition.Evals, config.Machine.Concurrency, config.Adjudication.MaxMoves = 5, 60, 2, 40
	config.Files.PGN = filepath.Join(t.TempDir(), "games.pgn")
	var out bytes.Buffer
	config.Output.Out = &out
	r, err := run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for _, n := range r.Ptnml {
		pairs += n
	}
	if r.Games != 5 || r.Wins+r.Draws+r.Losses != 5 || pairs != 2 || r.Crashes+r.Timeouts+r.Illegal != 0 {
		t.Errorf("%+v", r)
	}
	if n := strings.Count(out.String(), "\ngame "); n != 5 || !strings.HasPrefix(out.String(), "x: 60 evals per move\ny: 40 nodes per move\n5 games, openings balanced") {
		t.Errorf("%d live lines\n%s", n, out.String())
	}
	data, err := os.ReadFile(config.Files.PGN)
	if err != nil {
		t.Fatal(err)
	}
	games, notes := pgn.ReadLines(string(data), 0)
	if notes != nil || len(games) != 5 {
		t.Errorf("%d games, %v", len(games), notes)
	}
	for _, want := range []string{
		`[White "x"]`, `[Black "x"]`, `[Round "3.1"]`, `[WhiteTimeControl "60 evals per move"]`,
		`[WhiteTimeControl "40 nodes per move"]`, "{book}",
	} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the PGN lacks %s", want)
		}
	}
	for _, line := range strings.Split(string(data), "\n") {
		if len(line) > 80 && line[0] != '[' {
			t.Errorf("a long line: %s", line)
		}
	}
	js, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(js), `"ptnml":[`) || !strings.Contains(string(js), `"elo_error":`) {
		t.Errorf("%s, %v", js, err)
	}
}

func TestFailuresInProcess(t *testing.T) {
	calls := 0
	for _, c := range []struct {
		name                       string
		answer                     func(ctx context.Context, g *board.Game) search.Result
		crashes, timeouts, illegal int
	}{
		{"panic", func(context.Context, *board.Game) search.Result { panic("at the board") }, 2, 0, 0},
		{"hang", func(context.Context, *board.Game) search.Result { select {} }, 0, 2, 0},
		{"late", func(ctx context.Context, g *board.Game) search.Result {
			<-ctx.Done()
			time.Sleep(5 * time.Millisecond)
			return first(g, 0)
		}, 0, 2, 0},
		{"illegal", func(context.Context, *board.Game) search.Result { return search.Result{} }, 0, 0, 2},
	} {
		config := Default()
		config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
		config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
			if p.Name == "a" {
				calls++
				return scripted{c.answer}, nil
			}
			return scripted{func(_ context.Context, g *board.Game) search.Result { return first(g, 0) }}, nil
		}
		config.Games, config.Condition.Clock = 2, player.Clock{Base: 50 * time.Millisecond}
		config.Patience.Grace = 200 * time.Millisecond
		r, err := run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if r.Losses != 2 || r.Crashes != c.crashes || r.Timeouts != c.timeouts || r.Illegal != c.illegal {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	if calls != 2+2+1+1 {
		t.Errorf("%d searchers were made, want 6: a fresh one after each crash and hang", calls)
	}
}

func TestAdjudication(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   int // scores that the players say, each from its own side
		resign Resign
		draw   Draw
		want   stats.Result
	}{
		{"both agree", 900, -850, Resign{3, 800}, Draw{}, stats.Result{Wins: 2}},
		{"only one says so", 900, -200, Resign{3, 800}, Draw{}, stats.Result{Draws: 2}}, // by maxmoves
		{"a loses", -900, 850, Resign{3, 800}, Draw{}, stats.Result{Losses: 2}},
		{"draw", 5, -9, Resign{3, 800}, Draw{From: 6, Moves: 2, Score: 10}, stats.Result{Draws: 2}},
	} {
		config := Default()
		config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
		config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
			cp := c.b
			if p.Name == "a" {
				cp = c.a
			}
			return scripted{func(_ context.Context, g *board.Game) search.Result { return first(g, cp) }}, nil
		}
		config.Games, config.Condition.Nodes, config.Adjudication.MaxMoves = 2, 1, 6
		config.Adjudication.Resign, config.Adjudication.Draw = c.resign, c.draw
		var out bytes.Buffer
		config.Output.Out = &out
		r, err := run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if r.Wins != c.want.Wins || r.Draws != c.want.Draws || r.Losses != c.want.Losses {
			t.Errorf("%s: %+v\n%s", c.name, r, out.String())
		}
		if strings.Contains(out.String(), "adjudication") != (c.name != "only one says so") {
			t.Errorf("%s: %s", c.name, out.String())
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct{ fen, moves, want string }{
		{"7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "Qg7#", "White mates"},
		{"7k/8/4Q1K1/8/8/8/8/8 w - - 0 1", "Qf7", "Draw by stalemate"},
		{"7k/8/6K1/8/8/8/8/5R2 w - - 99 80", "Rf2", "Draw by the fifty-move rule"},
		{"7k/8/8/8/8/8/5pK1/8 w - - 0 1", "Kxf2", "Draw by insufficient material"},
		{"8/8/8/8/8/6k1/8/r6K w - - 0 1", "", "Black mates"},
	} {
		p := boardtest.Position(t, c.fen)
		r := &record{game: board.NewGame(p)}
		for _, text := range strings.Fields(c.moves) {
			m, err := pgn.ParseSAN(&r.game.Pos, text)
			if err != nil {
				t.Fatal(err)
			}
			r.game.Play(m)
		}
		config := Default()
		if !config.Adjudication.over(r) || r.Reason != c.want || r.Termination != "normal" {
			t.Errorf("%s: %q %q", c.fen, r.Reason, r.Termination)
		}
	}
}

func TestClocks(t *testing.T) {
	config := Default()
	white := &seat{condition: player.Condition{Clock: player.Clock{Moves: 2, Base: time.Second,
		Increment: 100 * time.Millisecond}}}
	black := &seat{condition: player.Condition{Nodes: 50}}
	var k clocks
	k.left[0] = time.Second
	l, allowance := k.limits(&config, [2]*seat{white, black}, 0)
	if !l.HasClock || l.Time[0] != time.Second || l.MovesToGo != 2 || allowance != time.Second+config.Patience.Margin {
		t.Errorf("%+v %v", l, allowance)
	}
	k.spend(&white.condition.Clock, 0, 400*time.Millisecond)
	if k.left[0] != 700*time.Millisecond {
		t.Error(k.left)
	}
	k.spend(&white.condition.Clock, 0, 710*time.Millisecond) // within the margin
	if k.left[0] != 1100*time.Millisecond {
		t.Error(k.left)
	}
	if l, allowance = k.limits(&config, [2]*seat{white, black}, 1); l.HasClock || l.Nodes != 50 ||
		allowance != config.Patience.Hang {
		t.Errorf("%+v %v", l, allowance)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	config := Default()
	config.InProcess.Searcher, config.Games, config.Condition.MoveTime = mockFactory, 100, 30*time.Millisecond
	begin := time.Now()
	r, err := run(ctx, config)
	if !errors.Is(err, context.DeadlineExceeded) || r.Games == 100 || time.Since(begin) > 20*time.Second {
		t.Errorf("%v, %+v after %v", err, r, time.Since(begin))
	}
}

// TestSPRTEndsMatch: A wins all games by adjudication; the test decides long before the last of them.
func TestSPRTEndsMatch(t *testing.T) {
	pairs := 0
	for _, concurrency := range []int{1, 3} {
		config := Default()
		config.Players = []player.Player{{Name: "a"}, {Name: "b"}}
		config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
			cp := -900
			if p.Name == "a" {
				cp = 900
			}
			return scripted{func(_ context.Context, g *board.Game) search.Result { return first(g, cp) }}, nil
		}
		config.Games, config.Condition.Nodes, config.Adjudication.Resign = 4000, 1, Resign{3, 800}
		config.Machine.Concurrency = concurrency
		config.SPRT = &stats.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
		r, err := run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		if r.SPRT == nil || r.SPRT.Decision != stats.AcceptH1 || r.LLR < r.SPRT.Upper || r.Losses+r.Draws > 0 {
			t.Fatalf("%+v %+v", r, r.SPRT)
		}
		if r.Games != 2*r.SPRT.Pairs || r.Games == config.Games {
			t.Errorf("%d games at %d a time, the test needed %d pairs", r.Games, concurrency, r.SPRT.Pairs)
		}
		if pairs != 0 && r.SPRT.Pairs != pairs {
			t.Errorf("%d pairs one at a time, %d at %d", pairs, r.SPRT.Pairs, concurrency)
		}
		pairs = r.SPRT.Pairs
	}
}
