package board

import (
	"strings"
	"testing"
)

// playAll plays UCI moves from a FEN.
func playAll(t *testing.T, fen, moves string) *Game {
	t.Helper()
	g := NewGame(mustParse(t, fen))
	for _, s := range strings.Fields(moves) {
		m, err := g.Pos.ParseMove(s)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}

func TestOutcome(t *testing.T) {
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
	const shuffle = "g1f3 g8f6 f3g1 f6g8 "
	for _, c := range []struct {
		fen, moves string
		want       Outcome
		repeated   int
	}{
		{start, "", Ongoing, 0},
		{start, shuffle, Ongoing, 1},
		{start, shuffle + shuffle, Repetition, 2},
		{start, shuffle + "e2e4 e7e5 " + shuffle, Ongoing, 1},
		{start, "f2f3 e7e5 g2g4 d8h4", Checkmate, 0},
		// The first position has castling rights that the later ones lack.
		{"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1b1 e8d8 b1a1 d8e8 a1b1 e8d8 b1a1 d8e8", Ongoing, 1},
		// The first position allows an en passant capture.
		{"4k3/8/8/8/3pP3/8/8/3NK3 b - e3 0 1", "e8e7 d1f2 e7e8 f2d1 e8e7 d1f2 e7e8 f2d1", Ongoing, 1},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", Stalemate, 0},
		{"7k/5K2/8/8/8/8/8/6R1 w - - 99 80", "f7f8", FiftyMoves, 0},
		{"7k/5K2/8/8/8/8/8/6R1 w - - 99 80", "g1h1", Checkmate, 0},
		{"7k/5K2/8/8/8/8/8/6R1 w - - 255 80", "g1g2", FiftyMoves, 0},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 1", "", Material, 0},
		{"4k3/8/8/8/8/8/8/4KN2 w - - 0 1", "", Material, 0},
		{"4kb2/8/8/8/8/8/8/4K3 w - - 0 1", "", Material, 0},
		{"4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "", Material, 0},
		{"2b1kb2/8/8/8/8/8/8/4K3 w - - 0 1", "", Ongoing, 0},
		{"4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", "", Ongoing, 0},
		{"4kb2/8/8/8/8/8/8/4KN2 w - - 0 1", "", Ongoing, 0},
		{"4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "", Ongoing, 0},
	} {
		g := playAll(t, c.fen, c.moves)
		if got := g.Outcome(); got != c.want {
			t.Errorf("%s %s: %v, want %v", c.fen, c.moves, got, c.want)
		}
		if got := g.Repetitions(); got != c.repeated {
			t.Errorf("%s %s: repeated %d times, want %d", c.fen, c.moves, got, c.repeated)
		}
	}
}

func TestClone(t *testing.T) {
	g := playAll(t, kiwipete, "e1g1 e8c8")
	c := g.Clone()
	m := g.Pos.LegalMoves(nil)
	g.Play(m[0])
	c.Play(m[1])
	c.Play(c.Pos.LegalMoves(nil)[0])
	if len(g.Moves) != 3 || len(g.Keys()) != 4 || g.Moves[2] != m[0] || g.Keys()[3] != g.Pos.Key || c.Moves[2] != m[1] {
		t.Error("a game and its clone share moves or keys")
	}
	if g.Start != mustParse(t, kiwipete) {
		t.Error("the start position has changed")
	}
}
