package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tesla/engine"
)

func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if code, out, errOut := run(t, "", "man", dir); code != exitDone || out != "" || errOut != "" {
		t.Fatalf("code %d, %q, %q", code, out, errOut)
	}
	for page, want := range map[string]string{"tesla.1": "best-first", "tesla-match.1": "--sprt", "tesla-analyze.1": "--movetime"} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if plain := strings.ReplaceAll(string(text), `\-`, "-"); err != nil || !strings.Contains(plain, want) {
			t.Errorf("%s does not tell of %s: %v\n%s", page, want, err, text)
		}
	}
	if code, _, errOut := run(t, "", "man", filepath.Join(dir, "tesla.1", "man")); code != exitFailure || !strings.Contains(errOut, "tesla.1") {
		t.Errorf("a folder that cannot be made: code %d, %q", code, errOut)
	}
}

// What the shells' completion scripts ask for.
func TestCompletion(t *testing.T) {
	for flag, want := range map[string][]string{"--search": engine.Searches, "--backend": engine.Backends} {
		_, out, _ := run(t, "", "__complete", "bench", flag, "")
		got := strings.Fields(out)
		if len(got) != len(want)+1 || !slices.Equal(got[:len(got)-1], want) {
			t.Errorf("%s completes to %q, want %q", flag, got, want)
		}
	}
}
