package match

import (
	"context"
	"errors"
	"fmt"
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

// startLocal makes the searcher of a seat.
func startLocal(ctx context.Context, s *seat) (*local, error) {
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

func (l *local) newGame(ctx context.Context) error {
	starting, stop := context.WithTimeout(ctx, l.seat.config.Patience.Start)
	defer stop()
	err := l.searcher.NewGame(starting)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, watchdog.ErrHang):
		return fmt.Errorf("%w: a new game does not begin", errHang)
	case err != nil:
		return callFailure(err)
	}
	return nil
}

// move searches. The clock runs from the call of Search to its return, both in one goroutine.
func (l *local) move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error) {
	searching, stop := context.WithTimeout(ctx, allowance)
	defer stop()
	watch := &client.PVChecker{}
	watch.Reset(&g.Pos, l.seat.chess960)
	begun := time.Now()
	result, err := l.searcher.Search(searching, g, limits, func(i search.Info) {
		if i.Text == "" && len(i.Roots) == 0 {
			watch.Moves(i.PV, i.MultiPV <= 1 && i.Bound == search.Exact)
		}
	})
	if ctx.Err() != nil {
		return reply{}, ctx.Err()
	}
	r := reply{move: result.Best, info: result.Info, begun: l.searcher.Begun, arrived: l.searcher.Arrived}
	r.took = r.arrived.Sub(r.begun)
	if err != nil {
		r.took = time.Since(begun)
		if err = callFailure(err); !errors.Is(err, errHang) && !errors.Is(err, errCrash) {
			err = fmt.Errorf("%w: %w", errSearch, err)
		}
		return r, err
	}
	r.scored = r.info.Depth > 0 || r.info.Nodes > 0
	if !g.Pos.IsLegal(r.move) {
		return r, fmt.Errorf("%w: %#x", errIllegal, uint32(r.move))
	}
	l.report(g, watch, r.move)
	return r, nil
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

// close frees the searcher. What goes wrong at that, such as a second crash after a first, is of no interest.
func (l *local) close() { _ = l.searcher.Close() }

// kill is close: nothing in this process can be killed.
func (l *local) kill() { l.close() }
