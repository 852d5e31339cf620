package speedup

import (
	"strings"
	"testing"
)

func FuzzParsePositions(f *testing.F) {
	f.Add(BratkoKopec[:600])
	f.Add("\ufeff4k3/8/8/8/8/8/8/4K2R w K - bm O-O Rh8+; id \"a;b\";\r\n")
	f.Add("4k3/8/8/8/8/8/8/4K2R w K - 3 9 bm O-O; hmvc 5;")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := ParsePositions(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "positions") {
				t.Errorf("%q: error %v", text, err)
			}
			return
		}
		for _, p := range all {
			for _, m := range p.Best {
				if !p.Board.IsLegal(m) || !p.solvedBy(p.Board.UCI(m, false)) {
					t.Errorf("%q: best move %v", text, m)
				}
			}
		}
	})
}
