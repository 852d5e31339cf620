package fleet

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tesla/internal/bus"
	"tesla/internal/slow"
	"tesla/lab/match"
)

// TestInterrupted ends the host, the server with all that is on its disk, and a worker, and starts them again: no game is
// lost and none is there twice.
func TestInterrupted(t *testing.T) {
	slow.Test(t)
	alone := game(t, 12)
	play(t, alone)
	server, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Streams: true})
	if err != nil {
		t.Fatal(err)
	}
	at := bus.Address{Server: server.Address()}
	begin := func(name string) (stop func()) {
		w := workerAt(t, at, name)
		w.InProcess.Searcher = slowly(2 * time.Millisecond)
		return start(t, w)
	}
	stop := begin("one")
	begin("two")
	c := fleetOf(game(t, 12), at)
	ctx, cancel := context.WithCancel(t.Context())
	host := func() (ended chan error) {
		ended = make(chan error, 1)
		go func() {
			_, err := match.Play(ctx, c)
			ended <- err
		}()
		return ended
	}
	count := func() int {
		text, _ := os.ReadFile(c.Files.Journal) // it may not be there yet
		return strings.Count(string(text), "\n") - 1
	}
	ended := host()
	await(t, "a game", func() bool { return count() > 0 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	stop()
	ctx = t.Context()
	c.Files.Resume = true
	before := count()
	ended = host()
	await(t, "a game after that of the host", func() bool { return count() > before })
	server.Close()
	if server, err = bus.Serve(bus.ServerOptions{Listen: at.Server, Streams: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	begin("three")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
}

// The variables that make the test binary a process of a fleet: what it is, and the fleet's address and folder.
const (
	roleVariable = "TESLA_TEST_FLEET"
	atVariable   = "TESLA_TEST_FLEET_AT"
	dirVariable  = "TESLA_TEST_FLEET_DIR"
)

const longGames = 400

// TestProcess is a process that TestKilled and TestPlan start and kill.
func TestProcess(t *testing.T) {
	at, dir := bus.Address{Server: os.Getenv(atVariable)}, os.Getenv(dirVariable)
	role, name, _ := strings.Cut(os.Getenv(roleVariable), " ")
	var err error
	switch role {
	case "":
		t.Skip("it is part of TestKilled")
	case "server":
		if _, err = bus.Serve(bus.ServerOptions{Listen: at.Server, Streams: true}); err == nil {
			select {} // until it is killed
		}
	case "worker", "hasty", "player":
		w := workerAt(t, at, name)
		w.InProcess.Searcher, w.Out = slowly(map[string]time.Duration{"worker": time.Millisecond, "player": 25 * time.Millisecond}[role]), os.Stdout
		if role != "worker" {
			w.Beat = Beat
		}
		for { // until it is killed; the server may be away
			if err := w.Run(t.Context()); err != nil {
				t.Log(err)
			}
			time.Sleep(testBeat)
		}
	case "host":
		c := fleetOf(game(t, longGames), at)
		c.Files.Journal, c.Files.Resume, c.Output.Warn = filepath.Join(dir, "journal"), true, os.Stdout
		_, err = match.Play(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestKilled has 400 games played by eight processes, and kills workers, the host and the server, which also loses its
// disk, twenty times in all.
func TestKilled(t *testing.T) {
	if os.Getenv("TESLA_LONG") == "" {
		t.Skip("TESLA_LONG is not set")
	}
	alone := game(t, longGames)
	play(t, alone)
	dir := t.TempDir()
	free, err := bus.Serve(bus.ServerOptions{Listen: "127.0.0.1:0", Streams: true})
	if err != nil {
		t.Fatal(err)
	}
	address := free.Address()
	free.Close()
	running := map[string]*exec.Cmd{}
	t.Cleanup(func() {
		for _, c := range running {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	run := func(role string) {
		c := exec.Command(os.Args[0], "-test.run=^TestProcess$")
		c.Env = append(os.Environ(), roleVariable+"="+role, atVariable+"="+address, dirVariable+"="+dir)
		log, err := os.OpenFile(filepath.Join(dir, strings.ReplaceAll(role, " ", "-")+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		c.Stdout, c.Stderr = log, log
		if err := errors.Join(c.Start(), log.Close()); err != nil {
			t.Fatal(err)
		}
		running[role] = c
	}
	kill := func(role string) {
		_ = running[role].Process.Kill() // it may have ended
		_ = running[role].Wait()
	}
	run("server")
	var workers []string
	for i := range 8 {
		workers = append(workers, "worker w"+strconv.Itoa(i))
		run(workers[i])
	}
	hosted := func() chan error {
		run("host")
		c := running["host"]
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		return ended
	}
	ended := hosted()
	journal := filepath.Join(dir, "journal")
	for i := range 20 {
		size := func() int64 {
			info, err := os.Stat(journal)
			if err != nil {
				return 0
			}
			return info.Size()
		}
		for before, end := size(), time.Now().Add(time.Minute); size() == before && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		switch i % 4 {
		case 0, 2:
			victim := workers[rand.IntN(len(workers))]
			t.Logf("kill %d: %s", i+1, victim)
			kill(victim)
			run(victim)
		case 1:
			t.Logf("kill %d: host", i+1)
			_ = running["host"].Process.Kill()
			<-ended
			ended = hosted()
		case 3:
			t.Logf("kill %d: server, its disk is lost", i+1)
			kill("server")
			if err := os.RemoveAll(filepath.Join(dir, "server")); err != nil {
				t.Fatal(err)
			}
			run("server")
		}
	}
	if err := <-ended; err != nil {
		text, _ := os.ReadFile(filepath.Join(dir, "host.log"))
		t.Fatalf("%v\n%s", err, text)
	}
	got := games(t, journal)
	if len(got) != longGames {
		t.Errorf("%d games", len(got))
	}
	same(t, got, games(t, alone.Files.Journal))
}
