package gaviota_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/tablebase/gaviota"
)

var codecs = []gaviota.Codec{gaviota.Huffman, gaviota.LZF, gaviota.Zlib, gaviota.LZMA}

// made is the folder of threePieces, empty where no test needed it.
var made string

// threePieces makes the tables of three pieces by each codec once for all tests, in a folder for each.
var threePieces = sync.OnceValue(func() (err error) {
	if made, err = os.MkdirTemp("", "tesla-gaviota-*"); err != nil {
		return err
	}
	if err := generate(made, codecs...); err != nil {
		return err
	}
	for _, c := range codecs {
		if err := os.Mkdir(folder(c), 0o700); err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(made, fmt.Sprint("*.gtb.cp", int(c))))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := os.Rename(file, filepath.Join(folder(c), filepath.Base(file))); err != nil {
				return err
			}
		}
	}
	return nil
})

func folder(c gaviota.Codec) string { return filepath.Join(made, fmt.Sprint("gtb", int(c))) }

func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

// generated is the folder of the generated tables of a codec. To make them is slow under the race detector.
func generated(t testing.TB, c gaviota.Codec) string {
	t.Helper()
	slow.Test(t)
	if err := threePieces(); err != nil {
		t.Fatal(err)
	}
	return folder(c)
}

// TestKept compares the tables that tests of other packages read with generated ones.
func TestKept(t *testing.T) {
	for _, name := range names {
		file := name + ".gtb.cp4"
		want, err := os.ReadFile(filepath.Join(generated(t, gaviota.LZMA), file))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("testdata/gtb4", file)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what generate makes: %v", file, err)
		}
	}
}

// official are the folders of tables that others made, where this machine has some.
func official(t *testing.T) (folders []string) {
	t.Helper()
	const debian = "/usr/share/gaviotatb/"
	for _, dir := range []string{"../../../shared/tables/gaviota", debian + "gtb1", debian + "gtb2", debian + "gtb3", debian + "gtb4",
		os.Getenv("TESLA_GAVIOTA")} {
		if files, _ := filepath.Glob(filepath.Join(dir, "*.gtb.cp*")); dir != "" && len(files) > 0 {
			folders = append(folders, dir)
		}
	}
	if folders == nil {
		t.Skip("NO OFFICIAL TABLES, only generated ones are tested: neither ../shared/tables/gaviota nor " +
			"/usr/share/gaviotatb is here, and TESLA_GAVIOTA names no folder")
	}
	return folders
}

func open(t testing.TB, dir string) *gaviota.Tables {
	t.Helper()
	tables, errs := gaviota.Open(dir, 0)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	t.Cleanup(func() {
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	})
	return tables
}

// each calls f for the positions of a piece with White's king in the triangle a1-d1-d4 (on the files a to d with a
// pawn).
func each(kind board.PieceType, f func(p *board.Position)) {
	for n := range 2 * 64 * 64 * 64 {
		white := n >> 12 & 63
		if white&7 > 3 || kind != board.Pawn && (white>>3 > 3 || white>>3 > white&7) {
			continue
		}
		bare, square := board.Square(n>>6&63), board.Square(n&63)
		if p, ok := place(kind, n>>18 == 1, board.Square(white), bare, square); ok {
			f(&p)
		}
	}
}

// The figures are those of the official tables. The longest mates, of 10, 16 and 28 moves, are well known.
func TestThreePieces(t *testing.T) {
	for kind, want := range map[board.PieceType][4]int{
		board.Queen: {22589, 3590, 31378, 20}, board.Rook: {27352, 3467, 31501, 32}, board.Bishop: {0, 65173, 0, 0},
		board.Knight: {0, 67061, 0, 0}, board.Pawn: {62480, 54394, 48802, 56},
	} {
		var all [4]*gaviota.Tables
		for i, c := range codecs {
			all[i] = open(t, generated(t, c))
		}
		var got [4]int // wins, draws, losses, the longest mate in plies
		count := 0
		each(kind, func(p *board.Position) {
			v, err := all[0].DTM(p, gaviota.Hard)
			if err != nil {
				t.Fatalf("%s: %v", p.FEN(false), err)
			}
			got[gaviota.Win-v.Result]++
			got[3] = max(got[3], v.Plies)
			if count++; count%5 != 0 {
				return
			}
			for _, other := range all[1:] {
				if w, err := other.DTM(p, gaviota.Hard); w != v || err != nil {
					t.Fatalf("%s: %v, %v, another codec has %v", p.FEN(false), w, err, v)
				}
			}
		})
		if got != want {
			t.Errorf("%s: %d wins, draws, losses, plies of the longest mate, want %d", kind, got, want)
		}
	}
}

// Official tables pass the check. Each value follows from those of the positions after each move, where there are
// tables of those, and generated tables have the same values.
func TestOfficialTables(t *testing.T) {
	folders := official(t)
	own := open(t, generated(t, gaviota.LZMA))
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, "*.gtb.cp*"))
		if err != nil {
			t.Fatal(err)
		}
		tables := open(t, dir)
		random := rand.New(rand.NewPCG(1, 1))
		for _, file := range files {
			if err := gaviota.Check(file); err != nil {
				t.Error(err)
			}
			name, _, _ := strings.Cut(filepath.Base(file), ".")
			for checked := 0; checked < 300; {
				p, ok := scatter(random, name)
				if !ok {
					continue
				}
				checked++
				v, err := tables.DTM(&p, gaviota.Hard)
				if err != nil {
					t.Fatalf("%s: %v", p.FEN(false), err)
				}
				if want, ok := byMoves(t, tables, &p); ok && v != want {
					t.Fatalf("%s: %v, its moves give %v", p.FEN(false), v, want)
				}
				if want, err := own.DTM(&p, gaviota.Hard); err == nil && v != want {
					t.Fatalf("%s: %v, the generated table says %v", p.FEN(false), v, want)
				}
			}
		}
		t.Logf("%s: %d tables", dir, len(files))
	}
}

// scatter puts the pieces of a name on random squares; false where that is no legal position. Either side is to move
// and has either side's pieces.
func scatter(random *rand.Rand, name string) (p board.Position, ok bool) {
	second := strings.LastIndexByte(name, 'k')
	sides := [2]string{strings.ToUpper(name[:second]), name[second:]}
	if random.IntN(2) == 1 {
		sides = [2]string{strings.ToUpper(name[second:]), name[:second]}
	}
	var squares [64]rune
	for _, c := range sides[0] + sides[1] {
		s := random.IntN(64)
		if squares[s] != 0 {
			return p, false
		}
		squares[s] = c
	}
	var ranks []string
	for rank := 7; rank >= 0; rank-- {
		text := strings.ReplaceAll(string(squares[8*rank:8*rank+8]), "\x00", "1")
		for n := 8; n > 1; n-- {
			text = strings.ReplaceAll(text, strings.Repeat("1", n), fmt.Sprint(n))
		}
		ranks = append(ranks, text)
	}
	p, err := board.ParseFEN(strings.Join(ranks, "/") + []string{" w", " b"}[random.IntN(2)] + " - - 0 1")
	return p, err == nil
}

// byMoves is the value by those of the positions after each move; false where a table lacks.
func byMoves(t *testing.T, tables *gaviota.Tables, p *board.Position) (best gaviota.Value, ok bool) {
	t.Helper()
	moves := p.LegalMoves(nil)
	if len(moves) == 0 && p.InCheck() {
		return gaviota.Value{Result: gaviota.Loss}, true
	}
	for i, m := range moves {
		next := p.After(m)
		v, err := tables.DTM(&next, gaviota.Hard)
		if errors.Is(err, gaviota.ErrNoTable) {
			return best, false
		}
		if err != nil {
			t.Fatalf("%s: %v", next.FEN(false), err)
		}
		if v = v.Before(); i == 0 || v.Better(best) {
			best = v
		}
	}
	return best, true
}

// A soft probe reads nothing; after a hard one it finds what it needs in the cache, and allocates nothing.
func TestSoftProbe(t *testing.T) {
	tables := open(t, generated(t, gaviota.LZMA))
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tables.DTM(&p, gaviota.Soft); !errors.Is(err, gaviota.ErrNotCached) {
		t.Errorf("%v, want %v", err, gaviota.ErrNotCached)
	}
	want := gaviota.Value{Result: gaviota.Win, Plies: 43}
	for _, probe := range []gaviota.Probe{gaviota.Hard, gaviota.Soft} {
		if got, err := tables.DTM(&p, probe); got != want || err != nil {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = tables.DTM(&p, gaviota.Soft) }); n > 0 {
		t.Errorf("%g allocations a soft probe", n)
	}
}

func TestPositionsWithoutTable(t *testing.T) {
	tables := open(t, generated(t, gaviota.Zlib))
	for fen, want := range map[string]error{
		"4k3/8/8/8/8/8/8/4K2R w K - 0 1":         gaviota.ErrCastling,
		"8/8/8/3k4/8/8/3KPP2/8 w - - 0 1":        gaviota.ErrNoTable,
		"8/8/8/3k4/8/8/3K4/8 w - - 0 1":          nil,
		"8/8/8/8/3Pp2k/8/8/K7 b - d3 0 1":        gaviota.ErrNoTable,
		"1k6/8/8/8/8/8/1R6/1K6 b - - 99 1":       nil,
		"k7/1pppppp1/8/8/8/8/PPPP4/K7 w - - 0 1": gaviota.ErrNoTable,
		"4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1":   gaviota.ErrNoTable, // eight pawns are no queen of the other side
	} {
		p, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tables.DTM(&p, gaviota.Hard); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", fen, err, want)
		}
	}
	_, errs := gaviota.Open(t.TempDir()+string(filepath.ListSeparator)+"absent", 0)
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "absent") {
		t.Errorf("%v, want an error that names the folder", errs)
	}
}

// Files that are no tables give an error that names the file, the same to each probe, and fail the check.
func TestBadFiles(t *testing.T) {
	good := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(generated(t, gaviota.LZMA), name+".gtb.cp4"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	damaged := func(at int, b byte) []byte {
		data := good("kqk")
		data[at] = b
		return data
	}
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KQ3/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		data []byte
		want string
	}{
		"an empty file":               {nil, "0 bytes, want at least 60"},
		"a short file":                {good("kqk")[:50], "50 bytes, want at least 60"},
		"a truncated file":            {good("kqk")[:len(good("kqk"))-1], "byte 52: a block from byte"},
		"another size of blocks":      {damaged(9, 0x20), "byte 8: 8192 values of a block, want 16384"},
		"another size of last blocks": {damaged(16, 0), "byte 16: 13056 values of White's last block, want 13184"},
		"another place of blocks":     {damaged(32, 64), "byte 32: 64 as the offset of the first block, want 60"},
		"a block before the first":    {damaged(40, 8), "byte 40: a block from byte 8"},
		"a block of 16 MiB":           {damaged(47, 1), "byte 40: a block from byte"},
		"damaged contents":            {damaged(70, 99), "block 0: byte 60: "},
		"another ending of that size": {good("krk"), "not the material of the name"},
		"an ending of another size":   {good("kpk"), "byte 16: 0 values of White's last block, want 13184"},
		"a directory":                 {nil, "not a regular file"},
		"a link to nothing":           {nil, "no such file"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "kqk.gtb.cp4")
		switch what {
		case "a directory":
			err = os.Mkdir(path, 0o700)
		case "a link to nothing":
			err = os.Symlink("nothing", path)
		default:
			err = os.WriteFile(path, c.data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		tables := open(t, dir)
		_, first := tables.DTM(&p, gaviota.Hard)
		_, second := tables.DTM(&p, gaviota.Hard)
		if first == nil || !errors.Is(second, first) || strings.Count(first.Error(), path) != 1 ||
			!strings.Contains(first.Error(), c.want) {
			t.Errorf("%s: %v, then %v, want %q and the path", what, first, second, c.want)
		}
		if err := gaviota.Check(path); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: the check says %v", what, err)
		}
	}
}

// A file that nobody may read. The superuser may read any.
func TestNoPermission(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kqk.gtb.cp4")
	if err := os.WriteFile(path, nil, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(path); err == nil {
		f.Close()
		t.Skip("this user may read every file")
	}
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KQ3/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(t, dir).DTM(&p, gaviota.Hard)
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v, want an error of permission that names the file", err)
	}
}

// Damaged files give errors or values, and never a panic.
func TestDamagedFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	rounds := 200
	if os.Getenv("TESLA_LONG") != "" {
		rounds = 1000
	}
	for round := range rounds {
		c := codecs[round%len(codecs)]
		file := fmt.Sprintf("krk.gtb.cp%d", c)
		data, err := os.ReadFile(filepath.Join(generated(t, c), file))
		if err != nil {
			t.Fatal(err)
		}
		limit := len(data)
		if round%8 < 4 {
			limit = 80 // the header, the offsets and the start of a block
		}
		for range 1 + random.IntN(4) {
			data[random.IntN(limit)] = byte(random.Uint32())
		}
		if round%16 == 0 {
			data = data[:random.IntN(len(data))]
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
			t.Fatal(err)
		}
		tables := open(t, dir)
		for range 20 {
			if p, ok := scatter(random, "krk"); ok {
				if v, err := tables.DTM(&p, gaviota.Hard); err == nil && (v.Plies < 0 || v.Plies > 254) {
					t.Fatalf("%s: %v", p.FEN(false), v)
				}
			}
		}
	}
}

// The block that a probe needs is read and decompressed, and some more that tell that the file is what its name says.
func BenchmarkFirstProbe(b *testing.B) {
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range codecs {
		b.Run(fmt.Sprint("cp", int(c)), func(b *testing.B) {
			dir := generated(b, c)
			for b.Loop() {
				tables, errs := gaviota.Open(dir, 0)
				if errs != nil {
					b.Fatal(errs)
				}
				if _, err := tables.DTM(&p, gaviota.Hard); err != nil {
					b.Fatal(err)
				}
				tables.Close()
			}
		})
	}
}

func BenchmarkSoftProbe(b *testing.B) {
	tables := open(b, generated(b, gaviota.LZMA))
	random := rand.New(rand.NewPCG(1, 1))
	var ps []board.Position
	for len(ps) < 10_000 {
		if p, ok := scatter(random, "kpk"); ok {
			ps = append(ps, p)
			if _, err := tables.DTM(&p, gaviota.Hard); err != nil {
				b.Fatal(err)
			}
		}
	}
	for i := 0; b.Loop(); i++ {
		if _, err := tables.DTM(&ps[i%len(ps)], gaviota.Soft); err != nil {
			b.Fatal(err)
		}
	}
}
