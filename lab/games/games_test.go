package games

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
)

// random plays legal moves, with scores and, here and there, choices.
func random(r *rand.Rand, number uint64, start board.Position) *Game {
	g := &Game{Number: number, Start: start, Result: int8(r.IntN(3) - 1)}
	p, score := start, int16(0)
	for i := range 10 + r.IntN(100) {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[r.IntN(len(moves))]
		if i < 8 {
			g.Opening = append(g.Opening, Encode(&p, m))
		} else {
			score = -score + int16(r.IntN(41)-20)
			ply := Ply{Choice: Choice{Encode(&p, m), score}}
			if r.IntN(20) == 0 {
				ply.Score = MateScore - 7
			}
			if r.IntN(4) == 0 {
				for _, other := range moves[:min(3, len(moves))] {
					ply.Choices = append(ply.Choices, Choice{Encode(&p, other), int16(r.IntN(65536) - 32768)})
				}
			}
			g.Plies = append(g.Plies, ply)
		}
		p = p.After(m)
	}
	return g
}

// starts have castling in Chess960, promotions, Black to move.
func starts(t testing.TB) []board.Position {
	return []board.Position{board.StartPosition(), boardtest.Position(t,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
		boardtest.Position(t, "8/1P4k1/8/8/8/8/6K1/2b5 w - - 0 1"), boardtest.Position(t,
			"1r2k1r1/8/8/8/8/8/1p6/2R1K1R1 b GCgb - 3 40")}
}

// write makes a file of games and returns its path and contents.
func write(t testing.TB, all []*Game) (string, []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "games")
	w, err := Create(path, map[string]int{"seed": 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if err := w.Write(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

func some(t testing.TB) (all []*Game) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		all = append(all, random(r, uint64(i), starts(t)[i%len(starts(t))]))
	}
	return all
}

// readAll reads games up to the first error.
func readAll(data []byte) (all []*Game, err error) {
	r, err := NewReader(bytes.NewReader(data))
	for err == nil {
		var g *Game
		if g, err = r.Next(); err == nil {
			all = append(all, g)
		}
	}
	return all, err
}

func TestRoundTrip(t *testing.T) {
	want := some(t)
	_, data := write(t, want)
	got, err := readAll(data)
	if !errors.Is(err, io.EOF) || len(got) != len(want) {
		t.Fatalf("%d of %d games, %v", len(got), len(want), err)
	}
	plies := 0
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("game %d: %+v, want %+v", i, got[i], want[i])
		}
		seen := 0
		if _, err := got[i].Play(func(int, *board.Position, board.Move) error { seen++; return nil }); err != nil {
			t.Error(err)
		}
		if seen != len(want[i].Opening)+len(want[i].Plies) {
			t.Errorf("game %d: %d moves", i, seen)
		}
		plies += len(want[i].Plies)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "none", "games"), nil); err == nil {
		t.Error("a file in a folder that is not there was made")
	}
}

// Games of small scores and no choices take about three bytes a move.
func TestSize(t *testing.T) {
	all, moves := some(t), 0
	for _, g := range all {
		g.Start, g.Opening = board.StartPosition(), nil
		for i := range g.Plies {
			g.Plies[i] = Ply{Choice: Choice{g.Plies[i].Move, int16(30 - 60*(i&1))}}
		}
		moves += len(g.Plies)
	}
	_, data := write(t, all)
	if each := float64(len(data)) / float64(moves); each > 3.5 {
		t.Errorf("%.2f bytes a move", each)
	}
}

// Any byte that is damaged is found, at the record that holds it, and the games before are read.
func TestDamage(t *testing.T) {
	want := some(t)[:20]
	path, data := write(t, want)
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	begins := []int64{r.Offset()}
	for range want {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		begins = append(begins, r.Offset())
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		at := begins[0] + random.Int64N(int64(len(data))-begins[0])
		record := 0
		for begins[record+1] <= at {
			record++
		}
		damaged := bytes.Clone(data)
		damaged[at] ^= 1 << random.IntN(8)
		got, err := readAll(damaged)
		if errors.Is(err, io.EOF) || len(got) < record {
			t.Fatalf("byte %d of record %d: %d games, %v", at, record, len(got), err)
		}
		if len(got) == record && !strings.Contains(err.Error(), "byte") {
			t.Errorf("no byte is named: %v", err)
		}
		for i := range record {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Fatalf("game %d before the damage was read otherwise", i)
			}
		}
	}
	for name, damaged := range map[string][]byte{"magic": append([]byte("X"), data[1:]...), "short": data[:10],
		"header": data[:18], "empty": nil} {
		if _, err := readAll(damaged); err == nil || !strings.Contains(err.Error(), "byte") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, append(bytes.Clone(data[:begins[3]+5]), data[begins[3]+6:]...), 0o644); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	if _, err := Resume(path, func(json.RawMessage) error { return nil }, func(*Game) error { return nil }); err == nil ||
		!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprintf("byte %d: ", begins[3])) {
		t.Errorf("a damaged file was resumed: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a damaged file was changed")
	}
}

// A file that was cut anywhere is gone on with: the torn record goes, nothing else does.
func TestResume(t *testing.T) {
	all := some(t)[:12]
	_, data := write(t, all[:8])
	for cut := len(data) - 200; cut <= len(data); cut += 7 {
		path := filepath.Join(t.TempDir(), "games")
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		var seen []*Game
		w, err := Resume(path, func(h json.RawMessage) error {
			if string(h) != `{"seed":1}` {
				t.Errorf("header %s", h)
			}
			return nil
		}, func(g *Game) error { seen = append(seen, g); return nil })
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		for _, g := range all[len(seen):] {
			if err := w.Write(g); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(whole)
		if !errors.Is(err, io.EOF) || !reflect.DeepEqual(got, all) {
			t.Fatalf("cut at %d: %d games, %v", cut, len(got), err)
		}
	}
}

// TestResumeTail appends what a power cut leaves to a file, and damages it before its last record.
func TestResumeTail(t *testing.T) {
	all := some(t)[:12]
	_, data := write(t, all[:8])
	_, before := write(t, all[:7])
	random := make([]byte, 2*maxBody+1<<12) // more than findRecord reads at a time
	for i, r := 0, rand.New(rand.NewPCG(5, 6)); i < len(random); i++ {
		random[i] = byte(r.Uint32())
	}
	ones := bytes.Repeat([]byte{0xff}, 300)
	resume := func(content []byte) (path string, games int, w *Writer, err error) {
		path = filepath.Join(t.TempDir(), "games")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		w, err = Resume(path, func(json.RawMessage) error { return nil }, func(*Game) error { games++; return nil })
		return path, games, w, err
	}
	for name, c := range map[string]struct {
		content []byte
		games   int
		whole   []byte
	}{
		"nothing":                   {data, 8, data},
		"zeros":                     {slices.Concat(data, make([]byte, 300)), 8, data},
		"many zeros":                {slices.Concat(data, make([]byte, 1<<17)), 8, data},
		"ones":                      {slices.Concat(data, ones), 8, data},
		"random":                    {slices.Concat(data, random[:300]), 8, data},
		"much that is random":       {slices.Concat(data, random), 8, data},
		"text":                      {slices.Concat(data, []byte("some text\n")), 8, data},
		"a length that is too long": {slices.Concat(data, []byte{200, 200}), 8, data},
		"zeros in the last record":  {slices.Concat(data[:len(before)+9], make([]byte, len(data)-len(before)-9)), 7, before},
	} {
		path, games, w, err := resume(c.content)
		if err != nil || games != c.games || w.Lost() != int64(len(c.content)-len(c.whole)) {
			t.Errorf("%s: %d games, want %d: %v", name, games, c.games, err)
			continue
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, c.whole) {
			t.Errorf("%s: %d bytes are left, want %d (%v)", name, len(left), len(c.whole), err)
		}
	}
	// A damaged length points anywhere, behind the end of the file too. The records after it are not lost.
	for _, length := range []byte{0, 1, 0x7f, 0x80, 0xff} {
		damaged := bytes.Clone(data)
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		damaged[r.Offset()], damaged[r.Offset()+1] = length, 0x7f
		path, _, _, err := resume(damaged)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("byte %d: ", r.Offset())) || !strings.Contains(err.Error(), "whole records follow from byte") {
			t.Errorf("length %d: error %v", length, err)
		}
		if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, damaged) {
			t.Errorf("length %d: the file was changed (%v)", length, err)
		}
	}
}

func TestIllegal(t *testing.T) {
	g := &Game{Start: board.StartPosition(), Number: 7, Plies: []Ply{{Choice: Choice{Move: 12 | 28<<6}},
		{Choice: Choice{Move: 12 | 28<<6}}}}
	if _, err := g.Play(func(int, *board.Position, board.Move) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "game 7, move 2") {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, g := range some(f)[:8] {
		f.Add(g.append(nil))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		g, err := decode(body)
		if err != nil {
			return
		}
		again, err := decode(g.append(nil))
		if err != nil || !reflect.DeepEqual(g, again) {
			t.Errorf("%v: %+v, then %+v", err, g, again)
		}
	})
}
