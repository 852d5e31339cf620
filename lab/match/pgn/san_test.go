package pgn

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

func TestSAN(t *testing.T) {
	for _, c := range []struct{ fen, uci, san string }{
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O"},
		{"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8a8", "O-O-O"},
		{"1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1", "c1b1", "O-O-O"},
		{"1rk4r/8/8/8/8/8/8/1RK4R b HBhb - 0 1", "c8h8", "O-O"},
		{"3k4/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "O-O-O+"},
		{"8/k7/8/8/7Q/8/8/K3Q2Q w - - 0 1", "h1e4", "Qh1e4"},
		{"k7/8/8/3pP3/8/8/8/K7 w - d6 0 1", "e5d6", "exd6"},
		{"1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8r", "axb8=R+"},
		{"7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7", "Qg7#"},
		{"4k3/4r3/8/8/8/2N3N1/8/4K3 w - - 0 1", "c3e4", "Nce4"}, // both can: e4 blocks the check
	} {
		p := boardtest.Position(t, c.fen)
		m, err := p.ParseMove(c.uci)
		if err != nil {
			t.Fatal(err)
		}
		if san := SAN(&p, m); san != c.san {
			t.Errorf("%s %s: %s, want %s", c.fen, c.uci, san, c.san)
		}
		if back, err := ParseSAN(&p, c.san); err != nil || back != m {
			t.Errorf("%s: %v, %v", c.san, back, err)
		}
	}
	p := board.StartPosition()
	for text, uci := range map[string]string{"Ng1f3": "g1f3", "Ngf3!?": "g1f3", "e2-e4": "e2e4", "N1f3": "g1f3",
		"d2d4": "d2d4"} {
		if m, err := ParseSAN(&p, text); err != nil || p.UCI(m, false) != uci {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"", "x", "O-O", "Nd4", "e5", "e4=Q", "Qxe9", "N", "é4", "=Q"} {
		if m, err := ParseSAN(&p, text); err == nil {
			t.Errorf("%q reads as %s", text, p.UCI(m, false))
		}
	}
}
