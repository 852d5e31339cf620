package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tables are generated, pass the check, and answer probes; damaged ones fail the check, and what cannot be probed is an error.
func TestTablebase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	code, out, errOut := run(t, "", "tablebase", "gen", "--men", "3", "--out", dir)
	if code != exitDone || out != "KQvK\nKRvK\nKBvK\nKNvK\nKPvK\n" {
		t.Fatalf("exit code %d, %q, %q", code, out, errOut)
	}
	const won, castling = "8/8/8/3k4/8/8/3KP3/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
	for _, c := range []struct {
		args       []string
		code       int
		out, error string
	}{
		{[]string{"check", dir}, exitDone, "10 tables, 0 bad", ""},
		{[]string{"check", dir, "--json"}, exitDone, `{"files":10,"bad":null}`, ""},
		{[]string{"probe", "--syzygy", dir, "--fen", won}, exitDone, "win, 11 plies to a capture or pawn move, best d2d3", ""},
		{[]string{"probe", "--syzygy", dir, "--fen", won, "--json"}, exitDone, `{"wdl":2,"dtz":11,"dtm":null,"best":"d2d3"}`, ""},
		{[]string{"probe", "--syzygy", dir + ":" + dir + "x", "--fen", "8/8/8/3k4/8/8/3KPP2/8 w - - 0 1"}, exitFailure, "", "no table for KPPvK"},
		{[]string{"probe", "--syzygy", dir, "--fen", castling}, exitFailure, "", "castling"},
		{[]string{"probe", "--fen", won}, exitUsage, "", "--syzygy is needed"},
		{[]string{"check", dir + "x"}, exitFailure, "", "no such file"},
		{[]string{"gen", "--men", "5", "--out", dir}, exitUsage, "", "--men 3 to 4"},
	} {
		code, out, errOut := run(t, "", append([]string{"tablebase"}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errOut, c.error) {
			t.Errorf("%q: exit code %d, %q, %q; want %d, %q, %q", c.args, code, out, errOut, c.code, c.out, c.error)
		}
	}
	path := filepath.Join(dir, "KPvK.rtbw")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-64], 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errOut := run(t, "", "tablebase", "check", dir); code != exitFailure || !strings.Contains(out, "KPvK.rtbw") ||
		!strings.Contains(errOut, "1 of 10 tables are bad") {
		t.Errorf("a truncated table: exit code %d, %q, %q", code, out, errOut)
	}
}
