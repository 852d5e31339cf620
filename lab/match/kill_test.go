package match

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"tesla/internal/slow"
)

// The variables that make the test binary a process that plays a match: the folder of its files, and the games.
const (
	killVariable      = "TESLA_TEST_MATCH"
	killGamesVariable = "TESLA_TEST_MATCH_GAMES"
)

func killConfig(dir string, games int) Config {
	config := fixed(dir, games)
	config.Journal, config.Resume, config.Concurrency = filepath.Join(dir, "journal"), true, 2
	return config
}

// TestKilledMatch is the process that TestKill kills.
func TestKilledMatch(t *testing.T) {
	dir := os.Getenv(killVariable)
	if dir == "" {
		t.Skip("it is part of TestKill")
	}
	games, err := strconv.Atoi(os.Getenv(killGamesVariable))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), killConfig(dir, games)); err != nil {
		t.Fatal(err)
	}
}

func TestKill(t *testing.T) {
	slow.Test(t)
	kill(t, 8, 2)
}

func TestKillFiveTimes(t *testing.T) {
	long(t)
	kill(t, 200, 5)
}

// kill plays a match in a process that is killed so many times at random moments, and resumed. In the end it must have
// played each game once, as an undisturbed match does.
func kill(t *testing.T, games, kills int) {
	whole := killConfig(t.TempDir(), games)
	if _, err := Run(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := killConfig(dir, games)
	for i := range kills {
		m := startMatch(t, dir, games)
		// A kill is to come after a game or two that this process played, at any moment of what it does then.
		before := lines(config.Journal)
		for !m.ended() && lines(config.Journal) < before+2 {
			time.Sleep(2 * time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
		_ = m.cmd.Process.Kill() // it may have ended
		<-m.done
		t.Logf("kill %d: %v, %d of %d games are in the journal", i+1, m.err, max(lines(config.Journal)-1, 0), games)
		if m.err != nil && m.cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("%v: %s", m.err, &m.out)
		}
	}
	m := startMatch(t, dir, games)
	if <-m.done; m.err != nil {
		t.Fatalf("%v: %s", m.err, &m.out)
	}
	same(t, played(t, config.Journal), played(t, whole.Journal))
	if want, got := read(t, whole.PGN), read(t, config.PGN); !bytes.Equal(got, want) {
		t.Errorf("the PGN differs: %s", difference(want, got))
	}
}

// matchProcess is a process that plays a match.
type matchProcess struct {
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan struct{} // closed when it has ended
	err  error         // how; after done
}

func startMatch(t *testing.T, dir string, games int) *matchProcess {
	t.Helper()
	m := &matchProcess{cmd: exec.Command(os.Args[0], "-test.run=^TestKilledMatch$"), done: make(chan struct{})}
	m.cmd.Env = append(os.Environ(), killVariable+"="+dir, killGamesVariable+"="+strconv.Itoa(games))
	m.cmd.Stdout, m.cmd.Stderr = &m.out, &m.out
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		m.err = m.cmd.Wait()
		close(m.done)
	}()
	return m
}

func (m *matchProcess) ended() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// lines counts the whole lines of a file, none where it is not there.
func lines(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return bytes.Count(data, []byte("\n"))
}
