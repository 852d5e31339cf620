package external

import (
	"context"
	"errors"
	"os"
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
