package oracle

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/slow"
	"tesla/lab/match/pgn"
)

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

// Nothing differs, over other games than those of tesla doctor, and games end in every way.
func TestRun(t *testing.T) {
	slow.Test(t)
	r, err := Run(Tesla(), 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r, r.Ends)
	if r.Err() != nil || r.Positions < 300 || r.Leaves < 100_000 {
		t.Error(r)
	}
	for o := board.Ongoing; o <= board.Material; o++ {
		if r.Ends[o.String()] < 2 {
			t.Errorf("%d games end by %v", r.Ends[o.String()], o)
		}
	}
	if r.Known[passingRepeats].Met == 0 {
		t.Error("no game meets the known difference")
	}
}

// A wrong rule is found, and named with the position and both answers.
func TestWrongRules(t *testing.T) {
	const passing = "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1"
	for name, c := range map[string]struct {
		change       func(r *Rules)
		fen          string
		what         string
		ours, theirs string
	}{
		"no en passant": {func(r *Rules) {
			r.Moves = func(p *board.Position) []board.Move {
				return slices.DeleteFunc(p.LegalMoves(nil), func(m board.Move) bool { return m.Moved() == board.Pawn && m.To() == p.EnPassant })
			}
		}, passing, "moves", "nothing else", "d5e6 dxe6"},
		"castling twice": {func(r *Rules) {
			r.SAN = func(p *board.Position, m board.Move) string { return strings.ReplaceAll(pgn.SAN(p, m), "O-O-O", "O-O") }
		}, kiwipete, "moves", "e1c1 O-O", "e1c1 O-O-O"},
		"a leaf too many": {func(r *Rules) {
			r.Count = func(p *board.Position, depth int) uint64 {
				n := board.Perft(p, depth)
				if depth == 1 && p.InCheck() {
					n++
				}
				return n
			}
		}, "4k3/4r3/8/8/8/8/8/4K3 w - - 0 1", "perft 1", "5", "4"},
	} {
		r := Tesla()
		c.change(&r)
		p := boardtest.Position(t, c.fen)
		_, found, err := r.Perft(&p, 1)
		if name != "a leaf too many" {
			found, err = r.Position(&p)
		}
		if want := (Difference{c.what, c.fen, c.ours, c.theirs}); err != nil || len(found) != 1 || found[0] != want {
			t.Errorf("%s: %v, %v; want %v", name, found, err, want)
		}
	}
}

// Perft names the position near the leaves that a wrong count comes from.
func TestPerftNarrows(t *testing.T) {
	p := boardtest.Position(t, kiwipete)
	if n, found, err := Tesla().Perft(&p, 3); n != 97862 || len(found) != 0 || err != nil {
		t.Errorf("%d, %v, %v", n, found, err)
	}
	r := Tesla()
	legal := func(p *board.Position) []board.Move {
		return slices.DeleteFunc(p.LegalMoves(nil), func(m board.Move) bool { return p.Black && m.IsCastling() })
	}
	r.Moves = legal
	var count func(p *board.Position, depth int) uint64
	count = func(p *board.Position, depth int) (n uint64) {
		if depth == 0 {
			return 1
		}
		for _, m := range legal(p) {
			next := p.After(m)
			n += count(&next, depth-1)
		}
		return n
	}
	r.Count = count
	_, found, err := r.Perft(&p, 2)
	if err != nil || len(found) != 1 || !strings.Contains(found[0].FEN, " b ") || !strings.Contains(found[0].Theirs, "e8g8 O-O") || found[0].Ours != "nothing else" {
		t.Errorf("%v, %v", found, err)
	}
}

// A run with a wrong end, and one with a wrong row of what is known, say so.
func TestRunFinds(t *testing.T) {
	slow.Test(t)
	r := Tesla()
	r.End = func(g *board.Game) board.Outcome {
		if o := g.Outcome(); o != board.FiftyMoves {
			return o
		}
		return board.Ongoing
	}
	report, err := Run(r, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := report.Differences
	if len(d) == 0 || d[0].What != "end" || d[0].Ours != "ongoing" || d[0].Theirs != "fifty moves" || !strings.Contains(d[0].FEN, " 100 ") {
		t.Errorf("%v", d)
	}
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), d[0].FEN) || !strings.HasPrefix(report.String(), "WRONG") {
		t.Errorf("%v: %v", err, report)
	}
	k := known()[2]
	k.Theirs = "1... e5"
	if found := k.check(); len(found) != 1 || found[0].Theirs != "1. e5 Nf3  *" {
		t.Errorf("%v", found)
	}
}

// The positions with known perft counts, some of which come from Chess960.
func TestFile(t *testing.T) {
	slow.Test(t)
	file, err := os.Open("../../board/testdata/perft3.epd")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	compared := 0
	for in := bufio.NewScanner(file); in.Scan(); {
		fen, _, _ := strings.Cut(in.Text(), ";")
		if p := boardtest.Position(t, fen); Standard(&p) {
			compared++
			if found, err := Tesla().Position(&p); err != nil || len(found) > 0 {
				t.Errorf("%v, %v", found, err)
			}
		}
	}
	if compared < 300 {
		t.Errorf("%d positions compared", compared)
	}
}
