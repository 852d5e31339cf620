package board

import (
	"strings"
	"testing"
)

// FuzzReadEPD reads any text as a file of positions, one on each line, and checks that each is counted once.
func FuzzReadEPD(f *testing.F) {
	f.Add("\ufeff8/5k2/8/8/8/2R5/5K2/8 w - - hmvc 90; fmvn 120;\r\n\r\n4k3/8/8/8/8/8/8/4K2R w Kx - bm O-O; id \"a;b\";")
	f.Add("4k3/8/8/8/8/8/8/4K2R w 3 70000;D1 5 ;D2 9")
	f.Fuzz(func(t *testing.T, text string) {
		positions, repairs, err := ReadEPD(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") || len(err.Error()) > 1500 {
				t.Errorf("%q: error %v", text, err)
			}
			return
		}
		if lines := strings.Count(text, "\n") + 1; len(positions) > lines || len(repairs) > 40*lines {
			t.Errorf("%d positions and %d repairs of %d lines", len(positions), len(repairs), lines)
		}
		for _, p := range positions {
			if q, repairs, err := ReadFEN(p.FEN(true)); err != nil || repairs != nil || q != p {
				t.Errorf("%q: %s reads back as %+v, %q (%v)", text, p.FEN(true), q, repairs, err)
			}
		}
	})
}
