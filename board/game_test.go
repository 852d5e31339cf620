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

// The draws of the rules, on the line and in the game before it.
func TestDrawn(t *testing.T) {
	line := make([]Position, 6)
	line[0] = mustParse(t, "r5k1/8/8/8/8/8/8/R5K1 w - - 10 30")
	for i, text := range []string{"a1b1", "a8b8", "b1a1", "b8a8", "g1f1"} {
		m, err := line[i].ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		line[i].Make(m, &line[i+1])
	}
	drawn := func(line []Position, ply int, keys []uint64) bool { return Drawn(line, ply, keys, len(keys)-1) }
	repeats := func(line []Position, ply int, keys []uint64) int { return Repeats(line, ply, keys, len(keys)-1) }
	for ply, want := range []bool{false, false, false, false, true, false} {
		if drawn(line, ply, []uint64{line[0].Key}) != want {
			t.Errorf("ply %d: want %v", ply, want)
		}
	}
	once := []uint64{line[1].Key, 1, 2, line[0].Key} // three plies before the root
	twice := []uint64{line[1].Key, 1, 2, 3, line[1].Key, 1, 2, line[0].Key}
	if drawn(line, 1, once) || !drawn(line, 1, twice) || drawn(line, 2, twice) {
		t.Error("a position of the game is not a draw the third time alone")
	}
	if repeats(line, 4, once) != 4 || repeats(line, 1, twice) != 8 || repeats(line, 1, once) != 0 {
		t.Error("wrong distances to the repeated positions")
	}
	if Repeats(line, 1, once, 0) != 4 {
		t.Error("a position before the root that was not played is not a draw the second time")
	}
	line[1].Halfmove = 7 // an irreversible move before the other occurrence
	if drawn(line, 1, twice) {
		t.Error("a repetition past an irreversible move")
	}
	line[1].Halfmove = 11
	for fen, want := range map[string]bool{
		"7k/8/8/8/8/8/R7/K7 b - - 100 100":  true,
		"R6k/6pp/8/8/8/8/8/7K b - - 100 90": false, // mated
		"7k/8/8/8/8/8/N7/K7 w - - 0 1":      true,
	} {
		if p := mustParse(t, fen); drawn([]Position{p}, 0, []uint64{p.Key}) != want {
			t.Errorf("%s: want %v", fen, want)
		}
	}
}
