package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmptyInput checks that an input without what a command reads, or that is not there, is a failure, which names it, and leaves no
// result.
func TestEmptyInput(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "empty"), filepath.Join(dir, "out")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"annotate {in} --out {out} --backend mock: no game", "datagen --stats {in}: no game", "datagen --convert {in} --out {out}: no game",
		"datagen --out {out} --games 1 --syzygy {dir}/none: tables",
		"eval --backend mock --epd {in}: no position", "match --stats {in}: no finished game", "puzzles {in} --out {out} --search lazysmp: no game",
		"siblings {in}: no position", "suite {in}: no record", "tablebase check {dir}: no table",
	} {
		text, want, _ := strings.Cut(line, ": ")
		args := strings.Fields(strings.NewReplacer("{in}", path, "{out}", out, "{dir}", dir).Replace(text))
		code, said, errOut := run(t, "", args...)
		if code != exitFailure || said != "" || !strings.Contains(errOut, ": "+want) || !strings.Contains(errOut, dir) {
			t.Errorf("%s: exit code %d, %q, %q", text, code, said, errOut)
		}
		if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want no result", text, err)
		}
	}
}
