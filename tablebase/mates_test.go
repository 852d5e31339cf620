package tablebase

import (
	"errors"
	"math/rand/v2"
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase/gaviota"
	"tesla/tablebase/syzygy"
)

// What moves that are tried out say of mates and the fifty-move rule agrees with Syzygy tables, which know the rule.
func TestMatesInTime(t *testing.T) {
	both := openPaths(t, Paths{Syzygy: syzygyTables, Gaviota: gaviotaTables})
	r := rand.New(rand.NewPCG(1, 2))
	var seen [3]int // by timing
	tried := 0      // in time, though the mate comes after the clock's end
	for range 40_000 {
		p := board.Position{}
		if !randomThree(r, &p) {
			continue
		}
		p.Halfmove = uint8(40 + r.IntN(60))
		v, err := both.gaviota.DTM(&p, gaviota.Hard)
		if err != nil || v.Result == gaviota.Draw || v.Plies == 0 {
			continue
		}
		dtz, err := both.syzygy.DTZ(&p, syzygy.Hard)
		if err != nil {
			t.Fatal(err)
		}
		end := int(p.Halfmove) + max(dtz, -dtz) // or one more
		when := both.mates(t.Context(), false, proofProbes).timing(&p, v)
		if seen[when-late]++; when == inTime && end > limit || when == late && end < limit {
			t.Fatalf("%s: mate in %d, a capture or pawn move in %d: %d", p.FEN(false), v.Plies, dtz, when)
		}
		if when == inTime && int(p.Halfmove)+v.Plies > limit {
			tried++
		}
	}
	if seen[0] < 100 || seen[1] < 10 || seen[2] < 1000 || tried < 100 {
		t.Errorf("late, unsure and in time: %d; %d were tried out", seen, tried)
	}
}

// randomThree is a random position of three pieces; false where it is illegal.
func randomThree(r *rand.Rand, p *board.Position) bool {
	var squares [64]byte
	for i, at := range r.Perm(64)[:3] {
		squares[at] = "Kk"[min(i, 1)]
		if i == 2 {
			squares[at] = "QRPPPqrppp"[r.IntN(10)]
		}
	}
	fen := make([]byte, 0, 80)
	for i, man := range squares {
		if i > 0 && i%8 == 0 {
			fen = append(fen, '/')
		}
		fen = append(fen, max(man, '1'))
	}
	made, err := board.ParseFEN(string(fen) + " " + string("wb"[r.IntN(2)]) + " - - 0 60")
	*p = made
	return err == nil
}

// A mate has the line to it or none, and no line to a capture or pawn move, however many lines are wanted.
func TestMatesHaveTheirLines(t *testing.T) {
	b := openPaths(t, Paths{Syzygy: syzygyTables, Gaviota: gaviotaTables}).Prober(Rules{Pieces: 7, FiftyMoves: true})
	r, mates, lines := rand.New(rand.NewPCG(3, 4)), 0, 0
	for range 300 {
		var p board.Position
		if !randomThree(r, &p) {
			continue
		}
		wanted := 1 + r.IntN(3)
		root, withLine := b.Root(t.Context(), board.NewGame(p), nil, wanted), 0
		for _, m := range root.Moves {
			if !search.IsMate(m.CP) {
				continue
			}
			if mates++; len(m.PV) > 0 {
				withLine++
			}
			if len(m.PV) > 0 && len(m.PV) != search.Plies(m.CP) {
				t.Errorf("%s: %d, %d plies", p.FEN(false), m.CP, len(m.PV))
			}
		}
		if lines += withLine; withLine > wanted {
			t.Errorf("%s: %d lines, %d are wanted", p.FEN(false), withLine, wanted)
		}
	}
	if mates < 500 || lines < 100 {
		t.Errorf("%d mates, %d lines", mates, lines)
	}
}

// Gaviota tables give positions of three pieces the scores that Syzygy tables give them. A mate that may come after the fifty
// moves has none.
func TestScoreByMate(t *testing.T) {
	rules := Rules{Pieces: 7, FiftyMoves: true}
	want := openPaths(t, Paths{Syzygy: syzygyTables}).Prober(rules)
	have := openPaths(t, Paths{Gaviota: gaviotaTables}).Prober(rules)
	want.Begin(Hard)
	have.Begin(Hard)
	r, seen := rand.New(rand.NewPCG(3, 4)), map[int]int{}
	for range 20_000 {
		p := board.Position{}
		if !randomThree(r, &p) {
			continue
		}
		score, err := want.Score(&p)
		if err != nil || !have.Covers(&p) {
			t.Fatalf("%s: %v, covered %t", p.FEN(false), err, have.Covers(&p))
		}
		if cp, err := have.Score(&p); cp != score || err != nil {
			t.Fatalf("%s: %d, %v, want %d", p.FEN(false), cp, err, score)
		}
		seen[score]++
	}
	if len(seen) != 3 || have.Hits() == 0 {
		t.Errorf("scores %v, %d hits", seen, have.Hits())
	}
	p := position(t, "8/8/8/3k4/8/8/3KP3/8 w - - 85 100")
	if _, err := have.Score(&p); !errors.Is(err, ErrNoTable) {
		t.Errorf("a mate beyond the fifty moves: %v", err)
	}
}
