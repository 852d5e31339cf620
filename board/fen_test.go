package board

import (
	"strings"
	"testing"
)

func TestBadFEN(t *testing.T) {
	for _, c := range []struct{ fen, want string }{
		{"", "no board"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 2", "\"2\" is left over"},
		{"rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: 7 ranks"},
		{"rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: 9 ranks"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 2"},
		{"rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 7"},
		{strings.Repeat("x", 5000), "1 ranks, want 8"},
		{"8/" + strings.Repeat("x", 5000) + "/8/8/8/8/8/8 w - - 0 1", "board: rank 7"},
		{"rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 6"},
		{"rnbqkbnr/pppppppp/8/8/0/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 4"},
		{"rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 6"},
		{"rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "unknown piece 'x'"},
		{"rnbqkbnr/pppp\u0150ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 7"},
		{"rnbqkbnr/pppp\x10ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 7"},
		{"rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "board: black has 0 kings"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKKBNR w kq - 0 1", "board: white has 2 kings"},
		{"Pnbqkbnr/pppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR w KQk - 0 1", "board: pawn on a8"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNp w - - 0 1", "board: pawn on h1"},
		{"rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", "board: white has 17 pieces"},
		{"4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1", "board: black has 9 pawns"},
		{"4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "board: white has 1 promoted pieces and 8 pawns"},
		{"4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1", "board: white has 1 promoted pieces and 8 pawns"},
		{"8/8/8/3kK3/8/8/8/8 w - - 0 1", "board: the kings stand side by side"},
		{"4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "board: black is in check"},
		{"4k3/8/8/8/8/5n2/8/4K3 b - - 0 1", "board: white is in check"},
		{"4k3/8/8/8/4r3/8/2n3n1/4K3 w - - 0 1", "board: 3 pieces give check"},
		{"4k3/8/8/8/8/8/2n3n1/4K3 w - - 0 1", "give check at once"},
		{"4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: \"x\""},
		{"4k3/8/8/8/8/8/8/4K2R w x - 0 1", "castling: unknown letter 'x'"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "en passant: \"e9\""},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e 0 1", "en passant: \"e\""},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 1;", "\";\" is left over"},
		{"4k3/8/8/8/8/8/8/4K3 w - - bm Kd2;", "\"bm Kd2;\" is not a halfmove clock"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 1.5 1", "\"1.5 1\" is not a halfmove clock"},
		{"4k3/8/8/8/8/8/8/4K3 w - - x 1", "\"x 1\" is not a halfmove clock"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 y", "\"y\" is not a move number"},
	} {
		_, err := ParseFEN(c.fen)
		if err == nil {
			t.Errorf("%q: no error, want %q", c.fen, c.want)
		} else if !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
			t.Errorf("%q: error %q, want %q", c.fen, err, c.want)
		}
	}
}

// TestFEN reads a FEN and writes it in both styles.
func TestFEN(t *testing.T) {
	for _, c := range []struct{ fen, plain, shredder string }{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"},
		// The order of letters is free, and an en passant square without a legal capture is dropped.
		{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b qkQK e3 0 1",
			"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
			"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b HAha - 0 1"},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 7", "", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 7"},
		// The capture would uncover the rook.
		{"8/8/8/K2pP2r/8/8/8/7k w - d6 0 2", "8/8/8/K2pP2r/8/8/8/7k w - - 0 2", "8/8/8/K2pP2r/8/8/8/7k w - - 0 2"},
		// The inner rook needs a letter of its own; K means the outer one.
		{"4k3/8/8/8/8/8/8/R3K1RR w GA - 0 1", "4k3/8/8/8/8/8/8/R3K1RR w GQ - 0 1", "4k3/8/8/8/8/8/8/R3K1RR w GA - 0 1"},
		{"4k3/8/8/8/8/8/8/RR2K2R w KB - 0 1", "4k3/8/8/8/8/8/8/RR2K2R w KB - 0 1", "4k3/8/8/8/8/8/8/RR2K2R w HB - 0 1"},
		{"1r2k1r1/8/8/8/8/8/8/1R2K1R1 b KQkq - 9 33", "", "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 9 33"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"},
	} {
		p := mustParse(t, c.fen)
		if c.plain == "" {
			c.plain = c.fen
		}
		if got := p.FEN(false); got != c.plain {
			t.Errorf("%s: plain FEN %s", c.fen, got)
		}
		if got := p.FEN(true); got != c.shredder {
			t.Errorf("%s: Shredder-FEN %s", c.fen, got)
		}
	}
	if p, q := mustParse(t, mixedFENs[0]), StartPosition(); p != q {
		t.Errorf("the start position is\n%+v, read\n%+v", q, p)
	}
}

// TestReadFEN reads what other programs read, and says what it changed.
func TestReadFEN(t *testing.T) {
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
	for _, c := range []struct{ fen, want, repairs string }{
		// Missing fields.
		{start, start + " w - - 0 1", "the side to move is missing, so white is to move; the castling field is missing, so nobody may castle"},
		{start + " b", start + " b - - 0 1", "the castling field is missing, so nobody may castle"},
		{start + " w KQkq", start + " w KQkq - 0 1", ""},
		{start + " w KQkq -", start + " w KQkq - 0 1", ""},
		{start + " w KQkq - 7", start + " w KQkq - 7 1", ""},
		{start + " w KQkq 3 9", start + " w KQkq - 3 9", ""},
		{start + " w 3 9", start + " w - - 3 9", "the castling field is missing, so nobody may castle"},
		// White space, a byte order mark, dashes, the case of letters.
		{"\ufeff  " + start + "\tb  Kk\u00a0- 0 \r\n", start + " b Kk - 0 1", ""},
		{start + " w – — − _", start + " w - - 0 1", ""},
		{start + " w -- -- - -", start + " w - - 0 1", ""},
		{start + "/ W KQkq - 0 1", start + " w KQkq - 0 1", `the side to move "W" is read as w`},
		{start + " B KQkq - 0 1", start + " b KQkq - 0 1", `the side to move "B" is read as b`},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - E3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", ""},
		{"rnbqkbnr/pppppppp/44/11111111/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", start + " w - - 0 1", ""},
		// Castling rights.
		{"2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14", "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQ - 0 14",
			"castling right k is dropped: no rook stands there"},
		{start + " w qkQKqK- - 0 1", start + " w KQkq - 0 1", ""},
		{start + " w HAhaKQ - 0 1", start + " w KQkq - 0 1", ""},
		{"4k3/8/8/8/8/8/8/4K3 w KQq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
			"castling right K is dropped: no rook stands there; castling right Q is dropped: no rook stands there; castling right q is dropped: no rook stands there"},
		{"4k3/8/8/8/8/8/8/4K1RR w GHH - 0 1", "4k3/8/8/8/8/8/8/4K1RR w G - 0 1",
			"castling right H is dropped: another rook has the right on that side of the king"},
		{"4k3/8/8/8/8/8/4K3/7R w K - 0 1", "4k3/8/8/8/8/8/4K3/7R w - - 0 1", "castling right K is dropped: the king is not on its back rank"},
		{"4k3/8/8/8/8/8/8/K6R w K - 0 1", "4k3/8/8/8/8/8/8/K6R w - - 0 1", "castling right K is dropped: a king on a1 cannot castle"},
		{"r6k/8/8/8/8/8/5R2/1K6 b q - 0 1", "r6k/8/8/8/8/8/5R2/1K6 b - - 0 1", "castling right q is dropped: a king on h8 cannot castle"},
		// En passant squares.
		{start + " w KQkq e4 0 1", start + " w KQkq - 0 1", "en passant square e4 is dropped: it is on the wrong rank"},
		{start + " w KQkq e3 0 1", start + " w KQkq - 0 1", "en passant square e3 is dropped: it is on the wrong rank"},
		{start + " w KQkq e6 0 1", start + " w KQkq - 0 1", "en passant square e6 is dropped: no pawn has passed it"},
		{"4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/4N3/8/4K3 b - - 0 1", "en passant square e3 is dropped: a piece stands where the pawn came from"},
		{"4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/4P3/4K3 b - - 0 1", "en passant square e3 is dropped: a piece stands where the pawn came from"},
		{"4k3/8/3N4/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/3N4/8/4P3/8/8/4K3 b - - 0 1",
			"en passant square e3 is dropped: the king was in check before the pawn could pass it"},
		// Counters.
		{"4k3/8/8/8/8/8/8/4K3 w - - -1 -5", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "the halfmove clock -1 is read as 0; the move number -5 is read as 1"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 256 65536", "4k3/8/8/8/8/8/8/4K3 w - - 255 65535",
			"the halfmove clock 256 is read as 255; the move number 65536 is read as 65535"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999", "4k3/8/8/8/8/8/8/4K3 w - - 0 65535",
			"the move number 99999999999999999999 is read as 65535"},
	} {
		p, repairs, err := ReadFEN(c.fen)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := p.FEN(false); got != c.want || strings.Join(repairs, "; ") != c.repairs {
			t.Errorf("%q:\n%s, repairs %q, want\n%s, repairs %q", c.fen, got, repairs, c.want, c.repairs)
		}
		if q, repairs, err := ReadFEN(c.want); q != p || repairs != nil || err != nil {
			t.Errorf("%q: reads back as %+v, repairs %q (%v)", c.want, q, repairs, err)
		}
	}
}

// FuzzParseFEN checks that every accepted position can be written, read back and played on.
func FuzzParseFEN(f *testing.F) {
	for _, fen := range mixedFENs {
		f.Add(fen)
	}
	f.Add("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1")
	f.Add("4k3/8/8/8/8/8/8/R3K1RR w GA - 255 65535")
	f.Add("8/8/8/8/8/8/8/8 w - - 0 1")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseFEN(s)
		if err != nil {
			return
		}
		if q, _, err := ParseEPD(s); err != nil || q != p {
			t.Errorf("%q is good as FEN, but as EPD it is %+v (%v)", s, q, err)
		}
		moves := p.LegalMoves(nil)
		if len(moves) > MaxMoves || p.CountLegal() != len(moves) {
			t.Errorf("%q: %d moves listed, %d counted", s, len(moves), p.CountLegal())
		}
		for _, chess960 := range []bool{false, true} {
			q, err := ParseFEN(p.FEN(chess960))
			if err != nil || q != p {
				t.Errorf("%q: %s reads back as %+v (%v)", s, p.FEN(chess960), q, err)
			}
		}
		for _, m := range moves {
			next := p.After(m)
			if next.Key != next.computeKey() || p.GivesCheck(m) != next.InCheck() || !p.IsLegal(m) {
				t.Errorf("%q: after %s", s, p.UCI(m, true))
			}
		}
	})
}
