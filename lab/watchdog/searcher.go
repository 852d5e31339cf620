package watchdog

import (
	"context"
	"errors"
	"sync"
	"time"

	"tesla/board"
	"tesla/search"
)

// Searcher is a searcher whose calls end. After one that returned ErrHang it is abandoned: only Close may be called.
// Its methods but PonderHit are called from one goroutine at a time.
type Searcher struct {
	inner search.Searcher
	grace time.Duration
	hung  bool // a call is still running

	// Begun and Arrived are when the last search that returned was called and when it returned.
	Begun, Arrived time.Time
}

// New makes a Searcher of one that it will close.
func New(s search.Searcher, grace time.Duration) *Searcher { return &Searcher{inner: s, grace: grace} }

// Open makes a searcher. One that is made after Open has given up is closed.
func Open(ctx context.Context, grace time.Duration, factory func() (search.Searcher, error)) (*Searcher, error) {
	s, err := Call(ctx, grace, factory, func(s search.Searcher) { _ = s.Close() })
	if err != nil {
		return nil, err
	}
	return New(s, grace), nil
}

// Unwrap is the searcher that is called.
func (s *Searcher) Unwrap() search.Searcher { return s.inner }

// NewGame forgets the game before.
func (s *Searcher) NewGame(ctx context.Context) error {
	_, err := Call(ctx, s.grace, func() (struct{}, error) {
		s.inner.NewGame()
		return struct{}{}, nil
	}, nil)
	s.hung = s.hung || errors.Is(err, ErrHang)
	return err
}

// Search searches as search.Searcher does. An abandoned search keeps a copy of the game, and its reports are dropped.
func (s *Searcher) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	type timed struct {
		search.Result
		begun, arrived time.Time
	}
	var gate reports
	if report != nil {
		gate.to = report
		report = gate.pass
	}
	game := g.Clone()
	r, err := Call(ctx, s.grace, func() (r timed, err error) {
		r.begun = time.Now()
		r.Result, err = s.inner.Search(ctx, game, l, report)
		r.arrived = time.Now()
		return r, err
	}, nil)
	if errors.Is(err, ErrHang) {
		gate.close()
		s.hung = true
	}
	s.Begun, s.Arrived = r.begun, r.arrived
	return r.Result, err
}

// PonderHit starts the clock of a search with search.Limits.Ponder. It may be called while Search runs.
func (s *Searcher) PonderHit() { s.inner.PonderHit() }

// Close closes the searcher, unless it hangs or was abandoned before. A searcher that does not close is no error: there is
// nothing that the caller could do.
func (s *Searcher) Close() error {
	if s.hung {
		return nil
	}
	ended, end := context.WithCancel(context.Background())
	end() // the grace time begins now
	_, err := Call(ended, s.grace, func() (struct{}, error) { return struct{}{}, s.inner.Close() }, nil)
	if errors.Is(err, ErrHang) {
		s.hung = true
		return nil
	}
	return err
}

// reports pass on what a search reports until it is abandoned.
type reports struct {
	mu     sync.Mutex
	to     func(search.Info)
	closed bool
}

func (r *reports) pass(i search.Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.to(i)
	}
}

func (r *reports) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}
