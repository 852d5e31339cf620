package main

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"tesla/batcher"
	"tesla/batcher/remote"
	"tesla/eut"
	"tesla/models"
)

// badBackend computes nothing: every output is the same, and in the middle of a search it fails in its way.
type badBackend struct {
	net      *eut.Net
	searched atomic.Int64 // batches of searches
	way      string       // error, hang or nan
	end      chan struct{}
}

func (b *badBackend) Evaluate([]*batcher.Item) error { return errors.New("a server infers only") }
func (b *badBackend) Close() error                   { return nil }
func (b *badBackend) Row() int                       { return b.net.Row() }
func (b *badBackend) Info() batcher.Info             { return batcher.Info{Name: "bad", Model: b.net.ShortHash()} }

// Infer fails from the second batch of a search on. Batches of the measurement when a backend is opened have powers of two.
func (b *badBackend) Infer(n int, _ []int32, out [len(batcher.GraphOutputs)][]float32) error {
	fails := bits.OnesCount(uint(n)) > 1 && b.searched.Add(1) > 1
	for _, o := range out {
		for i := range o {
			if o[i] = 0.25; fails && b.way == "nan" {
				o[i] = float32(math.NaN())
			}
		}
	}
	switch {
	case fails && b.way == "error":
		return errors.New("the accelerator is gone")
	case fails && b.way == "hang":
		<-b.end
	}
	return nil
}

// serveBad serves a backend that fails until the test ends, and returns its address.
func serveBad(t *testing.T, way string) string {
	n, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &badBackend{net: n, way: way, end: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- remote.Serve(ctx, listener, remote.DefaultModel, b) }()
	t.Cleanup(func() {
		close(b.end)
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// A search whose backend fails ends a command with exit code 1 and the reason, and nothing of it is kept; under UCI another backend
// takes over.
func TestFailingBackend(t *testing.T) {
	dir := t.TempDir()
	games := filepath.Join(dir, "games")
	if code, _, errOut := run(t, "", "datagen", "--player", "backend=mock,hash=1,evals=20", "--games", "4", "--concurrency", "1",
		"--out", games); code != exitDone {
		t.Fatal(errOut)
	}
	ways := map[string]string{"error": "the accelerator is gone", "hang": "Deadline", "nan": "the net says"}
	for way, want := range ways {
		if way == "hang" && testing.Short() {
			continue
		}
		journal, made := filepath.Join(dir, way+".journal"), filepath.Join(dir, way+".games")
		player := "backend=remote,option.Server=ADDR,hash=1,option.TreeMemory=16"
		for _, line := range []string{
			"bench --backend remote --server ADDR --evals 200",
			"analyze --backend remote --server ADDR --evals 500",
			"speedup --backend remote --server ADDR --threads 1 --repeat 1 --evals 200",
			"calibrate --backend remote --server ADDR --searches 5 --evals 200",
			"match --a " + player + " --b backend=mock,hash=1 --games 2 --evals 60 --journal " + journal,
			"datagen --player " + player + ",evals=60 --games 2 --concurrency 1 --out " + made,
			"regret --games " + games + " --positions 20 --within 10000 --player " + player + ",evals=60 --player backend=mock,hash=1,evals=1" +
				" --judge cmd=none,nodes=5 --concurrency 1",
		} {
			args := strings.Fields(strings.ReplaceAll(line, "ADDR", serveBad(t, way)))
			code, out, errOut := run(t, "", args...)
			if code != exitFailure || !strings.Contains(errOut, want) {
				t.Errorf("%s, %s: code %d, %q, %q; want %q", args[0], way, code, out, errOut, want)
			}
		}
		if text, err := os.ReadFile(journal); err != nil || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%s: %v, the match's journal holds games: %s", way, err, text)
		}
		if code, out, errOut := run(t, "", "datagen", "--stats", made); code != exitDone || !strings.Contains(out, "games 0 ") {
			t.Errorf("%s: code %d, %s %s", way, code, out, errOut)
		}
		g, out := newGUI(t), ""
		g.say("setoption name Backend value remote\nsetoption name Server value %s\ngo evals 200", serveBad(t, way))
		for !strings.Contains(out, "bestmove ") && g.out.Scan() {
			out += g.out.Text() + "\n"
		}
		g.say("quit")
		if code := <-g.ends; code != exitDone || !strings.Contains(out, want) || !strings.Contains(out, "nnue takes over") {
			t.Errorf("uci, %s: code %d, %s", way, code, out)
		}
	}
}
