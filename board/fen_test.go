package board

import (
	"strings"
	"testing"
)

func TestBadFEN(t *testing.T) {
	for _, c := range []struct{ fen, want string }{
		{"", "0 fields"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "4 fields"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 2", "7 fields"},
		{"rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: 7 ranks"},
		{"rnbqkbnr/pppppppp/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: 9 ranks"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 2"},
		{"rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 7"},
		{"rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 6"},
		{"rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 6"},
		{"rnbqkbnr/pppppppp/8/8/0/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "board: rank 4"},
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
		{"4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move: \"W\""},
		{"4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling: 'K': no rook"},
		{"4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "castling: 'Q': no rook"},
		{"4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling: 'K': the same right twice"},
		{"4k3/8/8/8/8/8/8/4K2R w KH - 0 1", "castling: 'H': the same right twice"},
		{"4k3/8/8/8/8/8/8/4K1RR w GH - 0 1", "castling: 'H': two rights on one side"},
		{"4k3/8/8/8/8/8/8/4K2R w x - 0 1", "castling: unknown letter 'x'"},
		{"4k3/8/8/8/8/8/8/4K2R w K- - 0 1", "castling: unknown letter '-'"},
		{"4k3/8/8/8/8/8/8/4K2R w k - 0 1", "castling: 'k': no rook"},
		{"4k3/8/8/8/8/8/4K3/7R w K - 0 1", "castling: 'K': the king is not on its back rank"},
		{"4k3/8/8/8/8/8/8/K6R w K - 0 1", "castling: 'K': a king on a1"},
		{"r6k/8/8/8/8/8/5R2/1K6 b q - 0 1", "castling: 'q': a king on h8"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", "en passant: \"e9\""},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e 0 1", "en passant: \"e\""},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4 0 1", "en passant: e4"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1", "en passant: no pawn"},
		{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e3 0 1", "en passant: e3"},
		{"rnbqkbnr/pppppppp/8/8/4P3/4N3/PPPP1PPP/RNBQKB1R b KQkq e3 0 1", "en passant: the squares behind"},
		{"4k3/8/8/8/4P3/8/4P3/4K3 b - e3 0 1", "en passant: the squares behind"},
		{"4k3/8/3N4/8/4P3/8/8/4K3 b - e3 0 1", "en passant: the king was in check"},
		{"4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock: \"-1\""},
		{"4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove clock: \"x\""},
		{"4k3/8/8/8/8/8/8/4K3 w - - 256 1", "halfmove clock: 256"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 y", "move number: \"y\""},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 65536", "move number: 65536"},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999", "move number"},
	} {
		_, err := ParseFEN(c.fen)
		if err == nil {
			t.Errorf("%q: no error, want %q", c.fen, c.want)
		} else if !strings.Contains(err.Error(), c.want) {
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

func TestParseEPD(t *testing.T) {
	for epd, want := range map[string]string{
		"4k3/8/8/8/8/8/8/4K2R w K -":                             "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"4k3/8/8/8/8/8/8/4K2R w K - 12 40":                       "4k3/8/8/8/8/8/8/4K2R w K - 12 40",
		"4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"a b\";":         "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"4k3/8/8/8/8/8/8/4K2R w K - acd 12;":                     "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"  4k3/8/8/8/8/8/8/4K2R   b K -   hmvc 3; fmvn 20;   \t": "4k3/8/8/8/8/8/8/4K2R b K - 0 1",
	} {
		p, err := ParseEPD(epd)
		if err != nil {
			t.Error(err)
		} else if got := p.FEN(false); got != want {
			t.Errorf("%q: %s, want %s", epd, got, want)
		}
	}
	for _, bad := range []string{"", "4k3/8/8/8/8/8/8/4K2R w K", "4k3/8/8/8/8/8/8/4K2R w Q - bm x;", "4k3/8/8/8/8/8/8/4K2R w K - -3 1"} {
		if _, err := ParseEPD(bad); err == nil {
			t.Errorf("%q: no error", bad)
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
			if _, err := ParseEPD(s); err == nil && len(strings.Fields(s)) == 6 && isNumber(strings.Fields(s)[4]) && isNumber(strings.Fields(s)[5]) {
				t.Errorf("%q is bad as FEN but good as EPD", s)
			}
			return
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
			var next Position
			p.Make(m, &next)
			if next.Key != next.computeKey() || p.GivesCheck(m) != next.InCheck() || !p.IsLegal(m) {
				t.Errorf("%q: after %s", s, p.UCI(m, true))
			}
		}
	})
}
