package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/uci/client/clienttest"
)

// badEngines are shell scripts that are UCI engines up to their fault. Each reads a line at a time into $l, and makes the
// file busy beside itself where it hangs.
var badEngines = map[string]string{
	"deaf":     `trap '' TERM; sleep 300 & : >$0.busy; sleep 300`, // it never answers, with a child, and ignores SIGTERM
	"unready":  `case $l in uci) echo uciok;; isready) : >$0.busy; sleep 300;; esac`,
	"thinking": `case $l in uci) echo uciok;; isready) echo readyok;; go*) : >$0.busy; sleep 300;; quit) exit;; esac`,
	"lingers":  `case $l in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove 0000;; quit) sleep 300;; esac`,
	"null":     `case $l in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove 0000;; quit) exit;; esac`,
	"illegal":  `case $l in uci) echo uciok;; isready) echo readyok;; go*) echo bestmove e2e9;; quit) exit;; esac`,
	"eager":    `case $l in uci) echo uciok;; isready) echo readyok; echo bestmove a2a3;; go*) echo bestmove 0000;; quit) exit;; esac`,
	"crashes":  `case $l in uci) echo uciok;; isready) echo readyok;; go*) echo lost the net >&2; exit 3;; esac`,
	"refuses": `case $l in uci) echo option name Hash type spin default 1 min 1 max 9999; echo uciok;; setoption*) echo info string error: no memory;;` +
		` isready) echo readyok;; quit) exit;; esac`,
	"other": `case $l in uci) echo id name Tesla 9; echo option name Backend type combo default auto var cuda; echo uciok;; isready) echo readyok;;` +
		` go*) echo info string backend nnue, net nnue cd4e, 1 threads; echo bestmove e2e4;; quit) exit;; esac`,
}

// matchFaults are the faults of a match, as docs/match.md lists them: what is typed behind "tesla match", the exit code, and
// what is printed. {E} is a player that is the engine of that name, {mock} two players in process, {dir} an empty folder.
var matchFaults = []struct {
	name, line string
	code       int
	want       string // in both outputs together
	not        string // in neither; empty: nothing
}{
	{"an engine does not answer uci", "--a {deaf} --b {m} --starttime 300ms", exitFailure, "starting deaf, 3 times in a row: no answer: uciok", ""},
	{"an engine does not answer isready", "--a {unready} --b {m} --starttime 300ms", exitFailure, "no answer: readyok did not come within 300ms", ""},
	{"an engine does not answer go", "--a {thinking} --b {m},nodes=9 --movetime 100ms", exitDone, "timeouts 2, illegal 0; of the games above a lost 2", "Not final"},
	{"an engine does not quit", "--a {lingers} --b {m}", exitDone, "failures at quit 1", "Not final"},
	{"an engine plays 0000", "--a {null} --b {m}", exitDone, "illegal 2; of the games above a lost 2 and b 0", "Not final"},
	{"an engine plays an illegal move", "--a {illegal} --b {m}", exitDone, `plays an illegal move: move "e2e9"`, "Not final"},
	{"an engine moves before it is asked", "--a {eager} --b {m}", exitDone, "moves that nobody asked for", "Not final"},
	{"an engine crashes", "--a {crashes} --b {m}", exitDone, "crashes 2, timeouts 0, illegal 0; of the games above a lost 2", "Not final"},
	{"an engine refuses an option", "--a {refuses},hash=5 --b {m}", exitFailure, "option refused: the engine says: info string error: no memory", "Games:"},
	{"an engine has no such option", "--a {null},option.Contempt=5 --b {m}", exitFailure, `option refused: no option "Contempt" of the engine`, "Games:"},
	{"a value is outside the range", "--a {refuses},hash=10000 --b {m}", exitFailure, "option Hash: 10000 is above the maximum 9999", "Games:"},
	{"another backend than asked", "--a {other},option.Backend=cuda --b {m}", exitFailure, "backend nnue, net nnue cd4e, want cuda", "Games:"},
	{"another backend in process", "--a name=x,search=lazysmp,backend=cpu --b {m}", exitFailure, "backend nnue, net nnue", "Games:"},
	{"no server", "--a name=x,search=puct,backend=remote,option.Server=127.0.0.1:1 --b {m}", exitFailure, "127.0.0.1:1", "Games:"},
	{"an option of no searcher", "--a {m},option.Contempt=5 --b {m}", exitUsage, `no option called "Contempt"`, ""},
	{"the journal is there", "{mock} --journal {dir}/games.pgn", exitUsage, "exists: use --resume or remove it", "Games:"},
	{"the journal is something else", "{mock} --journal {dir}/games.pgn --resume", exitUsage, "not the header of a journal", "Games:"},
	{"the journal is a device", "{mock} --journal /dev/zero --resume", exitFailure, "is not a regular file", "Games:"},
	{"the PGN is a net", "{mock} --pgn {dir}/net.tesla", exitFailure, "holds no games", "Games:"},
	{"the log is a net", "--a {null} --b {m} --log {dir}/net.tesla", exitFailure, "is not a file that this command writes", "Games:"},
	{"the report would replace a page", "{mock} --journal {dir}/j --report {dir}/page.html", exitFailure, "page.html exists", "Games:"},
	{"the report is a folder", "{mock} --journal {dir}/j --report {dir}", exitFailure, "is a folder", "Games:"},
	{"no journal to report", "{mock} --report {dir}/r.html", exitUsage, "--report without --journal", ""},
	{"two outputs are one file", "{mock} --pgn {dir}/one --journal {dir}/one", exitUsage, "is the file of --journal as well", ""},
	{"an output is the openings", "{mock} --pgn {dir}/games.pgn --openings {dir}/games.pgn", exitUsage, "is the file of --openings as well", ""},
	{"the openings are a device", "{mock} --openings /dev/zero", exitUsage, "is not a regular file", ""},
	{"no such folder", "{mock} --pgn {dir}/none/games.pgn", exitFailure, "no such file or directory", "Games:"},
	{"the disk is full", "{mock} --pgn /dev/full", exitFailure, "no space left on device", ""},
}

// Each fault of a match is told, with its exit code; no file that is there changes, and no process stays.
func TestMatchFaults(t *testing.T) {
	for _, c := range matchFaults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := matchFolder(t)
			before := read(t, dir)
			code, out, errOut := run(t, "", matchLine(dir, c.line)...)
			if text := out + errOut; code != c.code || !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
				t.Errorf("exit code %d, want %d and %q: %s", code, c.code, c.want, text)
			}
			if after := read(t, dir); after != before {
				t.Errorf("files were %q, are %q", before, after)
			}
			checkProcesses(t, dir)
		})
	}
}

// matchFolder is a folder with engines and with files that no match may change.
func matchFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var errs []error
	for name, text := range badEngines {
		errs = append(errs, clienttest.WriteScript(filepath.Join(dir, name), "#!/bin/sh\nwhile read l; do\n"+text+"\ndone\n"))
	}
	for name, text := range map[string]string{"games.pgn": "[Event \"x\"]\n[White \"p\"]\n\n1. e4 *\n\n", "net.tesla": "TESLANET\x01", "page.html": "my page"} {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// matchLine fills in a line of matchFaults.
func matchLine(dir, line string) []string {
	const mock = "search=puct,backend=mock"
	from := []string{"{mock}", "--a name=x," + mock + " --b name=y," + mock, "{m}", mock, "{dir}", dir}
	for name := range badEngines {
		from = append(from, "{"+name+"}", "name="+name+",cmd="+filepath.Join(dir, name))
	}
	args := strings.Fields("match --games 2 --maxmoves 3 " + strings.NewReplacer(from...).Replace(line))
	if !strings.Contains(line, "--movetime") && !strings.Contains(line, "--tc") {
		args = append(args, "--nodes", "9")
	}
	return args
}

// read joins the files of matchFolder that are no engines.
func read(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"games.pgn", "net.tesla", "page.html"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// checkProcesses checks that no process of an engine in the folder is left.
func checkProcesses(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && bytes.Contains(text, []byte(dir+"/")) && !bytes.Contains(text, []byte("match\x00")) {
			t.Errorf("%s is left: %q", f, text)
		}
	}
}

// A match whose output cannot be written ends with the reason, and its result is on standard error. It can be resumed.
func TestMatchOutputIsFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	dir := matchFolder(t)
	var errOut strings.Builder
	args := append(matchLine(dir, "{mock}"), "--games", "50", "--journal", filepath.Join(dir, "journal"))
	code := execute(args, strings.NewReader(""), full, &errOut)
	if code != exitFailure || !strings.Contains(errOut.String(), "Not final: ") || !strings.Contains(errOut.String(), "writing standard output") {
		t.Errorf("exit code %d: %s", code, &errOut)
	}
	code, out, text := run(t, "", append(args, "--resume")...)
	if code != exitDone || !strings.Contains(out, "Games: 50,") {
		t.Errorf("resumed: exit code %d: %s%s", code, out, text)
	}
}

// The log of a resumed match has what was there before.
func TestMatchLogAppends(t *testing.T) {
	dir := matchFolder(t)
	log := filepath.Join(dir, "log")
	args := append(matchLine(dir, "--a {null} --b {m}"), "--log", log, "--journal", filepath.Join(dir, "journal"))
	code, _, errOut := run(t, "", args...)
	first, err := os.ReadFile(log)
	if code != exitDone || err != nil || !bytes.Contains(first, []byte("> uci")) {
		t.Fatalf("exit code %d, %v: %s", code, err, errOut)
	}
	if code, _, errOut := run(t, "", append(args, "--resume")...); code != exitDone {
		t.Errorf("exit code %d: %s", code, errOut)
	}
	if again, err := os.ReadFile(log); err != nil || !bytes.HasPrefix(again, first) {
		t.Errorf("%v: the log lost what it had", err)
	}
}

// The page on matches lists each fault that is tested here.
func TestMatchFaultsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/match.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range matchFaults {
		row := fmt.Sprintf("| %s |", c.name)
		if i := bytes.Index(page, []byte(row)); i < 0 || !bytes.Contains(page[i:i+bytes.IndexByte(page[i:], '\n')], fmt.Appendf(nil, "| %d |", c.code)) {
			t.Errorf("docs/match.md has no row for %q with exit code %d", c.name, c.code)
		}
	}
}

// TestMatchConfig reads the flags of a match from a file. The command line comes before it, and an error names the line.
func TestMatchConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "match.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# three players\neach search=lazysmp,backend=nnue\n\nplayer \"name=x\"\nplayer 'name=y'\nplayer name=z,hash=2\nformat \"gauntlet\"\n" +
		"games 2\nnodes 5\nmaxmoves 50\njson\n")
	code, out, errOut := run(t, "", "match", "--config", file, "--maxmoves", "1")
	var r struct {
		Games int
		Match struct {
			Total   int
			Players []struct{ Name, Condition, Plays, Settings string }
		}
		Pairings []struct{ First, Second string }
	}
	if err := json.Unmarshal([]byte(out), &r); code != exitDone || err != nil || r.Games != 4 || r.Match.Total != 4 || len(r.Pairings) != 2 ||
		len(r.Match.Players) != 3 || r.Match.Players[2].Condition != "5 nodes per move" || !strings.HasSuffix(r.Match.Players[2].Plays, ", threads 1, hash 2 MiB") {
		t.Errorf("%d, %v: %s%s", code, err, out, errOut)
	}
	for text, want := range map[string]string{
		"games 2\ngame 3\n":          `line 2: no setting "game"`,
		"tc 1+1\ntc 2+2\n":           "line 2: tc is given twice",
		"tc\n":                       "line 1: tc: want a value behind it",
		"config other.txt\n":         `no setting "config"`,
		"games many\n":               "line 1: games: ",
		"nodes 5\nplayer name=one\n": "one player",
		"tc '1+1\n":                  `time control "'1+1"`,
		"stats j\ngames 5\n":         "--games means nothing beside --stats",
	} {
		write(text)
		if code, _, errOut := run(t, "", "match", "--config", file); code != exitUsage || !strings.Contains(errOut, want) {
			t.Errorf("%q: %d, %s, want %s", text, code, errOut, want)
		}
	}
}

// Quotation marks around a value are those of a shell, but for those that keep a player's commas together.
func TestUnquoted(t *testing.T) {
	for value, want := range map[string]string{
		`"name=x,hash=2"`: "name=x,hash=2", `'a b'`: "a b", `"0,5"`: "0,5", `x`: "x", `"`: `"`, `"a"b"`: `"a"b"`,
		`"option.Server=a:1,b:1"`: `"option.Server=a:1,b:1"`, `name=x,"option.SyzygyPath=a,b"`: `name=x,"option.SyzygyPath=a,b"`,
	} {
		if got := unquoted(value); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}
