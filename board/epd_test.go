package board

import (
	"strings"
	"testing"
)

func TestParseEPD(t *testing.T) {
	for epd, want := range map[string]string{
		"4k3/8/8/8/8/8/8/4K2R w K -":                                   "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"4k3/8/8/8/8/8/8/4K2R w K - 12 40":                             "4k3/8/8/8/8/8/8/4K2R w K - 12 40",
		"4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"a b\";":               "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"4k3/8/8/8/8/8/8/4K2R w K - acd 12;":                           "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"  4k3/8/8/8/8/8/8/4K2R   b K -   hmvc 3; fmvn 20;   \t":       "4k3/8/8/8/8/8/8/4K2R b K - 3 20",
		"8/5k2/8/8/8/2R5/5K2/8 w - - hmvc 90; fmvn 120;":               "8/5k2/8/8/8/2R5/5K2/8 w - - 90 120",
		"4k3/8/8/8/8/8/8/4K2R w K - fmvn 20;hmvc 3":                    "4k3/8/8/8/8/8/8/4K2R w K - 3 20",
		"4k3/8/8/8/8/8/8/4K2R w K - id \"a; hmvc 9; b\"; hmvc 4;":      "4k3/8/8/8/8/8/8/4K2R w K - 4 1",
		"4k3/8/8/8/8/8/8/4K2R w K - 5 6; bm O-O;":                      "4k3/8/8/8/8/8/8/4K2R w K - 5 6",
		"4k3/8/8/8/8/8/8/4K2R w K - 5 6 bm O-O; hmvc 7;":               "4k3/8/8/8/8/8/8/4K2R w K - 7 6",
		"4k3/8/8/8/8/8/8/4K2R w K -;D1 15;D2 66":                       "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
		"\ufeff4k3/8/8/8/8/8/8/4K2R w K - c0 \"Gr\xfcnfeld\"; fmvn 2;": "4k3/8/8/8/8/8/8/4K2R w K - 0 2",
	} {
		p, repairs, err := ParseEPD(epd)
		if err != nil || repairs != nil {
			t.Errorf("%q: %v, repairs %q", epd, err, repairs)
		} else if got := p.FEN(false); got != want {
			t.Errorf("%q: %s, want %s", epd, got, want)
		}
	}
	for bad, want := range map[string]string{
		"":                                       "no board",
		"4k3/8/8/8/8/8/8/4K2R w bm x;":           "unknown letter 'm'",
		"4k3/8/8/8/8/8/8/4K2R w K - hmvc x;":     `halfmove clock: "x" is not a whole number`,
		"4k3/8/8/8/8/8/8/4K2R w K - fmvn;":       "fmvn has 0 operands, want 1",
		"4k3/8/8/8/8/8/8/4K2R w K - hmvc 1 id 2": "hmvc has 3 operands, want 1",
	} {
		if _, _, err := ParseEPD(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", bad, err, want)
		}
	}
}

func TestReadEPD(t *testing.T) {
	positions, repairs, err := ReadEPD("\ufeff\r\n4k3/8/8/8/8/8/8/4K2R w K - hmvc 2;\r\n # a comment\r\n4k3/8/8/8/8/8/8/4K2R w Q - -3 1")
	if err != nil || len(positions) != 2 || positions[0].Halfmove != 2 {
		t.Fatalf("%d positions, error %v", len(positions), err)
	}
	if got, want := strings.Join(repairs, "\n"), "line 4: castling right Q is dropped: no rook stands there\nline 4: the halfmove clock -3 is read as 0"; got != want {
		t.Errorf("repairs\n%s, want\n%s", got, want)
	}
	if _, _, err := ReadEPD("\n4k3/8/8/8/8/8/8/8 w - -\n"); err == nil || !strings.Contains(err.Error(), "line 2: EPD \"4k3/8/8/8/8/8/8/8 w - -\": board: white has 0 kings") {
		t.Errorf("error %v", err)
	}
}
