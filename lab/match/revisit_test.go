package match

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRevisit resumes a match with any line in its journal. The line is refused, or its game counts.
func FuzzRevisit(f *testing.F) {
	config := fixed(f.TempDir(), 2)
	config.Files.PGN, config.Files.Journal = "", filepath.Join(f.TempDir(), "journal")
	config.InProcess.Searcher = sound
	if _, err := run(context.Background(), config); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(config.Files.Journal)
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range bytes.Split(text, []byte{'\n'}) {
		f.Add(line)
	}
	openings, _, err := LoadOpenings(config.Openings.File, config.Openings.Plies)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		config := config
		m, err := newRun(context.Background(), &config, openings)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.revisit(line); err == nil && m.games != 1 || err != nil && m.games != 0 {
			t.Errorf("%d games (%v) of %q", m.games, err, line)
		}
	})
}
