package datagen

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResumeTail resumes a file with what a power cut leaves behind its games, and says what was cut off.
func TestResumeTail(t *testing.T) {
	cfg := config(3)
	path := filepath.Join(t.TempDir(), "games")
	want := generated(t, cfg, path, players(t, 1, cfg))
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(make([]byte, 300)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	cfg.Games = 4
	g, notes, err := Open(cfg, path, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Run(t.Context(), players(t, 1, cfg), nil, func(Progress) {}), g.Close()); err != nil {
		t.Fatal(err)
	}
	if all := read(t, path); len(all) != 4 || len(want) != 3 {
		t.Errorf("%d games, then %d", len(want), len(all))
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "the last 300 bytes") {
		t.Errorf("notes %q", notes)
	}
}

// TestResumeHeader resumes a file that a kill has cut off within its header: the same games are made as in a new file.
func TestResumeHeader(t *testing.T) {
	cfg := config(1)
	path := filepath.Join(t.TempDir(), "games")
	generated(t, cfg, path, players(t, 1, cfg))
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 3, 12, 20} {
		if err := os.WriteFile(path, want[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		g, _, err := Open(cfg, path, true)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if err := errors.Join(g.Run(t.Context(), players(t, 1, cfg), nil, func(Progress) {}), g.Close()); err != nil {
			t.Fatal(err)
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%d bytes: the file is another, %v", size, err)
		}
	}
}
