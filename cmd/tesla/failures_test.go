package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"

	"tesla/batcher"
	"tesla/batcher/remote"
	"tesla/board"
	"tesla/models"
	"tesla/uci/client/clienttest"
)

// A fault is how the evaluation goes wrong.
type fault string

const (
	healthy   fault = "healthy"
	failing   fault = "failing"    // an error
	hanging   fault = "hanging"    // no answer until the test ends
	nanValue  fault = "NaN value"  // nonsense in one of the outputs
	nanSigma  fault = "NaN sigma"  //
	nanPolicy fault = "NaN policy" //
	sums      fault = "sums to 2"  // win, draw and loss do not sum to 1
)

// faulty computes an arbitrary but constant evaluation of each position. It goes wrong once it has seen enough distinct
// positions: more than the measurement at its opening asks for, fewer than a search does.
type faulty struct {
	batcher.Backend
	columns int
	end     context.Context

	mu   sync.Mutex
	mode fault
	seen map[uint64]bool
}

// distinctPositions is when a faulty evaluation goes wrong.
const distinctPositions = 1200

func (f *faulty) Row() int { return f.columns }

// Infer implements batcher.Inferer.
func (f *faulty) Infer(n int, rows []int32, out [len(batcher.GraphOutputs)][]float32) error {
	for i := range n {
		key := uint64(14695981039346656037) // FNV-1a of the row
		for _, x := range rows[i*f.columns : (i+1)*f.columns] {
			key = (key ^ uint64(uint32(x))) * 1099511628211
		}
		f.mu.Lock()
		f.seen[key] = true
		mode := healthy
		if len(f.seen) > distinctPositions {
			mode = f.mode
		}
		f.mu.Unlock()
		wdl := out[0][3*i : 3*i+3]
		win := 0.2 + 0.5*float32(key%1024)/1024
		wdl[0], wdl[1], wdl[2] = win, 0.2, 0.8-win
		out[1][i] = 0.05
		switch mode {
		case failing:
			return errors.New("the device is lost")
		case hanging:
			<-f.end.Done()
			return f.end.Err()
		case nanValue:
			wdl[0] = float32(math.NaN())
		case nanSigma:
			out[1][i] = float32(math.NaN())
		case nanPolicy:
			for k := range batcher.GraphOutputs[2].Columns {
				out[2][i*batcher.GraphOutputs[2].Columns+k] = float32(math.NaN())
			}
		case sums:
			wdl[1] += 1
		}
	}
	return nil
}

// heal makes the evaluation right from now on.
func (f *faulty) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mode = healthy
}

// startFaulty starts a server of the KServe protocol whose evaluation goes wrong, and returns it and its address.
func startFaulty(t *testing.T, mode fault) (*faulty, string) {
	t.Helper()
	builtIn, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	mock := batcher.NewMock(batcher.Options{})
	end, cancel := context.WithCancel(context.Background())
	f := &faulty{Backend: named{mock, builtIn.ShortHash()}, columns: builtIn.Row(), mode: mode, end: end, seen: map[uint64]bool{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := remote.NewServer(f, builtIn, remote.ServerOptions{Model: remote.DefaultModel})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(end, listener) }()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	return f, listener.Addr().String()
}

// named is a backend that claims to hold a net.
type named struct {
	batcher.Backend
	model string
}

func (n named) Info() batcher.Info {
	info := n.Backend.Info()
	info.Model = n.model
	return info
}

// failureCommands are command lines that evaluate by a server; {server} stands for its address, {dir} for an empty folder
// beside a file of games, from.games. The judge of regret is a program of its own.
var failureCommands = []struct{ name, line string }{
	{"analyze", "analyze --backend remote --server {server} --evals 3000"},
	{"bench", "bench --backend remote --server {server} --evals 100"},
	{"eval", "eval --backend remote --server {server} --epd {dir}/positions.epd"},
	{"speedup", "speedup --search bestfirst --backend remote --server {server} --threads 1 --repeat 1 --evals 100"},
	{"calibrate", "calibrate --backend remote --server {server} --searches 10 --evals 200"},
	{"match", "match --a name=good,search=lazysmp,nodes=50 --b name=bad,search=bestfirst,backend=remote,option.Server={server},evals=60" +
		" --games 4 --maxmoves 40 --concurrency 1 --seed 1 --journal {dir}/journal --pgn {dir}/games.pgn"},
	{"datagen", "datagen --player search=bestfirst,backend=remote,option.Server={server},evals=40 --games 4 --plies 30 --seed 1 --concurrency 1 --out {dir}/out.games"},
	{"regret", "regret --player name=a,search=bestfirst,backend=remote,option.Server={server},evals=100 --player name=b,search=lazysmp,nodes=50" +
		" --from {dir}/from.games --positions 30 --within 1000 --concurrency 1 --judge cmd={self},option.Search=lazysmp,option.Backend=nnue,nodes=100"},
}

// failureReasons are what the error of each fault has to say.
var failureReasons = map[fault]string{failing: "the device is lost", hanging: "Deadline", nanValue: "NaN", nanSigma: "NaN", nanPolicy: "NaN", sums: "probabilities"}

// A command whose evaluation fails, hangs or answers nonsense ends with exit code 1 and the reason, and none of it becomes a result.
// Some of the commands run side by side, because most of the time is waiting; more would make a server too slow to answer.
func TestFailingEvaluation(t *testing.T) {
	var wait errgroup.Group
	wait.SetLimit(4)
	for _, c := range failureCommands {
		for mode, reason := range failureReasons {
			if wrong := mode != failing && mode != hanging; (wrong || testing.Short()) && c.name != "analyze" {
				continue // one check finds what is no evaluation, and what it returns is a failure as any other
			}
			_, address := startFaulty(t, mode)
			line := failureLine(t, c.line, address, failureFolder(t))
			wait.Go(func() error {
				code, out, errOut := run(t, "", line...)
				t.Logf("%s, %s: exit %d: %s", c.name, mode, code, lastLine(errOut))
				if code != exitFailure || !strings.Contains(errOut, reason) {
					t.Errorf("%s, %s: exit code %d, %q, %q; want %d and %q", c.name, mode, code, out, errOut, exitFailure, reason)
				}
				return nil
			})
		}
	}
	_ = wait.Wait()
}

// slowTest skips a test in a short run.
func slowTest(t *testing.T, is bool) {
	if is && testing.Short() {
		t.Skip("slow")
	}
}

// failureCommand is the line of a command of failureCommands.
func failureCommand(name string) string {
	i := slices.IndexFunc(failureCommands, func(c struct{ name, line string }) bool { return c.name == name })
	return failureCommands[i].line
}

// failureLine fills in a line of failureCommands.
func failureLine(t *testing.T, line, address, dir string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(strings.NewReplacer("{server}", address, "{dir}", dir, "{self}", self).Replace(line))
}

// failureFolder has a file of games and one of positions.
func failureFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files, err := failureFiles()
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// failureFiles are the files of failureFolder, which are made once.
var failureFiles = sync.OnceValues(func() (files map[string][]byte, err error) {
	dir, err := os.MkdirTemp("", "tesla")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var errOut strings.Builder
	from := filepath.Join(dir, "from.games")
	if execute([]string{"datagen", "--player", "search=lazysmp,nodes=50", "--games", "6", "--plies", "40", "--concurrency", "1", "--out", from},
		strings.NewReader(""), io.Discard, &errOut) != exitDone {
		return nil, errors.New(errOut.String())
	}
	var positions bytes.Buffer
	random := rand.New(rand.NewPCG(1, 1))
	for g, i := board.NewGame(board.StartPosition()), 0; i < 2*distinctPositions; i++ {
		if g.Outcome() != board.Ongoing {
			g = board.NewGame(board.StartPosition())
		}
		moves := g.Pos.LegalMoves(nil)
		g.Play(moves[random.IntN(len(moves))])
		fmt.Fprintln(&positions, g.Pos.FEN(false))
	}
	games, err := os.ReadFile(from)
	return map[string][]byte{"from.games": games, "positions.epd": positions.Bytes()}, err
})

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestMain makes the test binary the program itself where teslaVariable is set: an engine, or a command in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(teslaVariable) != "1" && clienttest.Main() {
		return
	}
	if os.Getenv(teslaVariable) != "" && (len(os.Args) == 1 || !strings.HasPrefix(os.Args[1], "-test.")) {
		if ready := os.Getenv(readyVariable); ready != "" {
			signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM) // before the command has begun, a signal does not kill
			os.WriteFile(ready, nil, 0o600)
		}
		main()
	}
	os.Setenv(teslaVariable, "1")
	os.Exit(m.Run())
}

const (
	teslaVariable = "TESLA_TEST_ENGINE"
	readyVariable = "TESLA_TEST_READY" // a file that the program makes when it can be sent signals
)

// A match whose evaluation fails keeps the games that were finished, not the one in hand, and goes on with it when the
// evaluation works again.
func TestFailingMatchResumes(t *testing.T) {
	slowTest(t, true)
	f, address := startFaulty(t, failing)
	dir := failureFolder(t)
	args := failureLine(t, failureCommand("match"), address, dir)
	if code, _, errOut := run(t, "", args...); code != exitFailure || !strings.Contains(errOut, "bad: the search failed") {
		t.Fatalf("exit code %d, %s", code, errOut)
	}
	journal, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err != nil || strings.Contains(string(journal), `"game"`) {
		t.Fatalf("%v: the journal has a game: %s", err, journal)
	}
	f.heal()
	if code, out, errOut := run(t, "", append(args, "--resume", "--json")...); code != exitDone || !strings.Contains(out, `"games":4`) || !strings.Contains(out, `"crashes":0`) {
		t.Fatalf("exit code %d, %s, %s", code, out, errOut)
	}
}

// Data generation whose evaluation fails keeps no game of the failure, and goes on when the evaluation works again.
func TestFailingDatagenResumes(t *testing.T) {
	slowTest(t, true)
	f, address := startFaulty(t, failing)
	dir := failureFolder(t)
	args := failureLine(t, failureCommand("datagen"), address, dir)
	if code, _, errOut := run(t, "", args...); code != exitFailure || !strings.Contains(errOut, "the device is lost") {
		t.Fatalf("exit code %d, %s", code, errOut)
	}
	f.heal()
	if code, _, errOut := run(t, "", append(args, "--resume")...); code != exitDone {
		t.Fatalf("exit code %d, %s", code, errOut)
	}
	if code, out, errOut := run(t, "", "datagen", "--stats", filepath.Join(dir, "out.games")); code != exitDone || !strings.Contains(out, "games 4 (") {
		t.Fatalf("exit code %d, %s, %s", code, out, errOut)
	}
}

// Under UCI a failing evaluation gives way to the net nnue: the failure is reported, and every go has its legal answer.
func TestFailingUCI(t *testing.T) {
	for _, mode := range []fault{failing, hanging, nanPolicy} {
		t.Run(string(mode), func(t *testing.T) {
			slowTest(t, mode != failing)
			t.Parallel()
			_, address := startFaulty(t, mode)
			g := newGUI(t)
			g.say("setoption name Backend value remote\nsetoption name Server value %s", address)
			var told []string
			for _, position := range []string{"position startpos", "position startpos moves e2e4"} {
				g.say("%s\ngo evals 4000", position)
				for answered := false; !answered && g.out.Scan(); {
					told = append(told, g.out.Text())
					answered = strings.HasPrefix(g.out.Text(), "bestmove ")
				}
			}
			g.say("quit")
			text := strings.Join(told, "\n")
			if code := <-g.ends; code != exitDone || strings.Count(text, "bestmove ") != 2 || strings.Contains(text, "bestmove 0000") ||
				!strings.Contains(text, "nnue takes over") || !strings.Contains(text, failureReasons[mode]) {
				t.Errorf("exit code %d, %s", code, text)
			}
		})
	}
}
