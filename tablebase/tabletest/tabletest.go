// Package tabletest gives tests endgame tables, those that tablebase/syzygy/generate makes.
package tabletest

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"

	"tesla/board"
	"tesla/tablebase"
)

//go:embed syzygy
var files embed.FS

// Folder has the Syzygy tables of three pieces, in a folder that lasts as long as the test.
func Folder(t testing.TB) string {
	t.Helper()
	return folder(t, "*")
}

// Queen has the tables of king and queen alone.
func Queen(t testing.TB) string {
	t.Helper()
	return folder(t, "KQvK.*")
}

func folder(t testing.TB, pattern string) string {
	t.Helper()
	dir := t.TempDir()
	names, err := fs.Glob(files, "syzygy/"+pattern)
	for _, name := range names {
		data, errRead := files.ReadFile(name)
		err = errors.Join(err, errRead, os.WriteFile(filepath.Join(dir, path.Base(name)), data, 0o600))
	}
	if err != nil || len(names) == 0 {
		t.Fatal(len(names), err)
	}
	return dir
}

// Open opens the Syzygy tables of a folder, until the test ends, as a search in a mode uses them.
func Open(t testing.TB, dir string, mode tablebase.Mode) *tablebase.Prober {
	t.Helper()
	return OpenBoth(t, tablebase.Paths{Syzygy: dir}, mode)
}

// OpenBoth is Open for both formats.
func OpenBoth(t testing.TB, paths tablebase.Paths, mode tablebase.Mode) *tablebase.Prober {
	t.Helper()
	tables, notes := tablebase.Open(paths)
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
