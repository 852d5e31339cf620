// Package tabletest gives tests endgame tables.
package tabletest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"tesla/board"
	"tesla/syzygy/generate"
	"tesla/tablebase"
)

// Folder makes the Syzygy tables of three pieces in a folder that lasts as long as the test. It takes a second or two.
func Folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := generate.Run(context.Background(), dir, 3, func(string) {}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Queen makes the tables of king and queen alone, in a third of a second.
func Queen(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_ = generate.Run(ctx, dir, 3, func(name string) { // it is stopped
		if name != "KQvK" {
			stop()
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "KQvK.rtbz")); err != nil { // it is written last
		t.Fatal(err)
	}
	return dir
}

// Open opens the tables of a folder, until the test ends, as a search in a mode uses them.
func Open(t testing.TB, dir string, mode tablebase.Mode) *tablebase.Prober {
	t.Helper()
	tables, notes := tablebase.Open(tablebase.Paths{Syzygy: dir})
	if notes != nil {
		t.Fatal(notes)
	}
	t.Cleanup(func() {
		if err := tables.Close(); err != nil {
			t.Error(err)
		}
	})
	b := tables.Prober(tablebase.Rules{Pieces: 7, Depth: 1, FiftyMoves: true})
	b.Begin(mode)
	return b
}

// Position is that of a FEN.
func Position(t testing.TB, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
