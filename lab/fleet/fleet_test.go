package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tesla/board"
	"tesla/internal/bus"
	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

const testBeat = 100 * time.Millisecond

// serve starts a server on loopback.
func serve(t testing.TB, token string) bus.Address {
	t.Helper()
	s, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Token: token, Streams: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return bus.Address{Server: s.Address(), Token: token}
}

// hashing plays moves that depend on the position and on the limit alone.
type hashing struct{ delay time.Duration }

func (h hashing) Search(ctx context.Context, g *board.Game, l search.Limits, _ func(search.Info)) (search.Result, error) {
	if h.delay > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(h.delay):
		}
	}
	sum := fnv.New32a()
	fmt.Fprint(sum, g.Pos.FEN(false), l.Evals)
	moves := g.Pos.LegalMoves(nil)
	return search.Result{Best: moves[sum.Sum32()%uint32(len(moves))], Info: search.Info{Depth: 1, Nodes: l.Evals}}, nil
}
func (hashing) PonderHit()   {}
func (hashing) NewGame()     {}
func (hashing) Close() error { return nil }

func open(player.Player) (search.Searcher, error) { return hashing{}, nil }

// slowly makes searchers that take their time for a move.
func slowly(d time.Duration) player.Factory {
	return func(player.Player) (search.Searcher, error) { return hashing{d}, nil }
}

func proof(signature uint32, nps float64) Prover {
	return func(_ context.Context, slots int) (Proof, error) {
		return Proof{slices.Repeat([]uint32{signature}, slots), nps}, nil
	}
}

// game is a match of two players that differ, at fixed nodes.
func game(t testing.TB, games int) match.Config {
	c := match.Default()
	c.Players = []player.Player{{Name: "x", Condition: player.Condition{Evals: 12}}, {Name: "y", Condition: player.Condition{Evals: 8}}}
	c.Games, c.Adjudication.MaxMoves, c.Commit = games, 10, "here"
	c.Files.Journal, c.InProcess.Searcher = filepath.Join(t.TempDir(), "journal"), open
	return c
}

// fleetOf is the match as the workers at the address play it.
func fleetOf(c match.Config, at bus.Address) match.Config {
	c.Distributor = &Host{Address: at, Prove: proof(7, 1000), Beat: testBeat, Without: c.Without}
	return c
}

// workerAt is a worker that is as it should be.
func workerAt(t testing.TB, at bus.Address, name string) *Worker {
	return &Worker{Address: at, Name: name, Slots: 1, Dir: t.TempDir(), Commit: "here", Kernel: "go", Beat: testBeat,
		InProcess: player.InProcess{Searcher: open}, Prove: proof(7, 1000), Out: &lockedLog{}}
}

// lockedLog keeps what is written to it.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start runs a worker until the test ends or stop is called.
func start(t testing.TB, w *Worker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("worker %s: %v", w.Name, err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// await waits until a condition holds.
func await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it does not come", what)
		}
	}
}

// games are the games of a journal by number, each with its moves and its result; a game must be there once.
func games(t testing.TB, path string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[int]string{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var g struct {
			Game                         int
			White, Black, Result, Reason string
			Worker                       string
			Moves                        []struct{ M string }
		}
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatalf("line %d: %v", i+2, err)
		}
		if all[g.Game] != "" {
			t.Errorf("game %d twice", g.Game)
		}
		all[g.Game] = fmt.Sprint(g.White, g.Black, g.Result, g.Reason, g.Moves)
	}
	return all
}

// same is an error unless two journals have the same games.
func same(t testing.TB, got, want map[int]string) {
	t.Helper()
	for number := range max(len(got), len(want)) {
		if got[number] != want[number] {
			t.Errorf("game %d: %q, want %q", number, got[number], want[number])
		}
	}
}

func play(t testing.TB, c match.Config) stats.Result {
	t.Helper()
	table, err := match.Play(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return table.First()
}

// Two workers play the same games as one process, and the journal says who played which.
func TestSameGames(t *testing.T) {
	alone := game(t, 8)
	want := play(t, alone)
	at := serve(t, "secret")
	for _, name := range []string{"one", "two"} {
		start(t, workerAt(t, at, name))
	}
	c := fleetOf(game(t, 8), at)
	got := play(t, c)
	same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
	if got.Ptnml != want.Ptnml || got.Games != 8 {
		t.Errorf("%v, want %v", got, want)
	}
	text, err := os.ReadFile(c.Files.Journal)
	if err != nil || strings.Count(string(text), `"worker":"`) != 8 || !strings.Contains(string(text), `"worker_nps":1000,"clock_factor":1`) {
		t.Errorf("the journal does not say who played: %v\n%s", err, text)
	}
}
