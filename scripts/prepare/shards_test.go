package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/batcher"
)

const testGames = "testdata/forty.games"

// TestShards writes the shards of two files of games, and checks what they hold and that no others take their place.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	if err := writeShards(dir, []string{testGames, testGames}); err != nil {
		t.Fatal(err)
	}
	all := gamePositions(t)
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Positions != 2*len(all) || len(m.Files) != 2 || m.Files[0].Games() != 40 || m.Files[1].Positions != len(all) {
		t.Errorf("the manifest is %+v, want twice 40 games and %d positions", m, len(all))
	}
	data, err := os.ReadFile(shardPath(dir, 0, "positions"))
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != m.Positions*recordSize {
		t.Fatalf("%d bytes for %d positions", len(data), m.Positions)
	}
	want := records(t, all)
	for i := range 2 * len(all) {
		r, w := data[i*recordSize:][:recordSize], want[i%len(all)*recordSize:][:recordSize]
		file := i / len(all)
		// A record made without its game has no number, file, score and result.
		if !bytes.Equal(r[:24], w[:24]) || !bytes.Equal(r[32:35], w[32:35]) || int(r[36]) != file {
			t.Fatalf("position %d is %x, want %x of file %d", i, r, w, file)
		}
		if game := int(r[24]) | int(r[25])<<8; game/40 != file {
			t.Fatalf("position %d of file %d belongs to game %d", i, file, game)
		}
	}
	if err := writeShards(dir, []string{testGames}); err == nil || !strings.Contains(err.Error(), "positions of an earlier run") {
		t.Errorf("a second time: %v", err)
	}
}

// TestDamagedGames checks that shards of games that cannot be read are not complete.
func TestDamagedGames(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "torn.games")
	data, err := os.ReadFile(testGames)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)-5], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeShards(dir, []string{file}); err == nil {
		t.Error("a torn file of games is no error")
	}
	if _, err := readManifest(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the manifest of torn games: %v", err)
	}
}

// judge is a teacher whose policy depends on the position and the move alone.
type judge struct {
	name  string
	asked int
	fail  bool
}

func (j *judge) Info() batcher.Info {
	return batcher.Info{Name: "judge", Model: j.name, MaxBatch: 100, Streams: 1}
}
func (j *judge) Close() error { return nil }
func (j *judge) Evaluate(items []*batcher.Item) error {
	if j.fail && j.asked > 250 {
		return errors.New("out of memory")
	}
	j.asked += len(items)
	for _, it := range items {
		it.Policy = it.Policy[:0]
		for _, m := range it.Moves {
			it.Policy = append(it.Policy, float32(1+(int(m)+it.Position.Occupied().Count())%7)/1000)
		}
	}
	return nil
}

// TestTeach checks the bytes of a teacher, that a run which failed goes on where it was, and that a second net is
// refused.
func TestTeach(t *testing.T) {
	dir := t.TempDir()
	w, err := newWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.size = 400
	all := gamePositions(t)[:1100]
	var want []uint8
	for i := range all {
		p := &all[i].Position
		r, err := newRecord(p, all[i].best, [2]int16{}, 0)
		if r.game = uint32(i / 10); err == nil {
			err = w.add(&r)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.LegalMoves(nil) {
			want = append(want, 0)
			if r.game%2 == 0 {
				want[len(want)-1] = uint8(255*math.Sqrt(float64(1+(int(m)+p.Occupied().Count())%7)/1000) + 0.5)
			}
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := teach(dir, &judge{name: "a", fail: true}, 2); err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Fatalf("a failing teacher: %v", err)
	}
	if n, err := teach(dir, &judge{name: "a"}, 2); err != nil || n != 350 {
		t.Errorf("the second run evaluated %d positions, %v; want 350", n, err)
	}
	var found []byte
	for shard := range 3 {
		data, err := os.ReadFile(shardPath(dir, shard, "teacher"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, data...)
	}
	if !bytes.Equal(found, want) {
		t.Error("the teacher's bytes are wrong")
	}
	for _, other := range []struct {
		name  string
		every int
	}{{"b", 2}, {"a", 1}} {
		if _, err := teach(dir, &judge{name: other.name}, other.every); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("teacher %v after another: %v", other, err)
		}
	}
}
