package gaviota

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/tablebase/tablefile"
)

// sparse is a table in which each legal position is a draw, but for some codes.
type sparse struct {
	*Layout
	codes map[int64]byte // by index, those of black to move behind those of white
}

func newSparse(t testing.TB, name string) sparse {
	t.Helper()
	l, err := NewLayout(name)
	if err != nil {
		t.Fatal(err)
	}
	s := sparse{l, map[int64]byte{}}
	x := &table{layout: l, blocks: (l.size + blockValues - 1) / blockValues}
	for _, sample := range x.samples(openSamples) {
		if !sample.legal {
			s.codes[sample.block/x.blocks*l.size+sample.block%x.blocks*blockValues+int64(sample.at)] = Illegal
		}
	}
	return s
}

// set sets the value of a position.
func (s sparse) set(t *testing.T, fen string, v Value) {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	side, index := s.Locate(&p)
	if s.codes[int64(side)*s.size+index], err = Code(v, side); err != nil {
		t.Fatal(err)
	}
}

// file is the table as a file.
func (s sparse) file(t testing.TB, codec Codec) []byte {
	t.Helper()
	pack := func(codes []byte) []byte {
		packed, err := codec.compress(codes)
		if err != nil {
			t.Fatal(err)
		}
		return packed
	}
	special := map[int64][]byte{}
	perSide := (s.size + blockValues - 1) / blockValues
	length := func(block int64) int64 { return min(blockValues, s.size-block%perSide*blockValues) }
	for index, code := range s.codes {
		block := index/s.size*perSide + index%s.size/blockValues
		if special[block] == nil {
			special[block] = make([]byte, length(block))
		}
		special[block][index%s.size%blockValues] = code
	}
	all, full := make([][]byte, 2*perSide), pack(make([]byte, blockValues))
	for i := range all {
		switch codes := special[int64(i)]; {
		case codes != nil:
			all[i] = pack(codes)
		case length(int64(i)) < blockValues:
			all[i] = pack(make([]byte, length(int64(i))))
		default:
			all[i] = full
		}
	}
	return s.assemble(all)
}

// A table knows no en passant. The capture is taken into account: where it is better, where it is worse, and where it
// is the only move, so that the table takes the position for stalemate.
func TestEnPassant(t *testing.T) {
	slow.Test(t)
	const (
		better = "8/8/8/8/3Pp3/8/8/K1k5 b - d3 0 1"
		worse  = "8/8/8/8/3Pp3/8/8/K6k b - d3 0 1"
		only   = "k7/8/1Q6/8/3Pp3/4K3/8/8 b - d3 0 1"
	)
	kpkp, kpk, kqpkp, kqkp := newSparse(t, "kpkp"), newSparse(t, "kpk"), newSparse(t, "kqpkp"), newSparse(t, "kqkp")
	kpkp.set(t, better, Value{Loss, 40})
	kpk.set(t, "8/8/8/8/8/3p4/8/K1k5 w - - 0 2", Value{Loss, 20})
	kpkp.set(t, worse, Value{Win, 31})
	kpk.set(t, "8/8/8/8/8/3p4/8/K6k w - - 0 2", Value{Loss, 50})
	kqkp.set(t, "k7/8/1Q6/8/8/3pK3/8/8 w - - 0 2", Value{Win, 15})
	dir := t.TempDir()
	for name, s := range map[string]sparse{"kpkp": kpkp, "kpk": kpk, "kqpkp": kqpkp, "kqkp": kqkp} {
		if err := os.WriteFile(filepath.Join(dir, name+".gtb.cp3"), s.file(t, Zlib), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tables, errs := Open(dir, 0)
	if errs != nil {
		t.Fatal(errs)
	}
	defer tables.Close()
	for fen, want := range map[string]Value{better: {Win, 21}, worse: {Win, 31}, only: {Loss, 16}} {
		p, err := board.ParseFEN(fen)
		if err != nil || p.EnPassant == board.NoSquare {
			t.Fatalf("%s: %v", fen, err)
		}
		if got, err := tables.DTM(&p, Hard); got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", fen, got, err, want)
		}
	}
}

// Many goroutines probe at once, with a cache so small that blocks are replaced all the time.
func TestConcurrentProbes(t *testing.T) {
	s := newSparse(t, "kpk")
	random := rand.New(rand.NewPCG(1, 1))
	var positions []board.Position
	for i := 0; len(positions) < 300; i++ {
		p, ok := s.place(random)
		if !ok {
			continue
		}
		side, index := s.Locate(&p)
		if at := int64(side)*s.size + index; s.codes[at] == 0 {
			s.codes[at] = byte(4 * (1 + i%60)) // a draw's lower bits: a win in more than 63 moves
			positions = append(positions, p)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kpk.gtb.cp2"), s.file(t, LZF), 0o600); err != nil {
		t.Fatal(err)
	}
	tables, errs := Open(dir, 1)
	if errs != nil {
		t.Fatal(errs)
	}
	defer tables.Close()
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := range positions {
				p := &positions[(i*7+worker*31)%len(positions)]
				side, index := s.Locate(p)
				want, _ := decode(s.codes[int64(side)*s.size+index], side)
				if got, err := tables.DTM(p, Hard); got != want || err != nil {
					t.Errorf("%s: %v, %v, want %v", p.FEN(false), got, err, want)
					return
				}
			}
		})
	}
	wait.Wait()
}

// FuzzTable reads any bytes as a table of each codec, and all its blocks, without panic and without reading behind the
// end.
func FuzzTable(f *testing.F) {
	slow.Test(f)
	names := []string{"kqk", "kpk", "knk"}
	for i, name := range names {
		for codec := Huffman; codec <= LZMA; codec++ {
			data := newSparse(f, name).file(f, codec)
			f.Add(data, uint8(i), uint8(codec))
			f.Add(data[:min(len(data), 100)], uint8(i), uint8(codec))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, which, codec uint8) {
		l, err := NewLayout(names[int(which)%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		c := Huffman + Codec(codec)%LZMA
		x, err := openTable(tablefile.NewCache(1<<16), bytes.NewReader(data), int64(len(data)), l, c)
		if err != nil {
			return
		}
		_ = x.check(10)
		for number := range 2 * x.blocks {
			side, first := int(number/x.blocks), number%x.blocks*blockValues
			for _, index := range []int64{first, min(first+blockValues, l.size) - 1} {
				v, err := x.value(side, index, Hard)
				if err == nil && (v.Plies < 0 || v.Plies > 254 || v.Result == Draw && v.Plies > 0) {
					t.Errorf("a value of %v", v)
				}
			}
		}
	})
}
