package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
)

// ErrNoMove is wrapped by the error of a search that found no move.
var ErrNoMove = errors.New("no move was found")

// Searcher is a searcher whose calls end, be it stuck or not. It is opened by the first of them.
type Searcher struct {
	Name string
	Open func() (search.Searcher, error)

	running *watchdog.Searcher // nil: not open
	stuck   bool               // a call has not returned
}

// Unwrap is the searcher that is called, nil before it was opened.
func (s *Searcher) Unwrap() search.Searcher {
	if s.running == nil {
		return nil
	}
	return s.running.Unwrap()
}

// NewGame opens the searcher where it is not open, and clears its tree and its tables.
func (s *Searcher) NewGame(ctx context.Context) (err error) {
	if s.stuck {
		return watchdog.ErrHang
	}
	if s.running == nil {
		if s.running, err = watchdog.Open(ctx, watchdog.Grace, s.Open); err != nil {
			return s.ended(ctx, err)
		}
	}
	return s.ended(ctx, s.running.NewGame(ctx))
}

// Search searches as search.Searcher does, after NewGame. It is an error if ctx ends, or if the search takes longer than its
// limits can explain: then it is stuck.
func (s *Searcher) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if most := patience(&l); most > 0 {
		var stop context.CancelCauseFunc
		ctx, stop = context.WithCancelCause(ctx)
		defer stop(nil)
		go watch(ctx, most, stop)
	}
	r, err := s.running.Search(ctx, g, l, report)
	return r, s.ended(ctx, err)
}

// watch stops a search after a time, in which this process ran: one that was stopped and continued counts no ticks.
func watch(ctx context.Context, most time.Duration, stop context.CancelCauseFunc) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for left := most; left > 0; left -= time.Second {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
	stop(fmt.Errorf("%w within %v", watchdog.ErrHang, most))
}

// FromNothing searches a position with an empty tree and cleared tables. It is an error if there is no move.
func (s *Searcher) FromNothing(ctx context.Context, p *board.Position, l search.Limits, report func(search.Info)) (r search.Result, err error) {
	if err = s.NewGame(ctx); err != nil {
		return r, err
	}
	r, err = s.Search(ctx, board.NewGame(*p), l, report)
	if err == nil && r.Best == board.NullMove {
		err = fmt.Errorf("%w in %s", ErrNoMove, p.FEN(true))
	}
	return r, err
}

// Close closes the searcher where it was opened.
func (s *Searcher) Close() error {
	if s.running == nil {
		return nil
	}
	err := s.running.Close()
	s.running = nil
	return err
}

// ended is the reason for the end of ctx where it has ended, else the error. It wraps watchdog.ErrHang where a call has not
// returned.
func (s *Searcher) ended(ctx context.Context, err error) error {
	s.stuck = s.stuck || errors.Is(err, watchdog.ErrHang)
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return err
	case s.stuck && !errors.Is(cause, watchdog.ErrHang):
		return fmt.Errorf("%w: %w", cause, watchdog.ErrHang)
	}
	return cause
}

// patience is how long a search may take before it counts as stuck: its time or, for each node and evaluation, what a large
// net on one core takes several times over, and a minute. It is 0, without an end, where depth alone limits the search.
func patience(l *search.Limits) time.Duration {
	const each, most = 20 * time.Millisecond, int64(1e9)
	known := l.MoveTime + time.Duration(min(l.Nodes, most)+min(l.Evals, most))*each
	if known == 0 {
		return 0
	}
	return known + time.Minute
}
