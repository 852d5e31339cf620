package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/tablebase/tabletest"
)

// A command says what is bad about endgame tables that it is to use, and ends: no result is made without them. So does a match,
// about the tables of a player in process too.
func TestBadTables(t *testing.T) {
	truncated := tabletest.Folder(t)
	if err := os.Truncate(filepath.Join(truncated, "KRvK.rtbw"), 10); err != nil {
		t.Fatal(err)
	}
	dir, file := written(t)
	epd, pgn := file("a.epd", "6k1/5ppp/8/3q4/8/8/1B3PPP/3R2K1 w - - bm Rxd5;\n"), file("a.pgn", "1. e4 e5 *\n")
	for path, want := range map[string]string{filepath.Join(dir, "none"): "none: no such file", truncated: "KRvK.rtbw"} {
		player := " search=lazysmp,option.SyzygyPath=" + path
		lines := []string{"analyze --nodes 9", "annotate " + pgn + " --nodes 9 --out " + filepath.Join(dir, "out.pgn"), "suite " + epd + " --nodes 9", "bench --nodes 9",
			"match --nodes 9 --games 2 --a" + player + " --b search=lazysmp", "explain --move a2a3 --nodes 9"}
		if path != truncated { // these read a file when a position needs it
			lines = append(lines, "eval", "match --nodes 9", "regret --from x --judge cmd=x,nodes=9 --evals 9 --player"+player+" --player search=puct")
		}
		for _, line := range lines {
			args := strings.Fields(line)
			if !strings.Contains(line, "option.") || args[0] == "regret" {
				args = append(args, "--syzygy", path)
			}
			if args[0] != "match" && args[0] != "regret" {
				args = append(args, "--backend", "nnue")
			}
			if code, out, errOut := run(t, "", args...); code != exitFailure || !strings.Contains(errOut, want) || strings.Contains(out, "Games:") {
				t.Errorf("%q: exit code %d, %s, %s; want %s", args, code, out, errOut, want)
			}
		}
	}
}

// Tables are generated, pass the check, and answer probes; damaged ones fail the check, and what cannot be probed is an error.
func TestTablebase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tables")
	code, out, errOut := run(t, "", "tablebase", "gen", "--pieces", "3", "--out", dir)
	if code != exitDone || out != "KQvK\nKRvK\nKBvK\nKNvK\nKPvK\n" {
		t.Fatalf("exit code %d, %q, %q", code, out, errOut)
	}
	const mates = "../../tablebase/gaviota/testdata/gtb4"
	const (
		won, lost = "8/8/8/3k4/8/8/3KP3/8 w - - 0 1", "7k/8/5K2/8/8/8/8/6R1 b - - 0 1"
		castling  = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
		cursed    = "8/8/8/3k4/8/8/3KP3/8 w - - 90 80" // by the counter
		unsure    = "8/8/8/3k4/8/8/3KP3/8 w - - 89 80" // the distance may be one ply too short
		blessed   = "8/8/8/3k4/8/8/3KQ3/8 b - - 95 80"
		mated     = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
	)
	for _, c := range []struct {
		args       []string
		code       int
		out, error string
	}{
		{[]string{"check", dir}, exitDone, "10 tables, 0 bad, 10 with a right checksum", ""},
		{[]string{"check", dir, "--json"}, exitDone, `{"files":10,"verified":10,"bad":null}`, ""},
		{[]string{"probe", "--syzygy", dir, "--fen", won}, exitDone, "win, 11 plies to a capture or pawn move, best d2d3", ""},
		{[]string{"probe", "--syzygy", dir, "--fen", won, "--json"}, exitDone, `{"wdl":2,"dtz":11,"dtm":null,"best":"d2d3"}`, ""},
		{[]string{"probe", "--syzygy", dir + ":" + dir + "x", "--fen", "8/8/8/3k4/8/8/3KPP2/8 w - - 0 1"}, exitFailure, "", "no table for KPPvK"},
		{[]string{"probe", "--syzygy", dir, "--fen", castling}, exitFailure, "", "castling"},
		{[]string{"probe", "--syzygy", dir, "--gaviota", mates + ":" + mates + "x", "--fen", won}, exitDone,
			"win, 11 plies to a capture or pawn move, mate in 43 plies, best d2d3\npv d2d3 ", "no such file"},
		{[]string{"probe", "--syzygy", dir, "--gaviota", mates, "--fen", won, "--json"}, exitDone,
			`{"wdl":2,"dtz":11,"dtm":43,"best":"d2d3","pv":["d2d3",`, ""},
		{[]string{"probe", "--gaviota", mates, "--fen", lost, "--json"}, exitDone, `{"wdl":-2,"dtz":null,"dtm":-6,"best":"h8h7","pv":["h8h7",`, ""},
		{[]string{"probe", "--syzygy", dir, "--gaviota", dir, "--fen", won}, exitDone, "win, 11 plies to a capture or pawn move, best d2d3\n", ""},
		{[]string{"probe", "--gaviota", mates, "--fen", castling}, exitFailure, "", "castling"},
		{[]string{"probe", "--syzygy", dir, "--fen", cursed}, exitDone,
			"cursed win by the fifty-move rule, whose counter is at 90, 11 plies to a capture or pawn move, best d2d3\n", ""},
		{[]string{"probe", "--syzygy", dir, "--fen", cursed, "--json"}, exitDone, `{"wdl":1,"dtz":11,`, ""},
		{[]string{"probe", "--syzygy", dir, "--gaviota", mates, "--fen", cursed, "--json"}, exitDone, `{"wdl":1,"dtz":11,"dtm":43,"best":"d2d3"}`, ""},
		{[]string{"probe", "--syzygy", dir, "--fen", unsure}, exitDone, "win or cursed win by the fifty-move rule, whose counter is at 89, 11 plies", ""},
		{[]string{"probe", "--syzygy", dir, "--fen", unsure, "--json"}, exitDone, `{"wdl":null,"dtz":11,`, ""},
		{[]string{"probe", "--gaviota", mates, "--fen", cursed}, exitDone,
			"win or cursed win by the fifty-move rule, whose counter is at 90, mate in 43 plies, best ", ""},
		{[]string{"probe", "--syzygy", dir, "--fen", blessed}, exitDone, "blessed loss by the fifty-move rule, whose counter is at 95, ", ""},
		{[]string{"probe", "--gaviota", mates, "--fen", blessed, "--json"}, exitDone, `{"wdl":-1,"dtz":null,"dtm":-14,`, ""},
		{[]string{"probe", "--syzygy", dir, "--fen", lost}, exitDone, "loss, 6 plies to a capture or pawn move, best h8h7\n", ""},
		{[]string{"probe", "--syzygy", dir, "--gaviota", mates, "--fen", mated}, exitDone, "loss, checkmate\n", ""},
		{[]string{"probe", "--syzygy", dir, "--fen", mated, "--json"}, exitDone, `{"wdl":-2,"dtz":0,"dtm":null,"best":""}`, ""},
		{[]string{"check", mates}, exitDone, "5 tables, 0 bad", ""},
		{[]string{"probe", "--fen", won}, exitUsage, "", "neither --syzygy nor --gaviota"},
		{[]string{"check", dir + "x"}, exitFailure, "", "no such file"},
		{[]string{"gen", "--pieces", "5", "--out", dir}, exitUsage, "", "--pieces 3 to 4"},
	} {
		code, out, errOut := run(t, "", append([]string{"tablebase"}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errOut, c.error) {
			t.Errorf("%q: exit code %d, %q, %q; want %d, %q, %q", c.args, code, out, errOut, c.code, c.out, c.error)
		}
	}
	for _, c := range []struct {
		args []string
		out  string
	}{
		{[]string{"eval", "--fen", won}, "  tables: win, 11 plies to a capture or pawn move, best d2d3\n"},
		{[]string{"eval", "--fen", won, "--json"}, `"tables":{"wdl":2,"dtz":11,"dtm":null,"best":"d2d3"},"commit":`},
		{[]string{"eval", "--fen", cursed}, "  tables: cursed win by the fifty-move rule, whose counter is at 90, 11 plies"},
		{[]string{"analyze", "--fen", cursed, "--evals", "9"}, "tables: cursed win by the fifty-move rule, whose counter is at 90, 11 plies"},
		{[]string{"eval", "--json"}, `"model":"mock","commit":`},
		{[]string{"analyze", "--fen", won, "--evals", "9"}, "tables: win, 11 plies to a capture or pawn move, best d2d3\n"},
	} {
		args := append(c.args, "--backend", "mock", "--syzygy", dir)
		if code, out, errOut := run(t, "", args...); code != exitDone || !strings.Contains(out, c.out) {
			t.Errorf("%q: exit code %d, %q, %q, want %q", args, code, out, errOut, c.out)
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
