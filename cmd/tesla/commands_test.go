package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tesla/lab/backendbench"
	"tesla/lab/bench"
	"tesla/lab/match/stats"
	"tesla/lab/view"
)

// run executes a command line in process.
func run(t *testing.T, in string, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e strings.Builder
	code = execute(args, strings.NewReader(in), &o, &e)
	return code, o.String(), e.String()
}

const kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"

func TestExitCodes(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.epd")
	if err := os.WriteFile(bad, []byte("\n8/8/8/8/8/8/8/8 w - -\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"nonsense"}, exitUsage, "unknown command"},
		{[]string{"analize"}, exitUsage, "did you mean analyze?"},
		{[]string{"tablebase", "chek"}, exitUsage, "did you mean check?"},
		{[]string{"fleet", "sreve"}, exitUsage, "did you mean serve?"},
		{[]string{"analyze", "--movtime", "3s"}, exitUsage, "did you mean --movetime?"},
		{[]string{"match", "--tb", "x"}, exitUsage, "unknown flag: --tb\n"}, // not --b
		{[]string{"doctor", "x"}, exitUsage, "an argument too many"},
		{[]string{"perft"}, exitUsage, "DEPTH is missing; an example: tesla perft 6"},
		{[]string{"suite"}, exitUsage, "FILE.epd is missing; an example: tesla suite"},
		{[]string{"tablebase", "gen", "x"}, exitUsage, "tesla: tablebase gen: \"x\": an argument too many"},
		{[]string{"tablebase", "check"}, exitUsage, "tesla: tablebase check: FOLDER is missing"},
		{[]string{"tablebase", "probe", "--dir", "x"}, exitUsage, "tesla: tablebase probe: unknown flag: --dir"},
		{[]string{"tablebase", "probe"}, exitUsage, "tesla: tablebase probe: neither"},
		{[]string{"fleet", "work"}, exitUsage, "tesla: fleet work: HOST:PORT is missing; an example: tesla fleet work"},
		{[]string{"perft", "3", "rubbish"}, exitUsage, "rubbish"},
		{[]string{"perft", "3", "8/8/8/8/8/8/k7/7K w - -", "--fen", kiwipete}, exitUsage, "two positions"},
		{[]string{"bench", "16", "1", "x"}, exitUsage, "argument 3, depth"},
		{[]string{"bench", "16", "1", "1", "1"}, exitUsage, "an argument too many"},
		{[]string{"match", "--nodes", "5", "--openings", "/nonexistent.epd"}, exitFailure, "nonexistent"},
		{[]string{"match", "--nodes", "5", "--a", "cmd=/nonexistent"}, exitFailure, "nonexistent"},
		{[]string{"suite", "/nonexistent.epd"}, exitFailure, "nonexistent"},
		{[]string{"web", "--listen", "127.0.0.1:0", "--matches", "/nonexistent"}, exitFailure, "--matches: stat /nonexistent: no such file"},
		{[]string{"puzzles"}, exitUsage, "FILE.pgn is missing; an example: tesla puzzles"},
		{[]string{"puzzles", "x.pgn"}, exitUsage, "no --out"},
		{[]string{"puzzles", "x.pgn", "--out", "y.pgn", "--movetime", "0"}, exitUsage, "0s, want more than zero"},
		{[]string{"puzzles", "/nonexistent.pgn", "--out", "x.pgn", "--search", "puct"}, exitFailure, "no fit to puct"},
		{[]string{"puzzles", "/nonexistent.pgn", "--out", "x.pgn", "--search", "lazysmp"}, exitFailure, "nonexistent"},
		{[]string{"siblings", "/nonexistent.epd"}, exitFailure, "nonexistent"},
		{[]string{"--version"}, exitDone, ""},
		{[]string{"perft", "x"}, exitUsage, "depth"},
		{[]string{"perft", "-1"}, exitUsage, ""},
		{[]string{"perft", "99"}, exitUsage, "0..30"},
		{[]string{"perft", "3", "--fen", "rubbish"}, exitUsage, "--fen"},
		{[]string{"perft", "3", "--nope"}, exitUsage, "unknown flag"},
		{[]string{"perft", "1", "--oracle", "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1"}, exitUsage, "Chess960"},
		{[]string{"bench", "--evals", "10", "--depth", "3"}, exitUsage, "exclude each other"},
		{[]string{"bench", "--evals", "0"}, exitUsage, "at least 1"},
		{[]string{"bench", "--backend", "abacus"}, exitUsage, "want one of"},
		{[]string{"bench", "--search", "guess"}, exitUsage, "want one of"},
		{[]string{"bench", "--threads", "0"}, exitUsage, "1..1024"},
		{[]string{"bench", "--hash", "99999999"}, exitUsage, "1..33554432"},
		{[]string{"bench", "--backend", "mock", "--hash", "33554432"}, exitFailure, "hash"},
		{[]string{"eval", "--backend", "cpu", "--weights", "/nonexistent.tesla"}, exitFailure, "nonexistent"},
		{[]string{"eval", "--backend", "mock", "--epd", "/nonexistent.epd"}, exitFailure, "nonexistent"},
		{[]string{"eval", "--backend", "mock", "--epd", bad}, exitUsage, "line 2"},
		{[]string{"analyze", "--movetime", "-1s"}, exitUsage, "more than zero"},
		{[]string{"analyze", "--fen", "7k/8/8/8/8/6q1/8/7K w - - 0 1"}, exitUsage, "--fen: the game is over"},
		{[]string{"analyze", "7k/8/8/8/8/6q1/8/7K w - - 0 1"}, exitUsage, `analyze: "7k/8/8/8/8/6q1/8/7K w - - 0 1": the game is over`},
		{[]string{"match", "--games", "2"}, exitUsage, "want one of"},
		{[]string{"match", "--a", "colour=red", "--evals", "5"}, exitUsage, "colour"},
		{[]string{"match", "--tc", "soon"}, exitUsage, "time control"},
		{[]string{"match", "--player", "name=x", "--nodes", "5"}, exitUsage, "at least two"},
		{[]string{"match", "--player", "name=x", "--player", "knights=2", "--nodes", "5"}, exitUsage, "knights"},
		{[]string{"match", "--format", "knockout", "--nodes", "5"}, exitUsage, "round-robin or gauntlet"},
		{[]string{"match", "--nodes", "5", "--a", "option.LeafDepth=21"}, exitUsage, "LeafDepth: 21 is not in -1..20"},
		{[]string{"match", "--nodes", "5", "--b", "name=x,option.Contempt=1"}, exitUsage, "there are Threads, Hash"},
		{[]string{"match", "--nodes", "5", "--player", "search=puct", "--player", "backend=abacus"}, exitUsage, "want one of auto"},
		{[]string{"match", "--nodes", "5", "--b", "option.SearchOptions=hope=1"}, exitUsage, "hope"},
		{[]string{"match", "--nodes", "5", "--b", "backend=remote,option.Server=localhost:1"}, exitFailure, "localhost:1"},
		{[]string{"match", "--resume", "--nodes", "5"}, exitUsage, "no journal"},
		{[]string{"match", "--stats", "x", "--tc", "1+1", "--games", "2", "--json"}, exitUsage, "match: --games means nothing beside --stats; --tc means nothing"},
		{[]string{"match", "--nodes", "5", "--log", filepath.Join(bad, "log")}, exitFailure, "log: "},
		{[]string{"match", "--nodes", "5", "--a", "weights=/nonexistent.tesla"}, exitFailure, "nonexistent.tesla"},
		{[]string{"calibrate", "--backend", "mock", "--searches", "1"}, exitUsage, "at least 5"},
		{[]string{"calibrate", "--backend", "mock", "--search-options", "hope=1"}, exitUsage, "hope"},
		{[]string{"serve", "--backend", "nnue"}, exitUsage, "want one of"},
		{[]string{"serve", "--tls-cert", "cert.pem"}, exitUsage, "need each other"},
		{[]string{"serve", "--tls-cert", "/nonexistent.pem", "--tls-key", "/nonexistent.pem"}, exitFailure, "nonexistent.pem"},
		{[]string{"bench", "--backend", "remote", "--server", "localhost:1", "--server-ca", "ca.pem"}, exitFailure, "grpcs://"},
		{[]string{"serve", "--weights", "/nonexistent.tesla", "--export", "."}, exitFailure, "nonexistent"},
		{[]string{"version"}, exitDone, ""},
		{[]string{"--help"}, exitDone, ""},
	} {
		code, out, errOut := run(t, "", c.args...)
		if code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: code %d, %q; want %d, %q", c.args, code, errOut, c.code, c.want)
		}
		if code != exitDone && (out != "" || !strings.HasPrefix(errOut, "tesla: ")) {
			t.Errorf("%q: standard output %q, error %q", c.args, out, errOut)
		}
	}
}

func TestBenchRepeats(t *testing.T) {
	args := []string{"bench", "--backend", "mock", "--evals", "100", "--hash", "1"}
	var first uint32
	for i := range 2 {
		code, out, errOut := run(t, "", append(args, "--json")...)
		var r bench.Result
		if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone {
			t.Fatalf("code %d, %v: %q %q", code, err, out, errOut)
		}
		if r.Positions != 24 || r.Nodes == 0 || r.Evals == 0 || r.Signature == 0 || r.Backend != "mock" || r.Search != "bestfirst" {
			t.Errorf("%+v", r)
		}
		if i == 1 && r.Signature != first {
			t.Errorf("signature %d, then %d", first, r.Signature)
		}
		first = r.Signature
	}
	_, out, _ := run(t, "", args...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, " nps") || !strings.Contains(last, " nodes ") {
		t.Errorf("last line %q", last)
	}
	if !strings.Contains(out, "\nsearch bestfirst backend mock net ") {
		t.Errorf("no line says what plays: %s", out)
	}
}

func TestEval(t *testing.T) {
	epd := kiwipete + "\n\n# a comment\n7k/8/8/8/8/6q1/8/7K w - - id \"stalemate\";\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
	code, out, errOut := run(t, epd, "eval", "--backend", "mock", "--epd", "-", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitDone || len(lines) != 3 {
		t.Fatalf("code %d: %q %q", code, out, errOut)
	}
	for i, moves := range []int{48, 0, 20} {
		var r evalResult
		if err := json.Unmarshal([]byte(lines[i]), &r); err != nil {
			t.Fatal(err)
		}
		sum := float32(0)
		for _, m := range r.Policy {
			sum += m.P
		}
		if len(r.Policy) != moves || moves > 0 && (sum < 0.99 || sum > 1.01) || r.FEN == "" || r.Model != "mock" {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
}

func TestJSONFields(t *testing.T) {
	for _, c := range []struct {
		args   []string
		fields string
	}{
		{[]string{"perft", "2", "--json"}, "depth nodes seconds nps commit"},
		{[]string{"bench", "--backend", "mock", "--evals", "5", "--json"},
			"search backend model threads nodes evals seconds nps eps signature tree_nodes bytes_per_node commit"},
		{[]string{"eval", "--backend", "mock", "--json"}, "fen cp q wdl sigma policy backend model commit"},
		{[]string{"backendbench", "--backend", "mock", "--time", "2ms", "--maxbatch", "4", "--json"},
			"backend model rows incremental_eps commit"},
		{[]string{"backendbench", "--backend", "nnue", "--threads", "1", "--time", "2ms", "--maxbatch", "4", "--json"},
			"backend model rows incremental_eps commit"},
		{[]string{"eval", "--backend", "nnue", "--json"}, "fen cp q wdl sigma policy backend model commit"},
		{[]string{"bench", "--backend", "nnue", "--evals", "5", "--json"}, "backend model evals signature commit"},
		{[]string{"calibrate", "--backend", "mock", "--searches", "5", "--evals", "200", "--json"},
			"backend model searches evals promotions fit losses deciles groups pit commit"},
		{[]string{"doctor", "--json"}, "commit backends model"},
		{[]string{"doctor", "--verify", "--json"}, "commit backends model verified rules"},
	} {
		code, out, errOut := run(t, "", c.args...)
		var fields map[string]any
		if err := json.Unmarshal([]byte(out), &fields); err != nil || code != exitDone {
			t.Errorf("%q: code %d, %v, %q", c.args, code, err, errOut)
		}
		for _, f := range strings.Fields(c.fields) {
			if _, ok := fields[f]; !ok {
				t.Errorf("%q: no field %s", c.args, f)
			}
		}
	}
}

// A search set beside the net alone.
func TestBackendSearch(t *testing.T) {
	short := []string{"backendbench", "--time", "2ms", "--maxbatch", "8", "--threads", "1", "--pairs", "3", "--movetime", "60ms"}
	code, out, errOut := run(t, "", append(short, "--backend", "nnue", "--search", "puct", "--json")...)
	var r backendbench.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone || r.Search == nil || len(r.Search.Pairs) != 3 || r.Search.Ratio <= 0 {
		t.Fatalf("code %d, %v, %q, %q", code, err, out, errOut)
	}
	for _, p := range r.Search.Pairs {
		if p.EPS <= 0 || p.RawEPS <= 0 || p.Batch < 1 || p.Idle < 0 || p.Idle > 1 || p.Used > 1 {
			t.Errorf("%+v", p)
		}
	}
	for want, args := range map[string][]string{"no batches in this search": {"--backend", "nnue", "--search", "lazysmp"}, "no run of the net alone": {"--backend", "mock", "--search", "puct"}} {
		if code, _, errOut := run(t, "", append(short, args...)...); code == exitDone || !strings.Contains(errOut, want) {
			t.Errorf("%q: code %d, %q", args, code, errOut)
		}
	}
}

func TestBackendReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "report")
	if code, _, errOut := run(t, "", "backendbench", "--backend", "mock", "--time", "2ms", "--maxbatch", "4", "--report", dir); code != exitDone {
		t.Fatalf("code %d: %s", code, errOut)
	}
	for file, want := range map[string]string{"backendbench.txt": "Recommended: batches of ", "backendbench.json": `"recommended":`, "backendbench.svg": "<svg"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v: %s", err, text)
		}
	}
}

func TestAnalyze(t *testing.T) {
	code, out, errOut := run(t, "", "analyze", "--backend", "mock", "--evals", "300", "--multipv", "2", "--hash", "1",
		"--fen", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
	if code != exitDone || !strings.Contains(out, "best a1a8") || !strings.Contains(out, "#1") {
		t.Errorf("code %d: %s %s", code, out, errOut)
	}
}

// Each limit ends a search, alone and together, and the position may be an argument.
func TestAnalyzeLimits(t *testing.T) {
	for _, line := range []string{"--evals 100", "--nodes 100", "--depth 4", "--depth 30 --nodes 100 --movetime 1h"} {
		args := append([]string{"analyse", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "--backend", "mock", "--hash", "1"}, strings.Fields(line)...)
		code, out, errOut := run(t, "", args...)
		if code != exitDone || !strings.Contains(out, "best a1a8") {
			t.Errorf("%s: code %d: %s %s", line, code, out, errOut)
		}
	}
}

// The form of other engines sets what the flags set.
func TestBenchArguments(t *testing.T) {
	_, want, _ := run(t, "", "bench", "--backend", "mock", "--hash", "4", "--threads", "1", "--depth", "4")
	code, got, errOut := run(t, "", "bench", "4", "1", "4", "--backend", "mock")
	signature := func(s string) string { return s[:max(0, strings.LastIndex(s, " nodes "))] }
	if code != exitDone || signature(got) != signature(want) || !strings.Contains(got, "hash 4\n") {
		t.Errorf("code %d, %s: %s\nwant %s", code, errOut, got, want)
	}
}

func TestVersionFlag(t *testing.T) {
	_, want, _ := run(t, "", "version")
	if code, out, errOut := run(t, "", "--version"); code != exitDone || out != want || !strings.HasPrefix(out, "tesla 0.") {
		t.Errorf("code %d, %q, %q; want %q", code, out, errOut, want)
	}
}

// TestAnalyzeTree checks that the tree is all there: where lines share no nodes, a node's evaluations are its own and
// its moves'.
func TestAnalyzeTree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tree")
	for _, share := range []string{"share=off", "share=on"} {
		if code, _, errOut := run(t, "", "analyze", "--backend", "mock", "--evals", "500", "--hash", "1", "--search-options", share, "--tree", path); code != exitDone {
			t.Fatalf("%s: code %d: %s", share, code, errOut)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var below [300]uint32 // evaluations of the moves read so far, by ply
		lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
		for i := len(lines) - 1; i >= 0; i-- { // replies come after their move
			var line view.TreeLine
			if err := json.Unmarshal(lines[i], &line); err != nil {
				t.Fatalf("%s: line %d: %v", share, i+1, err)
			}
			if sum := 1 + below[line.Ply+1]; line.N != sum && line.Net != nil && share == "share=off" {
				t.Errorf("line %d: %d evaluations, its moves have %d", i+1, line.N, sum-1)
			}
			below[line.Ply+1] = 0
			below[line.Ply] += line.N
		}
		if len(lines) < 300 || below[0] != 500 {
			t.Errorf("%s: %d lines, %d evaluations at the root", share, len(lines), below[0])
		}
	}
	picture := filepath.Join(t.TempDir(), "tree.dot")
	code, _, errOut := run(t, "", "analyze", "--backend", "mock", "--evals", "500", "--search-options", "share=on", "--tree", picture)
	text, err := os.ReadFile(picture)
	nodes, arrows := bytes.Count(text, []byte("label=")), bytes.Count(text, []byte(" -> "))
	if code != exitDone || err != nil || nodes < 20 || arrows != nodes-1 || !bytes.HasSuffix(text, []byte("}\n")) {
		t.Errorf("code %d, %v, %s: %d nodes and %d arrows drawn", code, err, errOut, nodes, arrows)
	}
	if code, _, errOut := run(t, "", "analyze", "--search", "lazysmp", "--tree", picture); code != exitUsage || !strings.Contains(errOut, "lazysmp") {
		t.Errorf("a search without a tree: code %d, %s", code, errOut)
	}
	if code, _, errOut := run(t, "", "analyze", "--backend", "mock", "--evals", "5", "--tree", t.TempDir()); code != exitFailure || !strings.Contains(errOut, "--tree") {
		t.Errorf("a folder as file: code %d, %s", code, errOut)
	}
}

func TestUCI(t *testing.T) {
	in := "uci\nsetoption name Backend value mock\nsetoption name Hash value 1\nsetoption name TreeMemory value 33554432\nisready\n" +
		"setoption name TreeMemory value 16\nposition startpos\ngo evals 100\neval\nquit\n"
	code, out, errOut := run(t, in)
	for _, want := range []string{"uciok", "readyok", "info string error: bestfirst: tree memory", "backend mock", "bestmove ", "sigma"} {
		if code != exitDone || !strings.Contains(out, want) {
			t.Errorf("code %d, no %q in %s %s", code, want, out, errOut)
		}
	}
}

// introduction is the answer to uci, %d being the number of processors.
const introduction = `id author the Tesla developers
option name Threads type spin default %d min 1 max 1024
option name Hash type spin default 16 min 1 max 33554432
option name MultiPV type spin default 1 min 1 max 218
option name Ponder type check default false
option name Move Overhead type spin default 10 min 0 max 5000
option name UCI_Chess960 type check default false
option name UCI_ShowWDL type check default false
option name UCI_ShowSure type check default false
option name UCI_LimitStrength type check default false
option name UCI_Elo type spin default 2560 min 990 max 2560
option name Search type combo default auto var auto var bestfirst var puct var lazysmp var mtdf var pvsplit var jamboree var treemachine
option name Backend type combo default auto var auto var cuda var tensorrt var cpu var nnue var mock var remote
option name WeightsFile type string default <empty>
option name Server type string default <empty>
option name ServerToken type string default <empty>
option name ServerCA type string default <empty>
option name BatchSize type spin default 0 min 0 max 1024
option name TreeMemory type spin default 256 min 1 max 33554432
option name LeafDepth type spin default -1 min -1 max 20
option name SearchOptions type string default <empty>
option name Hosts type string default <empty>
option name VerboseMoveStats type check default false
option name SyzygyPath type string default <empty>
option name SyzygyProbeDepth type spin default 1 min 1 max 100
option name Syzygy50MoveRule type check default true
option name SyzygyProbeLimit type spin default 7 min 0 max 7
option name GaviotaTbPath type string default <empty>
option name GaviotaTbCache type spin default 64 min 1 max 33554432
option name OwnBook type check default false
option name BookFile type string default <empty>
option name BookDepth type spin default 1000 min 1 max 1000
option name Debug Log File type string default <empty>
option name SaveTree type string default <empty>
option name LoadTree type string default <empty>
option name Clear Hash type button
uciok
`

func TestIntroduction(t *testing.T) {
	_, out, _ := run(t, "uci\nquit\n")
	name, rest, _ := strings.Cut(out, "\n")
	if want := fmt.Sprintf(introduction, runtime.NumCPU()); rest != want || !strings.HasPrefix(name, "id name Tesla ") {
		t.Errorf("%s\n%s\nwant\n%s", name, rest, want)
	}
}

func TestMatch(t *testing.T) {
	player := "backend=mock,hash=1,option.TreeMemory=16"
	code, out, errOut := run(t, "", "match", "--a", player, "--b", player+",evals=20", "--games", "2", "--evals", "40", "--maxmoves", "20", "--json")
	var r matchResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone || r.Games != 2 || r.Crashes+r.Illegal > 0 {
		t.Errorf("code %d, %v: %s %s", code, err, out, errOut)
	}
}

func TestMatchOfMany(t *testing.T) {
	player := "backend=mock,hash=1,option.TreeMemory=16"
	args := []string{"match", "--a", player + ",name=x", "--player", player + ",name=y,evals=9", "--player", player + ",name=z,evals=5",
		"--games", "2", "--evals", "20", "--maxmoves", "10", "--log", filepath.Join(t.TempDir(), "log")}
	code, out, errOut := run(t, "", append(args, "--json")...)
	var r matchResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitDone || r.Games != 4 || len(r.Players) != 3 || len(r.Pairings) != 3 {
		t.Errorf("code %d, %v: %s %s", code, err, out, errOut)
	}
	code, out, errOut = run(t, "", append(args, "--format", "gauntlet")...)
	if code != exitDone || !strings.Contains(out, "x - z: games 2:") || !strings.Contains(out, " 3.  ") || strings.Contains(out, "y - z") {
		t.Errorf("code %d: %s %s", code, out, errOut)
	}
}

// TestMatchInterrupted sends an interrupt as soon as a game is in the journal.
func TestMatchInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	go func() {
		for range 1000 {
			time.Sleep(10 * time.Millisecond)
			if text, err := os.ReadFile(path); err == nil && bytes.Count(text, []byte("\n")) > 1 {
				break
			}
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			t.Error(err)
		}
	}()
	player := "backend=mock,hash=1,option.TreeMemory=16"
	code, out, errOut := run(t, "", "match", "--a", player, "--b", player, "--games", "1000", "--nodes", "20", "--json", "--journal", path)
	var r matchResult
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitFailure || !r.Interrupted || r.Games < 1 || r.Games > 999 ||
		!strings.Contains(errOut, "interrupted after") {
		t.Errorf("code %d, %v: %s %s", code, err, out, errOut)
	}
}

func TestMatchStats(t *testing.T) {
	dir := t.TempDir()
	pgn, report := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "report.html")
	player := "backend=mock,hash=1,option.TreeMemory=16"
	code, out, errOut := run(t, "", "match", "--a", player+",name=x", "--b", player+",name=y,evals=5", "--games", "4", "--evals", "40",
		"--maxmoves", "20", "--sprt", "0,50", "--report", report, "--journal", filepath.Join(dir, "journal"), "--pgn", pgn, "--json")
	var played matchResult
	if err := json.Unmarshal([]byte(out), &played); err != nil || code != exitDone || played.SPRT == nil || played.SPRT.Pairs != 2 {
		t.Fatalf("code %d, %v: %s %s", code, err, out, errOut)
	}
	if _, err := os.Stat(report); err != nil {
		t.Error(err)
	}
	code, out, errOut = run(t, "", "match", "--stats", pgn, "--sprt", "0,50", "--report", filepath.Join(dir, "again.html"), "--json")
	var read statsResult
	if err := json.Unmarshal([]byte(out), &read); err != nil || code != exitDone || read.A != "x" || read.B != "y" {
		t.Fatalf("code %d, %v: %s %s", code, err, out, errOut)
	}
	if *read.SPRT != *played.SPRT || read.LLR != played.LLR || read.Ptnml != played.Ptnml || read.NElo != played.NElo {
		t.Errorf("played %+v, read %+v", played, read)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--stats", pgn, "--a", "name=y"}, exitDone, "y - x\nGames: 4"},
		{[]string{"--stats", pgn, "--a", "name=z"}, exitFailure, "no finished game of z"},
		{[]string{"--stats", pgn, "--a", "z"}, exitUsage, "--a"},
		{[]string{"--stats", pgn, "--sprt", "5,0"}, exitUsage, "--sprt"},
		{[]string{"--stats", filepath.Join(dir, "none")}, exitFailure, "no such file"},
		{[]string{"--sprt", "x"}, exitUsage, "--sprt"},
	} {
		code, out, errOut := run(t, "", append([]string{"match"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%q: code %d, %q, %q; want %d, %q", c.args, code, out, errOut, c.code, c.want)
		}
	}
}

// matchResult is what tesla match --json prints.
type matchResult struct {
	stats.Result
	Players     []stats.Rating
	Pairings    []stats.Pairing
	Interrupted bool
	Commit      string
}

// statsResult is what tesla match --stats --json prints.
type statsResult struct {
	stats.Result
	A, B                      string
	Unpaired, Skipped, Others int
	Commit                    string
}
