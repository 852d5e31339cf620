package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tesla/lab/match"
	"tesla/lab/match/player"
)

// hosting plays a match on a fleet until it ends.
func hosting(ctx context.Context, c match.Config) (ended chan error) {
	ended = make(chan error, 1)
	go func() {
		_, err := match.Play(ctx, c)
		ended <- err
	}()
	return ended
}

// A server whose disk is full, whether it was before its start or is filled under a run, plays one match after the other.
func TestServerDiskFull(t *testing.T) {
	onSmallDisk(t, "1m", func(t *testing.T, dir string) {
		t.Setenv("TMPDIR", dir)
		free := fillDisk(t, dir)
		at := serve(t, "")
		start(t, workerAt(t, at, "one"))
		alone := game(t, 4)
		play(t, alone)
		for range 2 {
			c := fleetOf(game(t, 4), at)
			play(t, c)
			same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
			free()
			free = fillDisk(t, dir)
		}
		free()
		folders, err := filepath.Glob(filepath.Join(dir, "tesla-fleet-*"))
		if err != nil || len(folders) != 1 || os.RemoveAll(folders[0]) != nil {
			t.Fatal(folders, err)
		}
		c := fleetOf(game(t, 4), at) // the server's folder is gone
		play(t, c)
		same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
	})
}

// netOf makes a file that stands for a net, and a match in which player x has it.
func netOf(t *testing.T, size int) (net string, c match.Config, in player.InProcess) {
	net = filepath.Join(t.TempDir(), "net.bin")
	text := []byte(strings.Repeat("net ", size/4))
	if err := os.WriteFile(net, text, 0o600); err != nil {
		t.Fatal(err)
	}
	in = player.InProcess{Searcher: open, Net: func(p player.Player) (string, error) {
		if got, err := os.ReadFile(p.Weights); p.Weights != "" && (err != nil || string(got) != string(text)) {
			return "", errors.Join(err, errors.New("another net"))
		}
		return "same", nil
	}}
	c = game(t, 4)
	c.Players[0].Weights, c.InProcess = net, in
	return net, c, in
}

// A worker whose disk has no room for a net is refused with the number of bytes that the net needs. It leaves nothing behind,
// and plays when there is room.
func TestWorkerDiskFull(t *testing.T) {
	onSmallDisk(t, "1m", func(t *testing.T, dir string) {
		const size = 3 * pieceSize
		_, c, in := netOf(t, size)
		at := serve(t, "")
		w := workerAt(t, at, "full")
		w.Dir, w.InProcess = filepath.Join(dir, "nets"), in
		if err := os.Mkdir(w.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "other"), make([]byte, 1<<19), 0o600); err != nil { // half of it is left
			t.Fatal(err)
		}
		warn := &lockedLog{}
		c.Output.Warn = warn
		ended := hosting(t.Context(), fleetOf(c, at))
		start(t, w)
		await(t, "the reason", func() bool {
			text := warn.String()
			return strings.Contains(text, "worker full is refused: file sha256-") && strings.Contains(text, "no room for 786432 bytes: ") &&
				strings.Contains(text, "no space left on device")
		})
		await(t, "a folder without parts", func() bool {
			list, err := os.ReadDir(w.Dir)
			return err == nil && len(list) == 0
		})
		if err := os.Remove(filepath.Join(dir, "other")); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	})
}

// Where the disk of the journal, or of a file of games, gets full, the run ends with the reason, and is resumed when there is
// space: no game is lost.
func TestHostDiskFull(t *testing.T) {
	onSmallDisk(t, "256k", func(t *testing.T, dir string) {
		at := serve(t, "")
		w := workerAt(t, at, "one")
		w.InProcess.Searcher = slowly(time.Millisecond)
		start(t, w)
		const count = 60 // more than the last block of the journal takes
		alone := game(t, count)
		play(t, alone)
		c := game(t, count)
		c.Files.Journal = filepath.Join(dir, "journal")
		c = fleetOf(c, at)
		ctx, cancel := context.WithCancel(t.Context())
		ended := hosting(ctx, c)
		await(t, "a game", func() bool {
			text, _ := os.ReadFile(c.Files.Journal) // it may not be there yet
			return strings.Count(string(text), "\n") > 1
		})
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		free := fillDisk(t, dir)
		c.Files.Resume = true
		if err := <-hosting(t.Context(), c); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), c.Files.Journal) {
			t.Fatalf("%v, want that there is no space for %s", err, c.Files.Journal)
		}
		other := c
		other.Files.Journal, other.Files.Resume = filepath.Join(dir, "other"), false
		want := "match: journal: write " + other.Files.Journal + ": no space left on device"
		if err := <-hosting(t.Context(), other); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		free()
		play(t, c)
		same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
	})
}

// The same for a file of games for training.
func TestDataDiskFull(t *testing.T) {
	onSmallDisk(t, "256k", func(t *testing.T, dir string) {
		cfg, in := dataOf(t, "same")
		path := filepath.Join(dir, "data")
		at := serve(t, "")
		w := workerAt(t, at, "one")
		w.InProcess = in
		run := hostData(t.Context(), t, cfg, path, at) // its head is written
		free := fillDisk(t, dir)
		start(t, w)
		if err := <-run.ended; !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
			t.Fatalf("%v, want that there is no space for %s", err, path)
		}
		_ = run.Close() // it may fail for the same reason
		free()
		run = hostData(t.Context(), t, cfg, path, at)
		run.end(t, nil)
		if got := sorted(t, path); len(got) != cfg.Games {
			t.Errorf("%d games, want %d", len(got), cfg.Games)
		}
	})
}
