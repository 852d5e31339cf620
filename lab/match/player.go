package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
)

// How a player fails. A player that failed by errCrash or errHang is closed and replaced. errSearch ends the match: the
// evaluation of a player in process failed, and the game in hand says nothing of either player.
var (
	errSearch  = errors.New("the search failed")
	errCrash   = errors.New("crash")
	errHang    = errors.New("no answer")
	errIllegal = errors.New("illegal move")
)

const (
	// startTime is what a player is given to get ready where Config.StartTime is not set: nets load, hash tables are
	// cleared.
	startTime = time.Minute
	// startTries is how often in a row a player is started before the match is given up.
	startTries = 3
)

// reply is a move and what was said of it. The times are zero where nothing was begun, or nothing came.
type reply struct {
	move    board.Move
	info    search.Info
	scored  bool          // info holds a score
	took    time.Duration // what the clock is charged with; of a move, arrived less begun
	begun   time.Time     // just before the player was told to go
	arrived time.Time     // when its move was there
}

// player makes moves. Errors wrap errSearch, errCrash, errHang or errIllegal, or are those of ctx.
type player interface {
	newGame(ctx context.Context) error
	// move searches the game's position. After allowance the player is told to stop, and given Config.Grace.
	move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error)
	close()
}

// local is a searcher in process.
type local struct {
	seat     *seat
	searcher search.Searcher
	busy     bool // a call is running: the searcher was abandoned
}

// guarded runs f in a goroutine of its own and sends its error, which is errCrash where it panics.
func guarded(f func()) <-chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%w: %s", errCrash, readable(fmt.Append(nil, r), 160))
			}
			done <- err
		}()
		f()
	}()
	return done
}

func (l *local) newGame(ctx context.Context) error {
	timer := time.NewTimer(l.seat.startTime())
	defer timer.Stop()
	l.busy = true
	select {
	case err := <-guarded(l.searcher.NewGame):
		l.busy = false
		return err
	case <-timer.C:
		return fmt.Errorf("%w: a new game does not begin", errHang)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// move searches. The clock runs from the call of Search to its return, both in one goroutine of their own.
func (l *local) move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error) {
	searching, stop := context.WithTimeout(ctx, allowance)
	defer stop()
	game := g.Clone() // an abandoned search keeps its own, as it does what follows
	var result search.Result
	var failed error
	r := reply{begun: time.Now()}
	times, watch := &reply{begun: r.begun}, &pvWatch{}
	watch.reset(&g.Pos, l.seat.chess960)
	l.busy = true
	done := guarded(func() {
		times.begun = time.Now()
		defer func() { times.arrived = time.Now() }()
		result, failed = l.searcher.Search(searching, game, limits, func(i search.Info) {
			if i.Text == "" && len(i.Roots) == 0 {
				watch.moves(i.PV, i.MultiPV <= 1 && i.Bound == search.Exact)
			}
		})
	})
	var err error
	select {
	case err = <-done:
	case <-searching.Done():
		timer := time.NewTimer(l.seat.config.Grace)
		defer timer.Stop()
		select {
		case err = <-done:
		case <-timer.C:
			r.took = time.Since(r.begun)
			return r, errHang
		}
	}
	l.busy = false
	r = reply{move: result.Best, info: result.Info, begun: times.begun, arrived: times.arrived}
	r.took = r.arrived.Sub(r.begun)
	r.scored = err == nil && (r.info.Depth > 0 || r.info.Nodes > 0)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		return r, err
	case failed != nil:
		return r, fmt.Errorf("%w: %w", errSearch, failed)
	case !g.Pos.IsLegal(r.move):
		return r, fmt.Errorf("%w: %#x", errIllegal, uint32(r.move))
	}
	l.report(g, watch, r.move)
	return r, nil
}

// report counts what is wrong with the variations.
func (l *local) report(g *board.Game, w *pvWatch, m board.Move) {
	if w.illegal > 0 {
		l.seat.venue.happened(l.seat.side, illegalPV, w.illegal, "an illegal move in the variation "+w.example)
	}
	if w.first != board.NullMove && w.first != m {
		l.seat.venue.happened(l.seat.side, otherMove, 1, fmt.Sprintf("it moves %s, and its variation begins with %s",
			g.Pos.UCI(m, w.chess960), g.Pos.UCI(w.first, w.chess960)))
	}
}

func (l *local) close() {
	if l.busy {
		return
	}
	defer func() { _ = recover() }() // what crashed may crash again
	l.searcher.Close()
}

// seat is one player at one board: what it is, and the instance that plays, nil until it is needed.
type seat struct {
	config    *Config
	spec      *Player
	name      string
	condition condition
	chess960  bool
	venue     *venue
	side      int // 0: A, 1: B
	slot      slot
	player    player
}

func (s *seat) startTime() time.Duration {
	if s.config.StartTime > 0 {
		return s.config.StartTime
	}
	return startTime
}

// ready starts the player where none runs, and begins a new game. A player that crashes or hangs at that is replaced;
// an error means that it did so three times in a row, or cannot be started for a reason that another try would not
// change.
func (s *seat) ready(ctx context.Context) error {
	for started := 0; ; {
		if s.player == nil {
			started++
		}
		err := s.begin(ctx)
		if err == nil {
			return nil
		}
		s.close()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, errCrash) && !errors.Is(err, errHang):
			return fmt.Errorf("%s cannot be started: %w", s.name, err)
		case started == startTries:
			return fmt.Errorf("%s cannot be started, %d times in a row: %w", s.name, started, err)
		}
		s.venue.happened(s.side, restarted, 1, fmt.Sprintf("it is started again: %v", err))
	}
}

func (s *seat) begin(ctx context.Context) error {
	if s.player == nil {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	if err := s.player.newGame(ctx); err != nil {
		return fmt.Errorf("new game: %w", err)
	}
	return nil
}

func (s *seat) start(ctx context.Context) error {
	if s.spec.Cmd != "" {
		e, err := startEngine(ctx, s)
		if err != nil {
			return err
		}
		s.player = e
		return nil
	}
	searcher, err := s.config.Searcher(*s.spec)
	if err != nil {
		return err
	}
	s.player = &local{seat: s, searcher: searcher}
	return nil
}

func (s *seat) close() {
	if s.player != nil {
		s.player.close()
		s.player = nil
	}
}
