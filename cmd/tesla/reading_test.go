package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepairsAreTold reads positions that need a repair with each command that takes one.
func TestRepairsAreTold(t *testing.T) {
	const fen = "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQk - 0 14"
	const said = "castling right k is dropped: no rook stands there"
	const read = "2b1k1nB/1p3p1p/n4b2/1NPp4/P7/8/2r1PPPP/R3KBNR b KQ - 0 14"
	file := filepath.Join(t.TempDir(), "a.epd")
	if err := os.WriteFile(file, []byte("\ufeff"+fen+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pgn := filepath.Join(t.TempDir(), "a.pgn")
	for _, c := range []struct {
		args []string
		said string
		code int
	}{
		{[]string{"perft", "1", "--json", "--fen", fen}, "tesla: " + said, exitDone},
		{[]string{"eval", "--backend", "mock", "--json", "--fen", fen}, "tesla: " + said, exitDone},
		{[]string{"eval", "--backend", "mock", "--json", "--epd", file}, "tesla: line 1: " + said, exitDone},
		{[]string{"analyze", "--backend", "mock", "--evals", "5", "--fen", fen}, "tesla: " + said, exitDone},
		{[]string{"tablebase", "probe", "--syzygy", t.TempDir(), "--fen", fen}, "tesla: " + said, exitFailure},
		{[]string{"match", "--games", "2", "--nodes", "5", "--maxmoves", "1", "--openings", file, "--pgn", pgn, "--a", "name=A,search=lazysmp", "--b", "name=B,search=lazysmp"},
			"match: openings " + file + ": line 1: " + said, exitDone},
	} {
		var out, errOut bytes.Buffer
		code := execute(c.args, strings.NewReader(""), &out, &errOut)
		if code != c.code || !strings.Contains(errOut.String(), c.said+"\n") {
			t.Errorf("%s: exit code %d, standard error %q", c.args, code, errOut.String())
		}
		if shows := c.args[0] != "match" && c.args[0] != "tablebase" && c.args[0] != "analyze"; shows && !strings.Contains(out.String(), read) {
			t.Errorf("%s: %q does not show %s", c.args, out.String(), read)
		}
	}
	if text, err := os.ReadFile(pgn); err != nil || !bytes.Contains(text, []byte(`[FEN "`+read+`"]`)) {
		t.Errorf("the games do not begin in the position: %v, %s", err, text)
	}
}
