package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tesla/tablebase/tabletest"
)

// outputCase is an output of a command or an option of UCI. {dir} is a folder with from.games, positions.epd, in.pgn and
// broken.pgn.
type outputCase struct {
	name  string // as the table of docs/reliability.md has it
	line  string // the command; uci is told in to
	in    string
	files []string // that it writes, each below the folder
	slow  bool     // it works where it finds one of them
}

const uciTree = "setoption name Search value bestfirst\nsetoption name Backend value mock\nposition startpos\ngo nodes 200\n"

// outputCases are all outputs that a user names. Those in folders of the program's own are not among them.
var outputCases = []outputCase{
	{"analyze --tree", "analyze --backend mock --movetime 1h --tree {dir}/x", "", []string{"x"}, false},
	{"annotate --out", "annotate {dir}/in.pgn --backend mock --movetime 1h --out {dir}/x", "", []string{"x"}, false},
	{"annotate, journal", "annotate {dir}/in.pgn --backend mock --movetime 1h --out {dir}/x", "", []string{"x.journal"}, false},
	{"annotate --skip-bad", "annotate {dir}/broken.pgn --skip-bad --backend mock --movetime 1h --out {dir}/x", "", []string{"x.bad"}, false},
	{"annotate --graphs", "annotate {dir}/in.pgn --backend mock --movetime 1h --out {dir}/x --graphs {dir}/g", "",
		[]string{"g/game-0001.svg", "g/game-0001.png"}, false},
	{"backendbench --report", "backendbench --backend mock --time 1h --report {dir}/r", "",
		[]string{"r/backendbench.txt", "r/backendbench.json", "r/backendbench.svg"}, false},
	{"bench --cpuprofile", "bench --backend mock --evals 100000000 --cpuprofile {dir}/x", "", []string{"x"}, false},
	{"calibrate --out", "calibrate --backend mock --searches 100000 --out {dir}/x", "", []string{"x", "x.lock"}, false},
	{"calibrate --plot", "calibrate --backend mock --searches 100000 --plot {dir}/x.png", "", []string{"x.png", "x.png.lock"}, false},
	{"datagen --out", "datagen --player search=lazysmp,nodes=1 --games 100000 --out {dir}/x", "", []string{"x"}, false},
	{"datagen --convert", "datagen --convert {dir}/from.games --out {dir}/x", "", []string{"x"}, false},
	{"man", "man {dir}/m", "", []string{"m/tesla.1", "m/tesla-match.1"}, false},
	{"match --journal", "match --a {quick} --b {quick} --games 100000 --journal {dir}/x", "", []string{"x"}, false},
	{"match --resume", "match --a {quick} --b {quick} --games 100000 --resume --journal {dir}/x", "", []string{"x"}, false},
	{"match --log", "match --a {quick} --b {quick} --games 100000 --log {dir}/x", "", []string{"x"}, false},
	{"match --a log=", "match --a cmd={self},nodes=1,log={dir}/x --b {quick} --games 100000", "", []string{"x", "x.1"}, false},
	{"match --pgn", "match --a {quick} --b {quick} --games 100000 --pgn {dir}/x", "", []string{"x"}, false},
	{"match --report", "match --a {quick} --b {quick} --games 100000 --journal {dir}/j --report {dir}/x", "", []string{"x"}, false},
	{"puzzles --out", "puzzles {dir}/in.pgn --search lazysmp --movetime 1h --out {dir}/x", "", []string{"x"}, false},
	{"puzzles, journal", "puzzles {dir}/in.pgn --search lazysmp --movetime 1h --out {dir}/x", "", []string{"x.journal"}, false},
	{"puzzles, EPD", "puzzles {dir}/in.pgn --search lazysmp --movetime 1h --out {dir}/x.pgn", "", []string{"x.epd"}, false},
	{"regret --journal", "regret --player {quick} --player {quick} --positions 30 --within 1000 --judge cmd={self},nodes=1000 --from {dir}/from.games --journal {dir}/x", "", []string{"x"}, false},
	{"regret --verdicts", "regret --player {quick} --player {quick} --judge cmd={self},nodes=1000 --from {dir}/from.games --verdicts {dir}/x", "", []string{"x"}, false},
	{"serve --export", "serve --export {dir}/e --model n", "", []string{"e/n/config.pbtxt", "e/n/1/model.onnx"}, false},
	{"speedup --journal", "speedup --search lazysmp --time 1h --journal {dir}/x", "", []string{"x"}, false},
	{"speedup --report", "speedup --search lazysmp --time 1h --report {dir}/r", "", []string{"r/speedup.txt", "r/speedup.json", "r/speedup.svg"}, false},
	{"suite --journal", "suite {dir}/suite.epd --backend mock --movetime 1h --resume --journal {dir}/x", "", []string{"x"}, false},
	{"tablebase gen --out", "tablebase gen --pieces 3 --out {dir}/t", "", []string{"t/KQvK.rtbw", "t/KRvK.rtbz"}, true},
	{"UCI option SaveTree", "uci", uciTree + "setoption name SaveTree value {dir}/x\nquit\n", []string{"x"}, false},
	{"UCI option Debug Log File", "uci", "setoption name Debug Log File value {dir}/x\nquit\n", []string{"x"}, false},
}

// theirs is what a user may have in the place of an output. None is what any command writes.
var theirs = map[string]string{
	"games":  "[Event \"mine\"]\n[Site \"?\"]\n\n1. e4 e5 *\n",
	"text":   "root:x:0:0:root:/root:/bin/sh\nanother line\n",
	"JSON":   "{\"mine\": [1, 2, 3]}\n",
	"SVG":    "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>\n",
	"binary": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00",
}

// TestOutputs checks the one rule: what a user has in the place of an output stays as it is, whatever it is, and the command
// says so before it works.
func TestOutputs(t *testing.T) {
	for _, c := range outputCases {
		t.Run(c.name, func(t *testing.T) {
			for i, file := range c.files {
				for kind, text := range theirs {
					switch {
					case c.name == "match --pgn" && kind == "games": // games are appended to games, see TestAppends
						kind, text = "a game in a letter", "Dear friend,\n"+text
					case (i > 0 || c.slow) && kind != "games":
						continue
					}
					checkKept(t, &c, file, kind, func(path string) (string, error) { return path, os.WriteFile(path, []byte(text), 0o600) })
				}
				if i > 0 || c.slow {
					continue
				}
				checkKept(t, &c, file, "a link", func(path string) (string, error) {
					target := path + "-target"
					return target, errors.Join(os.WriteFile(target, []byte(theirs["text"]), 0o600), os.Symlink(target, path))
				})
				checkKept(t, &c, file, "a folder", func(path string) (string, error) { return path, os.Mkdir(path, 0o700) })
				checkKept(t, &c, file, "a block device", makeBlockDevice)
			}
		})
	}
}

// errNoDevice is the error of makeBlockDevice where none can be made.
var errNoDevice = errors.New("no block device can be made here")

// checkKept runs a command where place has put something in the place of its output.
func checkKept(t *testing.T, c *outputCase, file, kind string, place func(path string) (kept string, err error)) {
	t.Helper()
	dir := failureFolder(t)
	path := filepath.Join(dir, file)
	err := errors.Join(os.WriteFile(filepath.Join(dir, "in.pgn"), []byte("1. e4 e5 *\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "suite.epd"), []byte("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8;\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "broken.pgn"), []byte("1. e4 e5 *\n\n[Event \"broken\"]\n1. Ke5 *\n"), 0o600), os.MkdirAll(filepath.Dir(path), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	if c.slow { // only the table of the file is made
		other := strings.NewReplacer(".rtbw", ".rtbz", ".rtbz", ".rtbw").Replace(path)
		if err := errors.Join(os.CopyFS(filepath.Dir(path), os.DirFS(tabletest.Folder(t))), os.Remove(path), os.Remove(other)); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := place(path)
	if errors.Is(err, errNoDevice) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	before := snapshotOf(t, kept)
	replace := strings.NewReplacer("{quick}", "search=lazysmp,nodes=1", "{dir}", dir)
	code, out, errOut := run(t, replace.Replace(c.in), failureLine(t, replace.Replace(c.line), "", dir)...)
	told := errOut + out
	refused := code == exitFailure || code == exitUsage || c.line == "uci" && strings.Contains(told, "info string error: ")
	if strings.HasPrefix(c.name, "tablebase") && code == exitDone {
		refused, told = true, path // a table that is there is kept, without a word
	}
	if !refused || !strings.Contains(told, filepath.Base(path)) {
		t.Errorf("%s, %s in place of %s: exit code %d, %s", c.name, kind, file, code, told)
	}
	if after := snapshotOf(t, kept); after != before {
		t.Errorf("%s: %s in place of %s was %s and is %s", c.name, kind, file, before, after)
	}
}

// snapshotOf is the kind and the content of what is at a path.
func snapshotOf(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	text := info.Mode().Type().String()
	if info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text += " " + string(data)
	}
	return text
}

// TestAppends checks that what is appended to keeps what it has.
func TestAppends(t *testing.T) {
	dir := t.TempDir()
	games, log := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "log")
	const own, line = "; mine\n[Event \"mine\"]\n[Site \"?\"]\n\n1. e4 e5 *\n", "2026-01-02 03:04:05.678 < uci\n"
	if err := errors.Join(os.WriteFile(games, []byte(own), 0o600), os.WriteFile(log, []byte(line), 0o600)); err != nil {
		t.Fatal(err)
	}
	if code, _, errOut := run(t, "", strings.Fields("match --a search=lazysmp,nodes=1 --b search=lazysmp,nodes=1 --games 2 --maxmoves 1 --pgn "+games)...); code != exitDone {
		t.Fatal(errOut)
	}
	if _, out, _ := run(t, "setoption name Debug Log File value "+log+"\nisready\nquit\n", "uci"); strings.Contains(out, "error") {
		t.Fatal(out)
	}
	for path, before := range map[string]string{games: own, log: line} {
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), before) || len(text) == len(before) {
			t.Errorf("%s: %v, %q", path, err, text)
		}
	}
	tree := filepath.Join(dir, "tree")
	for range 2 { // a tree replaces a tree
		if _, out, _ := run(t, uciTree+"setoption name SaveTree value "+tree+"\nquit\n", "uci"); !strings.Contains(out, "nodes saved in "+tree) {
			t.Error(out)
		}
	}
}

// TestOutputsAreInTheTable compares the table of docs/reliability.md with the outputs that are tested.
func TestOutputsAreInTheTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented, tested []string
	for _, row := range regexp.MustCompile("(?m)^\\| `?([^|`]*[^|` ])`? \\|.*\\| `TestOutputs` \\|$").FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, row[1])
	}
	for _, c := range outputCases {
		tested = append(tested, c.name)
	}
	slices.Sort(documented)
	slices.Sort(tested)
	if !slices.Equal(documented, tested) {
		t.Errorf("documented are %q,\ntested %q", documented, tested)
	}
}
