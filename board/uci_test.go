package board

import (
	"strings"
	"testing"
)

func TestParseMove(t *testing.T) {
	const (
		start  = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
		castle = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"
		inner  = "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1"
		promo  = "1r5k/P7/8/8/8/8/8/K7 w - - 0 1"
	)
	for _, c := range []struct {
		fen, move      string
		plain, shuffle string // the move written in standard chess and in Chess960; if plain is empty, shuffle is the error
	}{
		{start, "e2e4", "e2e4", "e2e4"},
		{start, "g1f3", "g1f3", "g1f3"},
		{castle, "e8g8", "e8g8", "e8h8"},
		{castle, "e8h8", "e8g8", "e8h8"},
		{castle, "e8c8", "e8c8", "e8a8"},
		{castle, "e8a8", "e8c8", "e8a8"},
		{castle, "e8f8", "e8f8", "e8f8"},
		{inner, "f1g1", "f1g1", "f1g1"},
		{inner, "f1b1", "f1b1", "f1b1"},
		{inner, "f1c1", "f1b1", "f1b1"},
		{promo, "a7a8q", "a7a8q", "a7a8q"},
		{promo, "a7b8n", "a7b8n", "a7b8n"},
		{promo, "a7b8N", "a7b8n", "a7b8n"},
		{promo, "a7a8", "", "promotion piece is missing"},
		{promo, "a7a8k", "", "cannot become"},
		{promo, "a7a8p", "", "cannot become"},
		{promo, "a7a8 ", "", "cannot become"},
		{promo, "a1a2q", "", "not a pawn's promotion"},
		{start, "e2e5", "", "not legal"},
		{start, "e3e4", "", "no piece on e3"},
		{start, "e7e5", "", "opponent's"},
		{start, "e2e9", "", "two squares"},
		{start, "e2", "", "four or five letters"},
		{start, "", "", "four or five letters"},
		{start, "0000", "", "two squares"},
		{start, "\u00e92e", "", "two squares"},
		{start, "e2e4q", "", "not a pawn's promotion"},
		{"4k3/8/8/8/8/8/4r3/R3K3 w Q - 0 1", "e1c1", "", "in check"},
	} {
		p := mustParse(t, c.fen)
		m, err := p.ParseMove(c.move)
		switch {
		case c.plain == "" && (err == nil || !strings.Contains(err.Error(), c.shuffle)):
			t.Errorf("%s %q: error %v, want %q", c.fen, c.move, err, c.shuffle)
		case c.plain != "" && err != nil:
			t.Error(err)
		case c.plain != "" && (p.UCI(m, false) != c.plain || p.UCI(m, true) != c.shuffle):
			t.Errorf("%s %q: written as %s and %s, want %s and %s", c.fen, c.move, p.UCI(m, false), p.UCI(m, true), c.plain, c.shuffle)
		}
	}
	p := StartPosition()
	if got := p.UCI(NullMove, false); got != "0000" {
		t.Errorf("null move %s", got)
	}
}

// TestMoveText writes every legal move of random games and reads it back.
func TestMoveText(t *testing.T) {
	walk(t, 4, 60, 60, func(p, _ *Position, _ Move) {
		for _, m := range p.LegalMoves(nil) {
			for _, chess960 := range []bool{false, true} {
				s := p.UCI(m, chess960)
				if got, err := p.ParseMove(s); err != nil || got != m {
					t.Fatalf("%s: %x is written %s and read %x (%v)", p.FEN(true), uint32(m), s, uint32(got), err)
				}
			}
		}
	})
}

func FuzzParseMove(f *testing.F) {
	for _, fen := range mixedFENs {
		f.Add(fen, "e1g1", true)
		f.Add(fen, "a7a8q", false)
	}
	f.Add(kiwipete, "e1h1", false)
	f.Add(kiwipete, "\xff\xff\xff\xff", false)
	f.Fuzz(func(t *testing.T, fen, s string, chess960 bool) {
		p, err := ParseFEN(fen)
		if err != nil {
			return
		}
		m, err := p.ParseMove(s)
		if err != nil {
			return
		}
		if !p.IsLegal(m) {
			t.Errorf("%s: %q reads as %x, which is not legal", fen, s, uint32(m))
		}
		if got, err := p.ParseMove(p.UCI(m, chess960)); err != nil || got != m {
			t.Errorf("%s: %q is written back as %s", fen, s, p.UCI(m, chess960))
		}
	})
}
