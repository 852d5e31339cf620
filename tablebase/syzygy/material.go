package syzygy

import (
	"fmt"
	"strings"

	"tesla/tablebase/tablefile"
)

// Codes of pieces in files: pawn 1 to king 6, and blackCode more for the second side of the name.
const (
	pawnCode  = 1
	kingCode  = 6
	blackCode = 8
)

// parseName reads the name of a file without its ending, such as KQPvKR.
func parseName(name string) (m tablefile.Material, err error) {
	first, second, found := strings.Cut(name, "v")
	if !found {
		return m, fmt.Errorf("%q is not a name such as KQvKR", name)
	}
	for side, text := range []string{first, second} {
		rest, found := strings.CutPrefix(text, "K")
		if !found {
			return m, fmt.Errorf("%q is not a name such as KQvKR", name)
		}
		for _, c := range rest {
			if !m.Add(side, c) {
				return m, fmt.Errorf("%q: unknown piece %q", name, c)
			}
		}
	}
	if n := m.Count(); n < 3 || n > MaxPieces {
		return m, fmt.Errorf("%q has %d pieces, want 3 to %d", name, n, MaxPieces)
	}
	return m, nil
}

// consistsOf reports whether codes are the pieces of the material, kings included.
func consistsOf(m tablefile.Material, codes []byte) bool {
	var have tablefile.Material
	kings := [2]int{}
	for _, c := range codes {
		side, kind := c/blackCode, c%blackCode
		switch {
		case kind == kingCode:
			kings[side]++
		case kind >= pawnCode && kind < kingCode:
			have[side][kind-pawnCode]++
		default:
			return false
		}
	}
	return have == m && kings == [2]int{1, 1}
}
