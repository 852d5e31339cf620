package annotate

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
)

// stuck is a searcher that does not answer after a number of searches.
type stuck struct {
	search.Searcher
	left    int
	release chan struct{}
}

func (s *stuck) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if s.left--; s.left < 0 {
		<-s.release
	}
	return s.Searcher.Search(ctx, g, l, report)
}

// TestStuck ends a run whose searcher does not answer. What was found before is in the journal.
func TestStuck(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.pgn")
	write(t, in, "1. a3 a6 *")
	cfg := config(t, in)
	cfg.Limits = search.Limits{Nodes: 800}
	synctest.Test(t, func(t *testing.T) {
		answers := &stating{moves: []string{"a2a3", "a7a6"}, value: func(int, int64) (int, float64) { return 20, 0.02 }}
		s := &stuck{answers, 2, make(chan struct{})}
		f, err := Open(cfg)
		if err == nil {
			err = f.Run(t.Context(), s, label)
		}
		if !errors.Is(err, watchdog.ErrHang) || !strings.Contains(err.Error(), "start again to go on") {
			t.Error(err)
		}
		close(s.release)
	})
	if n := strings.Count(read(t, cfg.Journal()), "\n"); n != 1+2 {
		t.Errorf("%d lines in the journal", n)
	}
}
