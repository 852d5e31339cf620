package pgn

import (
	"testing"

	"tesla/board/boardtest"
)

// FuzzParseSAN reads any text as a move in several positions. What it returns is legal, and is read back from its SAN.
func FuzzParseSAN(f *testing.F) {
	positions := []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"1r2k1r1/P7/8/3pP3/8/8/8/1R2K1R1 w GBgb d6 9 33",
	}
	for i, text := range []string{"Ngf3!?", "O-O", "0-0-0+-", "e5xd6e.p.", "axb8=Q#", "a8(R", "e1g1", "♘f3", "e7e8q", "Z0", "exd"} {
		f.Add(text, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		p := boardtest.Position(t, positions[int(which)%len(positions)])
		m, err := ParseSAN(&p, text)
		if err != nil {
			return
		}
		if !p.IsLegal(m) {
			t.Fatalf("%q is read as an illegal move", text)
		}
		if back, err := ParseSAN(&p, SAN(&p, m)); err != nil || back != m {
			t.Errorf("%q is read as %s, and that as %v (%v)", text, SAN(&p, m), back, err)
		}
	})
}
