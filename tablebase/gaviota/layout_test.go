package gaviota

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
)

//go:embed testdata/indices.txt
var indices string

// allNames lists the tables of a number of pieces.
func allNames(pieces int) (names []string) {
	words := []string{""}
	for range pieces - 1 {
		var longer []string
		for _, w := range words {
			for _, c := range letters + "k" {
				longer = append(longer, w+string(c))
			}
		}
		words = longer
	}
	for _, w := range words {
		if _, err := NewLayout("k" + w); err == nil {
			names = append(names, "k"+w)
		}
	}
	return names
}

// The format has 5, 30 and 110 tables of three, four and five pieces.
func TestNames(t *testing.T) {
	for pieces, want := range map[int]int{2: 0, 3: 5, 4: 30, 5: 110, 6: 0} {
		if names := allNames(pieces); len(names) != want {
			t.Errorf("%d tables of %d pieces, want %d: %v", len(names), pieces, want, names)
		}
	}
	for _, name := range []string{"", "k", "kk", "kqkr.gtb.cp5", "kqkr.gtb.cp", "kqkr.gtb", "krkq.gtb.cp4", "krqk.gtb.cp4",
		"kqkrb.gtb.cp4",
		"KQK.gtb.cp4", "kxk.gtb.cp4", "qkk.gtb.cp1", "kqrbnk.gtb.cp1", "kqk.gtb.cp44"} {
		if _, _, err := parseFile(name); err == nil {
			t.Errorf("%q is taken for a table", name)
		}
	}
}

// Every table has some positions in the list, so each formula is compared with its original.
func TestIndices(t *testing.T) {
	seen := map[string]bool{}
	for line := range strings.Lines(indices) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var pieces, mover, name string
		var side int
		var index int64
		if _, err := fmt.Sscan(line, &pieces, &mover, &name, &side, &index); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		p, err := board.ParseFEN(pieces + " " + mover + " - - 0 1")
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLayout(name)
		if err != nil {
			t.Fatal(err)
		}
		if s, i := l.Locate(&p); s != side || i != index {
			t.Errorf("%s: side %d, index %d, want %d, %d", strings.TrimSpace(line), s, i, side, index)
		}
		seen[name] = true
	}
	if len(seen) != 145 {
		t.Errorf("%d tables in the list, want 145", len(seen))
	}
}

// Indices are in the range of the table, and a position and its mirror image have the same.
func TestIndicesOfMirrorImages(t *testing.T) {
	slow.Test(t)
	random := rand.New(rand.NewPCG(1, 1))
	for pieces := 3; pieces <= MaxPieces; pieces++ {
		for _, name := range allNames(pieces) {
			l, err := NewLayout(name)
			if err != nil {
				t.Fatal(err)
			}
			for range 300 {
				p, ok := l.place(random)
				if !ok || p.Pawns != 0 && mirrored(p.Pawns) == p.Pawns { // both images have a place of their own
					continue
				}
				side, index := l.Locate(&p)
				if index < 0 || index >= l.size {
					t.Fatalf("%s: index %d of %d: %s", name, index, l.size, p.FEN(false))
				}
				q := p
				for _, b := range []*board.Bitboard{&q.Ours, &q.Theirs, &q.Pawns, &q.Knights, &q.Bishops, &q.Rooks,
					&q.Queens, &q.Kings} {
					*b = mirrored(*b)
				}
				if s, i := l.Locate(&q); s != side || i != index {
					t.Fatalf("%s: %s has index %d, its mirror image %d", name, p.FEN(false), index, i)
				}
			}
		}
	}
}

// mirrored exchanges the files a and h, b and g, and so on.
func mirrored(b board.Bitboard) (m board.Bitboard) {
	for b != 0 {
		m |= (b.Pop() ^ 7).Bitboard()
	}
	return m
}
