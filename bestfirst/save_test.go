package bestfirst

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/treesearch"
)

// saved is a searcher with a tree of some evaluations, and the file of it.
func saved(t testing.TB, evals int64, o Options) (s *Searcher, path string) {
	t.Helper()
	s, err := New(newMock(t), nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	run(s, gameOf(t, startFEN, "e2e4", "e7e5"), search.Limits{Evals: evals})
	path = filepath.Join(t.TempDir(), "a.tree")
	if n, err := s.SaveTree(path); err != nil || int64(n) < evals/4 {
		t.Fatalf("%d nodes saved: %v", n, err)
	}
	return s, path
}

// A tree that is loaded is the one that was saved, and the search goes on as it would have.
func TestSaveTree(t *testing.T) {
	for name, o := range map[string]Options{"bestfirst": {}, "puct": baseline(false, "")} {
		o.TreeMemory = 16 << 20
		s, path := saved(t, 4000, o)
		other, err := New(newMock(t), nil, o)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		run(other, gameOf(t, startFEN, "a2a3"), search.Limits{Evals: 100})
		nodes, root, err := other.LoadTree(path)
		if err != nil || nodes != s.promoter.tree.below() || !strings.HasPrefix(root, "rnbqkbnr/pppp1ppp/8/4p3/4P3/") {
			t.Fatalf("%s: %d nodes for %q: %v", name, nodes, root, err)
		}
		check(t, other, other.promoter.tree.root)
		for _, evals := range []int64{1, 500} {
			g := gameOf(t, startFEN, "e2e4", "e7e5")
			a, b := run(s, g, search.Limits{Evals: evals}), run(other, g, search.Limits{Evals: evals})
			if a.Best != b.Best || a.Info.Score != b.Info.Score || a.Info.Depth != b.Info.Depth || s.promoter.root().n != other.promoter.root().n {
				t.Errorf("%s, after %d evaluations: %+v, without the file %+v", name, evals, b.Info, a.Info)
			}
		}
	}
}

// otherNet is a backend with another net.
type otherNet struct{ batcher.Backend }

func (b otherNet) Info() batcher.Info {
	info := b.Backend.Info()
	info.Model = "another"
	return info
}

// sealed is the bytes of a tree's file with a right checksum.
func sealed(data []byte) []byte {
	body := data[:len(data)-4]
	return binary.LittleEndian.AppendUint32(append([]byte{}, body...), crc32.Checksum(body, castagnoli))
}

// Files that do not fit are refused with the reason, and then there is no tree.
func TestLoadRefuses(t *testing.T) {
	s, path := saved(t, 300, Options{TreeMemory: 1 << 20})
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(data []byte) []byte) []byte { return change(append([]byte{}, good...)) }
	key := prefixBytes + int(binary.LittleEndian.Uint32(good[len(treeMagic)+4:])) + binary.Size(treesearch.Corrections{}) // of the root
	for want, data := range map[string][]byte{
		"not the file of a tree":   []byte("PNG"),
		"version 9":                changed(func(b []byte) []byte { b[8] = 9; return b }),
		"truncated or damaged":     good[:len(good)-1],
		"the contents are no tree": sealed(changed(func(b []byte) []byte { copy(b[key:], "\xff\xff\xff\xff\xff\xff\xff\xff"); return b })),
		"ends within a record":     sealed(good[:len(good)-700]),
	} {
		file := filepath.Join(t.TempDir(), "b.tree")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.LoadTree(file); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "b.tree") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := s.LoadTree(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
	other := open(t, otherNet{newMock(t)}, Options{TreeMemory: 1 << 20})
	if _, _, err := other.LoadTree(path); err == nil || !strings.Contains(err.Error(), ": made with net") {
		t.Error(err)
	}
	o := baseline(false, "")
	o.TreeMemory = 1 << 20
	if _, _, err := open(t, newMock(t), o).LoadTree(path); err == nil || !strings.Contains(err.Error(), `made by "bestfirst", this is puct`) {
		t.Error(err)
	}
	eager := open(t, struct{ batcher.Backend }{newMock(t)}, Options{TreeMemory: 1 << 20})
	if _, _, err := eager.LoadTree(path); err == nil || !strings.Contains(err.Error(), "no moves") {
		t.Error(err)
	}
	_, large := saved(t, 12000, Options{TreeMemory: 16 << 20})
	if _, _, err := s.LoadTree(large); err == nil || !strings.Contains(err.Error(), "TreeMemory") {
		t.Error(err)
	}
	if _, err := open(t, newMock(t), Options{TreeMemory: 1 << 20}).SaveTree(path); err == nil {
		t.Error("a tree was saved before the first search")
	}
}

// A tree of a million nodes is saved and loaded in about a second each. To grow it takes 20 s, so it runs with TESLA_LONG alone.
func TestSaveMillion(t *testing.T) {
	if os.Getenv("TESLA_LONG") == "" {
		t.Skip("TESLA_LONG is not set")
	}
	s, path := saved(t, 1_200_000, Options{TreeMemory: 2 << 30})
	begun := time.Now()
	n, err := s.SaveTree(path)
	saving := time.Since(begun)
	begun = time.Now()
	if _, _, err2 := s.LoadTree(path); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	loading := time.Since(begun)
	info, _ := os.Stat(path)
	t.Logf("%d nodes, %d MiB: saved in %v, loaded in %v", n, info.Size()>>20, saving, loading)
	if most := 4 * time.Second; saving > most || loading > most {
		t.Error("too slow even for a busy machine")
	}
}

// FuzzLoadTree loads a tree in which bytes were changed and whose checksum was made right, and searches on with what is
// accepted.
func FuzzLoadTree(f *testing.F) {
	s, path := saved(f, 300, Options{TreeMemory: 4 << 20})
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(0), []byte{}, uint32(0))
	f.Add(uint32(900), []byte{1, 2, 3}, uint32(0))
	f.Add(uint32(60), []byte{0xff}, uint32(40))
	f.Fuzz(func(t *testing.T, at uint32, by []byte, cut uint32) {
		data := append([]byte{}, good[:max(8, len(good)-int(cut%5000))]...)
		from := 8 + int(at)%(len(data)-7)
		if at&1 == 0 { // mostly the nodes, behind the corrections
			from = max(8, len(data)-1-int(at)%len(data)%100000)
		}
		copy(data[from:], by)
		if _, _, err := s.promoter.read(bytes.NewReader(sealed(data)), int64(len(data))); err != nil {
			return
		}
		g := gameOf(t, startFEN, "e2e4", "e7e5")
		if r := run(s, g, search.Limits{Evals: 50}); r.Best == board.NullMove || !g.Pos.IsLegal(r.Best) {
			t.Errorf("move %v", r.Best)
		}
	})
}

// Each move is itself again after it was packed: castling, en passant and pawn promotions too.
func TestPackedMoves(t *testing.T) {
	for _, fen := range []string{
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
		"r1bn1r1k/2P1P3/8/8/8/8/2p1p3/R2B1R1K b - - 0 1",
		"1rk3r1/8/8/8/8/8/8/1RK3R1 b GBgb - 0 1",
	} {
		p, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.LegalMoves(nil) {
			if got := unpacked(&p, packed(m)); got != m {
				t.Errorf("%s: %s becomes %s", fen, p.UCI(m, true), p.UCI(got, true))
			}
		}
	}
}
