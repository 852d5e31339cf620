package match

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// expecting is a searcher that plays a legal move and expects a reply, each by its place in the list. It ponders until the
// hit or the stop, and is late where no hit comes.
type expecting struct {
	plays, expects int // from the end where negative
	hits           chan struct{}
	heard          *[]string
}

func (e expecting) pick(p *board.Position, n int) board.Move {
	moves := p.LegalMoves(nil)
	if n < 0 {
		n += len(moves)
	}
	return moves[n]
}

func (e expecting) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	best := e.pick(&g.Pos, e.plays)
	next := g.Clone()
	next.Play(best)
	r := search.Result{Best: best, Info: search.Info{Depth: 1}}
	if next.Outcome() == board.Ongoing {
		r.Ponder = e.pick(&next.Pos, e.expects)
	}
	if !l.Ponder {
		*e.heard = append(*e.heard, "go")
		return r, nil
	}
	report(search.Info{Depth: 1, PV: []board.Move{best}})
	select {
	case <-e.hits:
		*e.heard = append(*e.heard, "hit")
	case <-ctx.Done():
		*e.heard = append(*e.heard, "miss")
	}
	return r, nil
}

func (e expecting) PonderHit() {
	select {
	case e.hits <- struct{}{}:
	default:
	}
}
func (expecting) NewGame()     {}
func (expecting) Close() error { return nil }

// pondering is a match of two games of ten moves each, in which x expects what y plays, and y what x does not play.
func pondering(t *testing.T, heard map[string]*[]string) Config {
	config := fixed(t.TempDir(), 2)
	config.Ponder, config.Condition, config.Adjudication.MaxMoves = true, player.Condition{MoveTime: 30 * time.Second}, 10
	config.Players = []player.Player{{Name: "x"}, {Name: "y"}}
	config.Openings.Plies, config.Files.Journal = 2, filepath.Join(t.TempDir(), "journal")
	config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
		e := expecting{hits: make(chan struct{}, 1), plays: -1, expects: -1, heard: &[]string{}}
		heard[p.Name] = e.heard
		return e, nil
	}
	return config
}

// TestPonder has the search of a player go on where its opponent does what it expected, and be stopped where not. The
// result counts both, and the journal keeps the counts.
func TestPonder(t *testing.T) {
	heard := map[string]*[]string{}
	config := pondering(t, heard)
	make := config.InProcess.Searcher
	config.InProcess.Searcher = func(p player.Player) (search.Searcher, error) {
		s, err := make(p)
		if e, ok := s.(expecting); ok && p.Name == "y" {
			e.expects = 0
			s = e
		}
		return s, err
	}
	r, err := run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	x, y := r.Ponder[0], r.Ponder[1]
	if r.Games != 2 || x.Moves < 10 || x.Hits != x.Moves || y.Moves < 10 || y.Hits > 1 || r.Timeouts+r.Crashes != 0 {
		t.Errorf("x %v, y %v: %+v", x, y, r)
	}
	for name, of := range map[string]stats.Pondering{"x": x, "y": y} {
		hits, misses := 0, 0
		for _, h := range *heard[name] {
			switch h {
			case "hit":
				hits++
			case "miss": // one more where the game ended as it pondered
				misses++
			}
		}
		if hits != of.Hits || misses < of.Moves-of.Hits || misses > of.Moves-of.Hits+2 {
			t.Errorf("%s: %v, and its searches had %d hits and %d misses: %v", name, of, hits, misses, *heard[name])
		}
	}
	if text := r.Text(); !strings.Contains(text, "Ponder hits: a "+x.String()+", b "+y.String()+"\n") {
		t.Errorf("%s", text)
	}
	g, err := ReadGames(config.Files.Journal, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Tally(nil).Result().Ponder; got != r.Ponder {
		t.Errorf("the journal has %v, want %v", got, r.Ponder)
	}
	config.Files.Resume = true
	if again, err := run(t.Context(), config); err != nil || again.Ponder != r.Ponder {
		t.Errorf("resumed: %v, %v", again.Ponder, err)
	}
}

// TestPonderExternal plays an engine that ponders against one that cannot. The search that a hit continues has the time
// of a move, and no move of a search that was stopped is played.
func TestPonderExternal(t *testing.T) {
	config := Default()
	config.Players = []player.Player{external(t, "ponder"), external(t, "sound"), {Name: "last"}}
	config.Ponder, config.Condition.MoveTime, config.Games, config.Adjudication.MaxMoves = true, 20*time.Millisecond, 2, 6
	config.Patience.Margin, config.Format, config.Openings.Plies = 10*time.Second, Gauntlet, 2
	config.InProcess.Searcher = sound // it plays the first move, which the engine expects
	var warn bytes.Buffer
	config.Output.Warn, config.Files.Log = &warn, filepath.Join(t.TempDir(), "log")
	table, err := Play(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	engine := table.Players[0].Ponder
	if engine.Moves < 10 || engine.Hits < 5 || engine.Hits == engine.Moves || table.Players[1].Ponder.Moves != 0 {
		t.Errorf("%v, %v", engine, table.Players[1].Ponder)
	}
	if r := table.First(); r.Games != 4 || r.Crashes+r.Timeouts+r.Illegal != 0 || r.Incidents[0] != (stats.Incidents{}) {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(warn.String(), "sound has no option Ponder") || strings.Contains(warn.String(), "ponder has no") {
		t.Errorf("%s", warn.String())
	}
	log := string(read(t, config.Files.Log))
	for _, want := range []string{"setoption name Ponder value true", "go ponder movetime 20", "ponderhit", "stop"} {
		if !strings.Contains(log, want) {
			t.Errorf("the engine did not get %q", want)
		}
	}
	var text strings.Builder
	table.Print(&text)
	if !strings.Contains(text.String(), "Ponder hits of ponder: "+engine.String()) {
		t.Errorf("%s", text.String())
	}
}
