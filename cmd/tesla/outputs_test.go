package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fullDisk is an output that nothing can be written to.
type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// Every command whose output is lost ends with exit code 1, also where it prints its result by the last call.
func TestLostOutput(t *testing.T) {
	games := filepath.Join(failureFolder(t), "from.games")
	quick := "search=lazysmp,nodes=1"
	for _, line := range []string{
		"version", "help", "help match", "doctor", "doctor --json", "perft 2", "perft 1 --divide", "perft 1 --json", "eval --backend mock", "eval --backend mock --json",
		"bench --backend mock --evals 8", "bench --backend mock --evals 8 --json", "analyze --backend mock --evals 8",
		"backendbench --backend mock --time 1ms --maxbatch 1", "datagen --stats " + games, "datagen --stats " + games + " --json",
		"datagen --player " + quick + " --games 1 --plies 1 --out " + filepath.Join(t.TempDir(), "games"),
		"match --a " + quick + " --b " + quick + " --games 2 --maxmoves 1", "match --a " + quick + " --b " + quick + " --games 2 --maxmoves 1 --json",
		"speedup --search lazysmp --threads 1 --repeat 1 --depth 1", "calibrate --backend mock --searches 5 --evals 100",
		"regret --player " + quick + " --player " + quick + " --positions 2 --within 1000 --judge cmd=none,nodes=1 --from " + games,
		"tablebase gen --pieces 3 --out " + t.TempDir(), "uci",
	} {
		var errOut bytes.Buffer
		if code := execute(strings.Fields(line), strings.NewReader("uci\nquit\n"), fullDisk{}, &errOut); code != exitFailure || !strings.Contains(errOut.String(), errFull.Error()) {
			t.Errorf("%s: exit code %d, %s", line, code, errOut.String())
		}
	}
}

// A command refuses an output that it cannot write before it works, and touches no file that is not its own.
func TestForeignOutputs(t *testing.T) {
	dir := failureFolder(t)
	foreign, folder := filepath.Join(dir, "foreign.svg"), filepath.Join(dir, "folder")
	below, link, positions := filepath.Join(foreign, "below"), filepath.Join(dir, "link"), filepath.Join(dir, "positions.epd")
	const text = "root:x:0:0:root:/root:/bin/sh\nanother line\n"
	err := errors.Join(os.WriteFile(foreign, []byte(text), 0o600), os.Mkdir(folder, 0o700), os.Symlink(filepath.Join(dir, "nowhere"), link))
	if err != nil {
		t.Fatal(err)
	}
	quick := "search=lazysmp,nodes=1"
	players := " --a " + quick + " --b " + quick + " --games 100000"
	for _, line := range []string{
		"analyze --backend mock --movetime 1h --tree {file}", "bench --backend mock --evals 100000000 --cpuprofile {file}",
		"calibrate --backend mock --searches 100000 --out {file}", "calibrate --backend mock --searches 100000 --plot {file}",
		"match" + players + " --log {file}", "match" + players + " --journal {file}", "match --resume" + players + " --journal {file}",
		"datagen --player " + quick + " --games 100000 --out {file}", "datagen --resume --player " + quick + " --games 100000 --out {file}",
		"datagen --convert {dir}/from.games --out {file}", "speedup --search lazysmp --time 1h --journal {file}",
		"speedup --search lazysmp --time 1h --resume --journal {file}",
		"match" + players + " --journal {dir}/j --report {file}", "speedup --search lazysmp --time 1h --report {file}",
		"regret --player " + quick + " --player " + quick + " --judge cmd={self},nodes=1000 --from {dir}/from.games --verdicts {file}",
		"backendbench --backend mock --time 1h --report {file}",
	} {
		for _, file := range []string{foreign, folder, below, link, positions} {
			if strings.Contains(line, "--report") && file == folder || file == link && !strings.Contains(line, "--tree") {
				continue // a folder is what is wanted, and the file of a journal may be made through a link
			}
			args := failureLine(t, strings.ReplaceAll(line, "{file}", file), "", dir)
			code, _, errOut := run(t, "", args...)
			named := file
			if file == below {
				named = foreign
			}
			if code != exitFailure && code != exitUsage || !strings.Contains(errOut, named) {
				t.Errorf("%s: exit code %d, %s", strings.Join(args, " "), code, errOut)
			}
			if now, err := os.ReadFile(foreign); err != nil || string(now) != text {
				t.Fatalf("%s: the file is now %q, %v", strings.Join(args, " "), now, err)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A journal of another command, or none, is refused with one exit code by all, and stays.
func TestForeignJournals(t *testing.T) {
	dir := failureFolder(t)
	epd, pgn := filepath.Join(dir, "a.epd"), filepath.Join(dir, "a.pgn")
	err := errors.Join(os.WriteFile(epd, []byte("6k1/5ppp/8/3q4/8/8/1B3PPP/3R2K1 w - - bm Rxd5;\n"), 0o600), os.WriteFile(pgn, []byte("1. e4 e5 *\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	journal, quick := filepath.Join(dir, "out.pgn.journal"), "search=lazysmp,nodes=9"
	for _, text := range []string{"my notes\n", "{\"tesla_other\":1}\n", "{\"tesla_match\":1}\n", "{\"tesla_suite\":1}\n"} {
		for _, line := range []string{
			"match --resume --a " + quick + " --b " + quick + " --journal " + journal, "suite --resume --backend nnue --nodes 9 " + epd + " --journal " + journal,
			"match --a " + quick + " --b " + quick + " --journal " + journal, "suite --backend nnue --nodes 9 " + epd + " --journal " + journal,
			"annotate --backend nnue --nodes 9 " + pgn + " --out " + filepath.Join(dir, "out.pgn"), "speedup --resume --search lazysmp --threads 1 --journal " + journal,
			"puzzles --search lazysmp --backend nnue --threads 1 --nodes 9 " + pgn + " --out " + filepath.Join(dir, "out.pgn"),
			"datagen --out " + journal, "datagen --resume --out " + journal,
		} {
			if err := os.WriteFile(journal, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, _, errOut := run(t, "", strings.Fields(line)...); code != exitUsage || !strings.Contains(errOut, "out.pgn.journal") {
				t.Errorf("%q, %s: exit code %d, %s", text, line, code, errOut)
			}
			if now, err := os.ReadFile(journal); err != nil || string(now) != text {
				t.Errorf("%s: the file is now %q, %v", line, now, err)
			}
		}
	}
}

// What a command wrote it may write again, whole, and through a link to it.
func TestOwnOutputs(t *testing.T) {
	dir := t.TempDir()
	tree, link := filepath.Join(dir, "tree.json"), filepath.Join(dir, "link.json")
	if err := os.Symlink(tree, link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{tree, tree, link, filepath.Join(dir, "tree.dot"), filepath.Join(dir, "tree.dot"), os.DevNull} {
		if code, _, errOut := run(t, "", "analyze", "--backend", "mock", "--evals", "50", "--tree", path); code != exitDone {
			t.Errorf("%s: %s", path, errOut)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link was replaced: %v", err)
	}
	for range 2 {
		for _, line := range []string{"bench --backend mock --evals 8 --cpuprofile " + filepath.Join(dir, "profile"),
			"calibrate --backend mock --searches 10 --evals 100 --plot " + filepath.Join(dir, "plot.svg") + " --out " + filepath.Join(dir, "fit.json")} {
			if code, _, errOut := run(t, "", strings.Fields(line)...); code != exitDone {
				t.Errorf("%s: %s", line, errOut)
			}
		}
	}
}
