package models

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadNNUE(t *testing.T) {
	n, err := LoadNNUE("")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := DefaultNNUE(); again != n {
		t.Error("the embedded net is read twice")
	}
	path := filepath.Join(t.TempDir(), "net.tesla")
	for _, want := range []string{"no such file", "truncated"} {
		if _, err := LoadNNUE(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if err := os.WriteFile(path, []byte("TESLANNU"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]Kind{"eut-s.tesla": EUT, "nnue.tesla": NNUE, path: NNUE, "doc.go": EUT} {
		if kind, err := KindOf(file); err != nil || kind != want {
			t.Errorf("%s: kind %d, %v, want %d", file, kind, err, want)
		}
	}
	if _, err := KindOf(filepath.Join(path, "none")); err == nil {
		t.Error("a missing file has a kind")
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.tesla")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("TESLANET"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("truncated file: %v", err)
	}
	n, err := Load("")
	if err != nil || n.Name != "eut-s" {
		t.Fatalf("embedded net: %v", err)
	}
	if again, _ := Default(); again != n {
		t.Error("the embedded net is read twice")
	}
}
