package alphabeta

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tt128"
)

// watchLines returns a report function for a search of the game. It checks that each line ends where the game does, and
// that the line of each exact mate ends in mate after as many plies. least is the true distance to mate in moves, negative
// where the side to move is mated: no exact mate may be shorter.
func watchLines(t *testing.T, name string, g *board.Game, least int) func(search.Info) {
	return func(in search.Info) {
		if in.Text != "" {
			return
		}
		after, outcome := g.Clone(), board.Ongoing
		for i, m := range in.PV {
			if outcome != board.Ongoing {
				t.Errorf("%s: depth %d, %v: the line goes on after %v: %d of %d plies", name, in.Depth, in.Score, outcome, i, len(in.PV))
				return
			}
			after.Play(m)
			outcome = after.Outcome()
		}
		mate := in.Score.Mate
		if mate == 0 || in.Bound != search.Exact {
			return
		}
		if plies := search.Plies(in.Score.Value()); outcome != board.Checkmate || len(in.PV) != plies {
			t.Errorf("%s: depth %d, rank %d: mate %d with a line of %d plies that ends in %v", name, in.Depth, in.MultiPV, mate,
				len(in.PV), outcome)
		}
		if in.MultiPV == 1 && (mate > 0) != (least > 0) || max(mate, -mate) < max(least, -least) {
			t.Errorf("%s: depth %d, rank %d: mate %d, want %d or longer", name, in.Depth, in.MultiPV, mate, least)
		}
	}
}

// The distances were found by Stockfish and by brute force.
var mates = []struct {
	fen  string
	mate int // moves
}{
	{"3K4/8/3k4/8/3r4/8/8/8 w - - 0 1", -2},
	{"7k/5K2/8/6Q1/8/8/8/8 w - - 99 100", 1},
	{"N6k/1p3pp1/8/p1Bn1Q1p/2P2P2/1P6/P2PP1BP/R3KR2 w Q - 1 26", 3},
	{"1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 3},
	{"8/k7/4N3/BB4P1/P2PP3/1P6/2R2KP1/2R5 b - - 96 80", -2}, // with the last of the fifty moves
	{"1r2k3/p4pp1/4r3/3p3P/1bp1p3/3qPn2/PRKP3P/2B5 w - - 2 31", -3},
}

// provingNodes is enough for each driver with one thread.
const provingNodes = 300000

// Each driver claims a mate only with a line that proves it, whatever ends the search. With enough nodes one
// thread finds the distance.
func TestMateLines(t *testing.T) {
	for i, c := range mates {
		if testing.Short() && i%2 == 0 {
			continue
		}
		g := board.NewGame(boardtest.Position(t, c.fen))
		for _, name := range Names {
			for _, threads := range numbers(1, 3) {
				s := newDriver(t, name, threads, DefaultOptions())
				alone := name == "lazysmp" || name == "mtdf" // with one thread the others search as lazysmp
				for _, l := range []search.Limits{{Depth: 1}, {Depth: 6}, {Nodes: 300}, {Nodes: 4000, MultiPV: 3}, {Nodes: provingNodes}} {
					if l.Nodes == provingNodes && (testing.Short() || threads > 1 || !alone) {
						continue
					}
					s.NewGame()
					what := fmt.Sprintf("%s, %d threads, %s, %+v", name, threads, c.fen, l)
					res, _ := s.Search(context.Background(), g, l, watchLines(t, what, g, c.mate))
					if l.Nodes == provingNodes && res.Info.Score.Mate != c.mate {
						t.Errorf("%s: %v, want mate %d", what, res.Info.Score, c.mate)
					}
				}
			}
		}
	}
}

// White is mated in eight moves at best. A depth that was cut short has searched only some of its moves.
func TestMatedByADepthCutShort(t *testing.T) {
	g := board.NewGame(boardtest.Position(t, "8/2R3p1/5qk1/1p3p2/4bQ1p/7P/7K/2b5 w - - 0 1"))
	if testing.Short() {
		t.Skip("it takes long under the race detector")
	}
	for _, nodes := range []int64{100000, 110000} {
		s := newDriver(t, "lazysmp", 1, DefaultOptions())
		report := watchLines(t, fmt.Sprintf("%d nodes", nodes), g, -8)
		res, _ := s.Search(context.Background(), g, search.Limits{Nodes: nodes}, report)
		report(res.Info)
	}
}

// A line ends with a draw by the fifty-move rule or by the third occurrence of a position in the game, whatever the table
// has from earlier searches.
func TestLinesEndWithTheGame(t *testing.T) {
	const fen = "8/5k2/8/8/8/2R5/5K2/7r w - - %d 80"
	late := board.NewGame(boardtest.Position(t, fmt.Sprintf(fen, 98)))
	again := board.NewGame(boardtest.Position(t, fmt.Sprintf(fen, 0)))
	for _, text := range []string{"c3c7", "f7e6", "c7c3", "e6f7", "c3c7", "f7e6", "c7c3"} {
		again.Play(moveOf(t, &again.Pos, text))
	}
	for _, name := range Names {
		for _, threads := range numbers(1, 2) {
			s := newDriver(t, name, threads, DefaultOptions())
			for _, g := range []*board.Game{board.NewGame(again.Start), late, again} {
				for _, lines := range []int{1, 3} {
					what := fmt.Sprintf("%s, %d threads, %s, %d lines", name, threads, g.Pos.FEN(false), lines)
					s.Search(context.Background(), g, search.Limits{Nodes: 4000, MultiPV: lines}, watchLines(t, what, g, 0))
				}
			}
		}
	}
}

// A mate that the table has from an earlier search does not count where the fifty moves end before it.
func TestMateAfterFiftyMoves(t *testing.T) {
	const plies = 9 // of the mate, from the position after the first move
	for _, c := range []struct {
		halfmove int
		want     bool
	}{{0, true}, {drawHalfmoves - plies - 2, true}, {drawHalfmoves - plies - 1, true}, {drawHalfmoves - plies, false}, {95, false}} {
		th := threadAt(t, Mode{}, fmt.Sprintf("8/8/8/3k4/8/8/8/K5Q1 b - - %d 80", c.halfmove))
		p := &th.pos[0]
		for _, m := range p.LegalMoves(nil) {
			p.Make(m, &th.pos[1])
			th.table.Store(th.pos[1].Key, 0, tt128.NewDraft(search.MateIn(plies), infinite, 60, board.NullMove, false))
			e, _ := th.table.Probe(th.pos[1].Key, 1)
			if v, ok := th.cuts(e, 1, -1, 0, 3); ok != c.want || ok && v != search.MateIn(plies+1) {
				t.Errorf("halfmove clock %d before the move: %d, %t", c.halfmove, v, ok)
			}
		}
	}
	th := threadAt(t, Mode{}, "8/8/8/3k4/8/8/8/K5Q1 w - - 0 80")
	if v, ok := th.cuts(tt128.NewDraft(30, infinite, 5, 0, false), 0, 10, 20, 5); !ok || v != 30 {
		t.Errorf("a score of 30 cuts: %d, %t", v, ok)
	}
}

// storeLine stores UCI moves from the root of a thread in its table, and returns them.
func storeLine(t *testing.T, th *Thread, moves ...string) (line []board.Move) {
	t.Helper()
	at := th.pos[0]
	for _, text := range moves {
		m := moveOf(t, &at, text)
		th.table.Store(at.Key, 0, tt128.NewDraft(12, infinite, 5, m, false))
		line = append(line, m)
		at = at.After(m)
	}
	return line
}

// principal goes on with the table's moves to the end of the game, of the table's knowledge, or of the plies asked for.
func TestPrincipal(t *testing.T) {
	shuffle := []string{"b2b3", "h8g8", "b3b2", "g8h8"}
	for name, c := range map[string]struct {
		fen         string
		moves       []string
		known, most int
		want        int // moves
	}{
		"whole":               {middleGame, []string{"a2a3", "h7h6", "h2h3"}, 0, 9, 3},
		"as many as asked":    {middleGame, []string{"a2a3", "h7h6", "h2h3"}, 0, 2, 2},
		"none":                {middleGame, nil, 0, 9, 0},
		"known moves first":   {middleGame, []string{"a2a3", "h7h6", "h2h3"}, 2, 9, 3},
		"a repetition":        {"7k/8/8/8/8/8/1R6/K7 w - - 0 1", shuffle, 0, 9, 4},
		"the fifty-move rule": {"7k/8/8/8/8/8/1R6/K7 w - - 98 80", shuffle, 0, 9, 2},
		"a known draw":        {"7k/8/8/8/8/8/1R6/K7 w - - 98 80", shuffle, 4, 9, 2},
	} {
		th := threadAt(t, Mode{}, c.fen)
		line := storeLine(t, th, c.moves...)
		if got := th.principal(line[:c.known], c.most); !slices.Equal(got, line[:c.want]) {
			t.Errorf("%s: %v, want %v", name, got, line[:c.want])
		}
	}
}

// Entries as another position with the same key would store them end the line.
func TestPrincipalOfForgedKeys(t *testing.T) {
	other := boardtest.Position(t, "4k3/8/8/3q4/8/8/3R4/4K3 w - - 0 1")
	for name, forged := range map[string]board.Move{
		"capture of another board": moveOf(t, &other, "d2d5"),
		"empty square":             board.NewMove(28, 36, board.Queen, board.None),
		"own piece as target":      board.NewMove(0, 8, board.Rook, board.Pawn),
		"wrong moved type":         board.NewMove(1, 18, board.Bishop, board.None),
		"wrong target type":        board.NewMove(1, 18, board.Knight, board.Rook),
		"castling without right":   board.NewMove(4, 20, board.King, board.King),
	} {
		for at := range 4 {
			th := threadAt(t, Mode{}, positions[0])
			line := storeLine(t, th, "e2e4", "e7e5", "g1f3", "b8c6")
			p := th.pos[0]
			for _, m := range line[:at] {
				p = p.After(m)
			}
			th.table.Store(p.Key, at, tt128.NewDraft(900, 900, 60, forged, true))
			if got := th.principal(nil, 9); p.IsLegal(forged) || !slices.Equal(got, line[:at]) {
				t.Errorf("%s at ply %d: %v, want %v", name, at, got, line[:at])
			}
		}
	}
}
