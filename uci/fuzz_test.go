package uci

import (
	"bytes"
	"strings"
	"testing"

	"tesla/board"
)

// FuzzPosition sends any position command to a session. The session says what is wrong, or shows a position that can be
// read again.
func FuzzPosition(f *testing.F) {
	for _, text := range []string{
		"startpos moves e2e4 e7e5 g1f3", "fen 2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14",
		"fen 4k3/8/8/8/8/8/8/4K2R w moves e1g1", "fen 8/8/8/8/8/8/8/8 w - - 0 1", "\ufeffstartpos", "fen", "moves e2e4", "startpos moves e2e5",
		"fen 4k3/8/8/8/8/8/8/4K3 w - e3 -1 999999 moves 0000",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
		var out bytes.Buffer
		if err := Loop(strings.NewReader("position "+text+"\nd\nquit\n"), &out, config(t)); err != nil {
			t.Fatal(err)
		}
		_, after, shown := strings.Cut(out.String(), "Fen: ")
		if fen, _, _ := strings.Cut(after, "\n"); shown {
			if p, err := board.ParseFEN(fen); err != nil || p.FEN(false) != fen {
				t.Errorf("%q: shows %q (%v)", text, fen, err)
			}
		} else if !strings.Contains(out.String(), "error") {
			t.Errorf("%q: no word but %q", text, out.String())
		}
	})
}

// FuzzGo reads the limits of any go command.
func FuzzGo(f *testing.F) {
	for _, text := range []string{
		"wtime 300 btime 300 winc 10 binc 10 movestogo 40", "movetime", "movestogo 0 wtime -5 btime 1.5", "infinite searchmoves e2e4 d2d4 ponder",
		"nodes 99999999999999999999 depth -1 mate x", "evals 5", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := board.StartPosition()
		lim, _ := parseGo(strings.Fields(text), &p)
		if lim.Depth < 0 || lim.Nodes < 0 || lim.Evals < 0 || lim.Mate < 0 || lim.MoveTime < 0 || lim.MovesToGo < 0 {
			t.Errorf("%q: %+v", text, lim)
		}
		for _, m := range lim.SearchMoves {
			if !p.IsLegal(m) {
				t.Errorf("%q: searches an illegal move", text)
			}
		}
		if bounded := lim.Depth > 0 || lim.Nodes > 0 || lim.Evals > 0 || lim.Mate > 0 || lim.MoveTime > 0 || lim.HasClock || lim.Time[1] > 0; !bounded && !lim.Infinite && !lim.Ponder {
			t.Errorf("%q: nothing ends the search: %+v", text, lim)
		}
	})
}
