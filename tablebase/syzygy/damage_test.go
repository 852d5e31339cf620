package syzygy

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
)

// folderOf is a folder with a WDL and a DTZ table of king and pawn.
func folderOf(t *testing.T, wdl, dtz []byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"KPvK.rtbw": wdl, "KPvK.rtbz": dtz} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// randomPosition is a legal position of king and pawn.
func randomPosition(random *rand.Rand) board.Position {
	for {
		var squares [64]byte
		for i := range squares {
			squares[i] = '1'
		}
		for _, piece := range []byte("KkP") {
			squares[random.IntN(64)] = piece
		}
		var fen strings.Builder
		for rank := range 8 {
			fmt.Fprintf(&fen, "%s/", squares[8*rank:8*rank+8])
		}
		p, err := board.ParseFEN(fmt.Sprintf("%s %c - - 0 1", strings.TrimSuffix(fen.String(), "/"), "wb"[random.IntN(2)]))
		if err == nil && p.Pawns != 0 {
			return p
		}
	}
}

// Damaged files whose checksum is right give errors or values, and never a panic.
func TestDamagedFiles(t *testing.T) {
	slow.Test(t)
	random := rand.New(rand.NewPCG(2, 2))
	good := [2][]byte{randomTable(t, "KPvK", false), randomTable(t, "KPvK", true)}
	for round := range 300 {
		var bad [2][]byte
		for i, data := range good {
			data = bytes.Clone(data[:len(data)-checksumBytes])
			for range 1 + random.IntN(8) {
				limit := 200 // most of them in the header
				if round%4 == 0 {
					limit = len(data)
				}
				data[random.IntN(limit)] = byte(random.Uint32())
			}
			if round%5 == 0 {
				data = data[:random.IntN(len(data))]
			}
			bad[i] = sealed(data)
		}
		tables, _ := Open(folderOf(t, bad[0], bad[1]), 0)
		for range 50 {
			p := randomPosition(random)
			tables.WDL(&p, Hard)
			tables.DTZ(&p, Hard)
		}
		if err := tables.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Equal pieces of a file's order must follow each other.
func TestScattered(t *testing.T) {
	for codes, want := range map[string]bool{"\x06\x0e\x05\x05": false, "\x06\x05\x0e\x05": true, "\x01\x09\x01": true, "": false} {
		if scattered([]byte(codes)) != want {
			t.Errorf("%x: %t", codes, !want)
		}
	}
}

// An error of reading a table names the file, once, and stays the answer.
func TestErrorNamesFile(t *testing.T) {
	data := randomTable(t, "KPvK", false)
	data = data[:len(data)-checksumBytes]
	for i := 1000; i < len(data); i++ {
		data[i] = 0xff
	}
	dir := folderOf(t, sealed(data), nil)
	tables, errs := Open(dir, 0)
	if errs != nil {
		t.Fatal(errs)
	}
	defer tables.Close()
	p, err := board.ParseFEN("8/8/8/3k4/8/8/3KP3/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	_, first := tables.WDL(&p, Hard)
	_, second := tables.WDL(&p, Soft)
	path := filepath.Join(dir, "KPvK.rtbw")
	if first == nil || strings.Count(first.Error(), path) != 1 || !errors.Is(second, first) {
		t.Errorf("%v, then %v, want an error that names the file", first, second)
	}
}
