package external

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
	"tesla/uci/client/clienttest"
)

func TestMain(m *testing.M) {
	if clienttest.Main() {
		return
	}
	os.Exit(m.Run())
}

// asked asks an engine in a mode of package clienttest a number of questions. Each search may take the limit.
func asked(t *testing.T, ctx context.Context, mode string, questions int, limit time.Duration) (restarts []string, err error) {
	t.Helper()
	e := New(client.Config{Path: clienttest.Script(t, mode), StartTime: 20 * time.Second}, search.Limits{Nodes: 10}, true,
		func(text string) { restarts = append(restarts, text) })
	e.most = limit
	defer e.Close()
	for range questions {
		if err := e.Ask(ctx, board.NewGame(board.StartPosition()), func(*client.Answer) error { return nil }); err != nil {
			return restarts, err
		}
	}
	return restarts, nil
}

// An engine that hangs or crashes at its third search is started anew and answers the question then.
func TestRestart(t *testing.T) {
	for mode, reason := range map[string]error{"hang": client.ErrHang, "crash": client.ErrCrash, "illegal": client.ErrIllegal, "crashgame": client.ErrCrash} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			restarts, err := asked(t, t.Context(), mode, 3, 300*time.Millisecond)
			if err != nil || len(restarts) == 0 || !strings.Contains(restarts[0], reason.Error()) {
				t.Errorf("%v, restarts %q", err, restarts)
			}
		})
	}
}

// A question that fails each time has the last reason. An engine that never worked is not started again.
func TestFails(t *testing.T) {
	refused := errors.New("refused")
	restarts := 0
	e := New(client.Config{Path: clienttest.Script(t, "sound")}, search.Limits{Nodes: 10}, false, func(string) { restarts++ })
	defer e.Close()
	err := e.Ask(t.Context(), board.NewGame(board.StartPosition()), func(*client.Answer) error { return refused })
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "3 times") || restarts != tries-1 {
		t.Errorf("%v after %d restarts", err, restarts)
	}
	if restarts, err := asked(t, t.Context(), "dies", 1, time.Second); !errors.Is(err, client.ErrCrash) || len(restarts) > 0 {
		t.Errorf("%v, restarts %q", err, restarts)
	}
}

// The end of the context ends a question at once.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := asked(t, ctx, "hang", 3, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

// The limit follows what the engine took before.
func TestPatience(t *testing.T) {
	e := New(client.Config{}, search.Limits{Nodes: 1000}, false, nil)
	for _, c := range []struct {
		answers       int
		slowest, want time.Duration
	}{
		{0, 0, 61 * time.Second}, {knownAnswers, 10 * time.Millisecond, leastTime}, {knownAnswers, time.Second, 20 * time.Second},
		{knownAnswers, time.Minute, 61 * time.Second},
	} {
		e.answers, e.slowest = c.answers, c.slowest
		if got := e.patience(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A game that only Chess960 has is asked in the mode UCI_Chess960, also after other games. The engine castles where it
// can: outside the mode it says so by the king's two squares, which mean another move here. An engine without the mode
// fails at once.
func TestChess960(t *testing.T) {
	standard, err := board.ParseFEN("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
	shuffled, err2 := board.ParseFEN("4k3/8/8/8/8/8/8/4KR2 w F - 0 1")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	e := New(client.Config{Path: clienttest.Script(t, "castles")}, search.Limits{Nodes: 10}, false, func(text string) { t.Error(text) })
	defer e.Close()
	for _, p := range []board.Position{standard, shuffled, standard, shuffled} {
		if err := e.Ask(t.Context(), board.NewGame(p), func(a *client.Answer) error {
			if !a.Move.IsCastling() {
				t.Errorf("%s: %s", p.FEN(true), p.UCI(a.Move, true))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "engine")
	if err := clienttest.WriteScript(path, "#!/bin/sh\nwhile read l; do case $l in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done\n"); err != nil {
		t.Fatal(err)
	}
	old := New(client.Config{Path: path}, search.Limits{Nodes: 10}, false, func(text string) { t.Error(text) })
	defer old.Close()
	if err := old.Ask(t.Context(), board.NewGame(shuffled), nil); !errors.Is(err, client.ErrOption) || !strings.Contains(err.Error(), "UCI_Chess960") {
		t.Error(err)
	}
}
