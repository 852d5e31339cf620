package eut

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// gameStarts are positions whose games castle, promote and take en passant; two are of Chess960.
var gameStarts = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"8/PPPP4/8/k6K/8/8/4pppp/8 w - - 0 1",
	"4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1",
	"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
	"nrbbqknr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKNR w KQkq - 0 1",
}

// games calls f on every position of n random games.
func games(t testing.TB, n int, f func(p *board.Position)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	for g := range n {
		p := boardtest.Position(t, gameStarts[g%len(gameStarts)])
		for range 150 {
			f(&p)
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p = p.After(moves[r.IntN(len(moves))])
		}
	}
}

// recompute is the accumulator by the definition: the sum of the rows of the features, in int32.
func recompute(n *Net, p *board.Position) []int32 {
	sums := make([]int32, n.Width)
	for _, f := range AppendFeatures(p, nil) {
		for i, v := range n.row(f) {
			lo, hi := unpack(v)
			sums[2*i] += lo
			sums[2*i+1] += hi
		}
	}
	return sums
}

func testNet(t testing.TB) *Net {
	t.Helper()
	data, err := os.ReadFile("../eut-s.tesla")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestIncrementalEqualsRecomputation(t *testing.T) {
	n := testNet(t)
	single, encoder := NewAccumulator(n), NewEncoder(n)
	var sides [2]*Accumulator
	sides[0], sides[1] = NewAccumulator(n), NewAccumulator(n)
	got := make([]int32, n.Row())
	var seen struct{ castling, enPassant, promoted, black int }
	games(t, 4*len(gameStarts), func(p *board.Position) {
		want := recompute(n, p)
		side := sides[0]
		if p.Black {
			side = sides[1]
			seen.black++
		}
		if p.Castling != 0 {
			seen.castling++
		}
		if p.EnPassant != board.NoSquare {
			seen.enPassant++
		}
		if p.Queens.Count() > 2 {
			seen.promoted++
		}
		for name, set := range map[string]func(){
			"one accumulator": func() { single.Set(p); single.Write(got) },
			"one a side":      func() { side.Set(p); side.Write(got) },
			"encoder":         func() { encoder.Encode(p, got) },
		} {
			if set(); !slices.Equal(got[:n.Width], want) {
				t.Fatalf("%s: differs from recomputation at %s", name, p.FEN(true))
			}
		}
	})
	if seen.castling == 0 || seen.enPassant == 0 || seen.promoted == 0 || seen.black == 0 {
		t.Errorf("the games show not everything: %+v", seen)
	}
}

func TestFeatures(t *testing.T) {
	for _, test := range []struct {
		fen  string
		want []uint16 // flags and kings
	}{
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 1", []uint16{320 + 4, 704 + 60}},
		{"r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1", []uint16{192, 192 + 7, 320 + 4, 576 + 56, 576 + 63, 704 + 60, 768, 771}},
		// Black to move sees the board mirrored: its king on rank 1, and its own rights first.
		{"r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1", []uint16{192, 192 + 7, 320 + 4, 576 + 56, 576 + 63, 704 + 60, 769, 770}},
		{"4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", []uint16{3 + 32, 320 + 4, 384 + 4 + 32, 704 + 60, 772 + 4}},
	} {
		p := boardtest.Position(t, test.fen)
		got := AppendFeatures(&p, nil)
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: features %v, want %v", test.fen, got, test.want)
		}
	}
}

func TestPolicyIndex(t *testing.T) {
	p := boardtest.Position(t, "r3k3/1P6/8/8/8/8/8/R3K2R w KQ - 0 1")
	want := map[string][2]int{
		"e1g1":  {4*64 + 7, -1}, // castling: the rook's square
		"e1c1":  {4 * 64, -1},
		"b7b8q": {49*64 + 57, -1},
		"b7b8n": {49*64 + 57, 4096 + 3},
		"b7a8r": {49*64 + 56, 4096 + 2},
		"b7a8b": {49*64 + 56, 4096 + 1},
		"a1b1":  {1, -1},
	}
	for s, indices := range want {
		m, err := p.ParseMove(s)
		if err != nil {
			t.Fatal(err)
		}
		if i, u := PolicyIndex(&p, m); i != indices[0] || u != indices[1] {
			t.Errorf("%s: %d, %d, want %v", s, i, u, indices)
		}
	}
}

func TestPack(t *testing.T) {
	values := []int32{0, 1, -1, 1 << 30, -1 << 30, 1<<31 - 1, -1 << 31}
	for _, lo := range values {
		for _, hi := range values {
			if l, h := unpack(pack(lo, hi)); l != lo || h != hi {
				t.Errorf("unpack(pack(%d, %d)) = %d, %d", lo, hi, l, h)
			}
		}
	}
}

// TestSumsFit checks that no sum of a legal board's rows leaves int32, which packing needs: each square holds one
// piece, at most 32 squares do, and every flag may be set.
func TestSumsFit(t *testing.T) {
	n := testNet(t)
	for column := range n.Width {
		value := func(f int) int64 {
			lo, hi := unpack(n.row(uint16(f))[column/2])
			return int64([2]int32{lo, hi}[column%2])
		}
		var best [2][]int64 // largest positive and negative value of each square
		for s := range 64 {
			var most, least int64
			for piece := range 12 {
				v := value(piece*64 + s)
				most, least = max(most, v), min(least, v)
			}
			best[0], best[1] = append(best[0], most), append(best[1], -least)
		}
		for sign, values := range best {
			slices.Sort(values)
			var sum int64
			for _, v := range values[32:] {
				sum += v
			}
			for f := pieceFeatures; f < Features; f++ {
				sum += max(0, value(f)*int64(1-2*sign))
			}
			if sum > 1<<31-1 {
				t.Fatalf("column %d: a legal board may sum to %d", column, sum)
			}
		}
	}
}

// encodeWalk is positions in the order of a best-first search: several children of a node, then another node.
func encodeWalk(b *testing.B) []board.Position {
	var all []board.Position
	games(b, len(gameStarts), func(p *board.Position) {
		for i, m := range p.LegalMoves(nil) {
			if i == 6 {
				break
			}
			next := p.After(m)
			all = append(all, next)
		}
	})
	return all
}

func BenchmarkEncode(b *testing.B) {
	n := testNet(b)
	positions := encodeWalk(b)
	row := make([]int32, n.Row())
	b.Run("refresh", func(b *testing.B) {
		for i := range b.N {
			a := Accumulator{net: n, sums: make([]int64, n.Width/2)}
			a.Set(&positions[i%len(positions)])
			a.Write(row)
		}
	})
	b.Run("incremental", func(b *testing.B) {
		e := NewEncoder(n)
		for i := range b.N {
			e.Encode(&positions[i%len(positions)], row)
		}
	})
	b.Run("scattered", func(b *testing.B) {
		e := NewEncoder(n)
		for i := range b.N {
			e.Encode(&positions[i*1021%len(positions)], row)
		}
	})
}

// A checker passes every row that an encoder writes.
func TestChecker(t *testing.T) {
	n := testNet(t)
	checker, encoder, row := NewChecker(n), NewEncoder(n), make([]int32, n.Row())
	games(t, len(gameStarts), func(p *board.Position) {
		encoder.Encode(p, row)
		if err := checker.Check(row); err != nil {
			t.Fatalf("%s: %v", p.FEN(true), err)
		}
	})
	for column := range row {
		was := row[column]
		for _, x := range []int32{math.MaxInt32, math.MinInt32} {
			if row[column] = x; checker.Check(row) == nil {
				t.Errorf("column %d: %d passes", column, x)
			}
		}
		row[column] = was
	}
}
