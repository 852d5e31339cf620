package match

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
	"tesla/uci/client"
)

// local is a searcher in process.
type local struct {
	seat     *seat
	searcher *watchdog.Searcher
	thought  *thought // on which it ponders; nil: none
}

// thought is one search.
type thought struct {
	game   *board.Game
	watch  client.PVChecker
	line   [2]board.Move // how the last variation began that was reported; NullMove: not known
	hit    atomic.Bool   // the opponent made the move, and the search has not said anything since
	cancel context.CancelFunc
	done   chan struct{} // closed when the search has returned; then the next two are set
	result search.Result
	err    error
}

// A searcher that was made before is given restartFactor times as long to be made again, and at least leastRestart.
// Where a device hangs, the match then says so sooner than after three times Patience.Start.
const (
	restartFactor = 4
	leastRestart  = 5 * time.Second
)

// makeTime is how long the searcher of the seat may take to be made.
func (s *seat) makeTime() time.Duration {
	if s.made == 0 {
		return s.config.Patience.Start
	}
	return min(s.config.Patience.Start, max(restartFactor*s.made, leastRestart))
}

func startLocal(ctx context.Context, s *seat) (instance, error) {
	begun := time.Now()
	starting, stop := context.WithTimeout(ctx, s.makeTime())
	defer stop()
	searcher, err := watchdog.Open(starting, s.config.Patience.Grace, func() (search.Searcher, error) {
		return s.config.InProcess.Searcher(searcherOf(s.spec))
	})
	switch {
	case ctx.Err() != nil && searcher != nil:
		return nil, errors.Join(ctx.Err(), searcher.Close())
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, callFailure(err)
	}
	s.made = max(s.made, time.Since(begun), 1)
	s.identify(playsOf(searcher))
	return &local{seat: s, searcher: searcher}, nil
}

// callFailure is how a player failed whose call ended with the error.
func callFailure(err error) error {
	var panicked *watchdog.Panic
	switch {
	case errors.Is(err, watchdog.ErrHang):
		return errHang
	case errors.As(err, &panicked):
		return fmt.Errorf("%w: %s", errCrash, client.Printable(fmt.Append(nil, panicked.Value), 160))
	}
	return err
}

func (l *local) NewGame(ctx context.Context) error {
	starting, stop := context.WithTimeout(ctx, l.seat.config.Patience.Start)
	defer stop()
	err := l.searcher.NewGame(starting)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, watchdog.ErrHang):
		return fmt.Errorf("%w: new game not begun", errHang)
	case err != nil:
		return callFailure(err)
	}
	return nil
}

// think searches, in a goroutine that ends with the search. A searcher that is told of a ponderhit before its search has
// begun does not hear it, so it is told again with its first report.
func (l *local) think(ctx context.Context, g *board.Game, limits search.Limits) *thought {
	t := &thought{game: g, done: make(chan struct{})}
	ctx, t.cancel = context.WithCancel(ctx)
	t.watch.Reset(&g.Pos, l.seat.chess960)
	go func() {
		defer close(t.done)
		t.result, t.err = l.searcher.Search(ctx, g, limits, func(i search.Info) {
			if t.hit.CompareAndSwap(true, false) {
				l.searcher.PonderHit()
			}
			if i.Text != "" || len(i.Roots) > 0 {
				return
			}
			t.watch.Moves(i.PV, i.MultiPV <= 1 && i.Bound != search.Upper)
			if i.MultiPV <= 1 && len(i.PV) > 1 {
				t.line = [2]board.Move(i.PV)
			}
		})
	}()
	return t
}

// move searches. The clock runs from the call of Search to its return, both in one goroutine.
func (l *local) move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error) {
	return l.wait(ctx, l.think(ctx, g, limits), allowance)
}

// expected is the reply that the searcher expects: what it says, or the second move of its variation.
func (t *thought) expected() board.Move {
	pv := t.result.Info.PV
	switch {
	case t.result.Ponder != board.NullMove:
		return t.result.Ponder
	case len(pv) > 1 && pv[0] == t.result.Best:
		return pv[1]
	case t.line[0] == t.result.Best:
		return t.line[1]
	}
	return board.NullMove
}

// wait waits for a search, which it stops after the allowance.
func (l *local) wait(ctx context.Context, t *thought, allowance time.Duration) (reply, error) {
	defer t.cancel()
	begun := time.Now()
	defer time.AfterFunc(allowance, t.cancel).Stop()
	<-t.done
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	r := reply{move: t.result.Best, info: t.result.Info, begun: l.searcher.Begun, arrived: l.searcher.Arrived}
	r.info.Score = r.info.Shown() // as an engine of its own would say it
	r.took = r.arrived.Sub(r.begun)
	if t.err != nil {
		r.took = time.Since(begun)
		err := callFailure(t.err)
		if !errors.Is(err, errHang) && !errors.Is(err, errCrash) {
			err = fmt.Errorf("%w: %w", errSearch, err)
		}
		return r, err
	}
	r.scored = r.info.Depth > 0 || r.info.Nodes > 0
	if !t.game.Pos.IsLegal(r.move) {
		return r, fmt.Errorf("%w: %#x", errIllegal, uint32(r.move))
	}
	r.ponder = t.expected()
	l.report(t.game, &t.watch, r.move)
	return r, nil
}

func (l *local) ponder(ctx context.Context, g *board.Game, limits search.Limits) error {
	l.thought = l.think(ctx, g, limits)
	return nil
}

// hit starts the clock of the search, unless it has ended already.
func (l *local) hit(ctx context.Context, allowance time.Duration) (reply, error) {
	t, begun := l.thought, time.Now()
	l.thought = nil
	t.hit.Store(true)
	l.searcher.PonderHit()
	r, err := l.wait(ctx, t, allowance)
	if !r.begun.IsZero() {
		r.begun = begun
		r.took = max(r.arrived.Sub(begun), 0)
	}
	return r, err
}

func (l *local) miss(context.Context) error {
	t := l.thought
	l.thought = nil
	t.cancel()
	<-t.done
	return callFailure(t.err)
}

// report counts what is wrong with the variations.
func (l *local) report(g *board.Game, w *client.PVChecker, m board.Move) {
	if w.Illegal > 0 {
		l.seat.happened(illegalPV, w.Illegal, "an illegal move in the variation "+w.Example)
	}
	if w.First != board.NullMove && w.First != m {
		l.seat.happened(otherMove, 1, fmt.Sprintf("it moves %s, and its variation begins with %s",
			g.Pos.UCI(m, l.seat.chess960), g.Pos.UCI(w.First, l.seat.chess960)))
	}
}

// Close frees the searcher. What goes wrong at that, such as a second crash after a first, is of no interest.
func (l *local) Close() { _ = l.searcher.Close() }

// Kill is Close: nothing in this process can be killed.
func (l *local) Kill() { l.Close() }
