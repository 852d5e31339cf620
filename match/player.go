package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
)

// How a player fails. A player that failed by errCrash or errHang is closed and replaced.
var (
	errCrash   = errors.New("crash")
	errHang    = errors.New("no answer")
	errIllegal = errors.New("illegal move")
)

const (
	// startTime is what a player is given to get ready: nets load, hash tables are cleared.
	startTime = time.Minute
	// quitTime is what an engine is given to end after it was told to quit.
	quitTime = 2 * time.Second
)

// reply is a move and what was said of it.
type reply struct {
	move   board.Move
	info   search.Info
	scored bool // info holds a score
	took   time.Duration
}

// player makes moves. Errors wrap errCrash, errHang or errIllegal, or are those of ctx.
type player interface {
	newGame(ctx context.Context) error
	// move searches the game's position. After allowance the player is told to stop, and given Config.Grace.
	move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error)
	close()
}

// local is a searcher in process.
type local struct {
	searcher search.Searcher
	grace    time.Duration
	busy     bool // a search is running: the searcher was abandoned
}

func (l *local) newGame(context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errCrash, r)
		}
	}()
	l.searcher.NewGame()
	return nil
}

func (l *local) move(ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration) (reply, error) {
	type answer struct {
		result search.Result
		took   time.Duration
		err    error
	}
	searching, stop := context.WithTimeout(ctx, allowance)
	defer stop()
	answers := make(chan answer, 1)
	game := g.Clone() // an abandoned search keeps its own
	l.busy = true
	go func() {
		var a answer
		begin := time.Now()
		defer func() {
			if r := recover(); r != nil {
				a.err = fmt.Errorf("%w: %v", errCrash, r)
			}
			a.took = time.Since(begin)
			answers <- a
		}()
		a.result = l.searcher.Search(searching, game, limits, func(search.Info) {})
	}()
	var a answer
	select {
	case a = <-answers:
	case <-searching.Done():
		select {
		case a = <-answers:
		case <-time.After(l.grace):
			return reply{took: allowance + l.grace}, errHang
		}
	}
	l.busy = false
	r := reply{move: a.result.Best, info: a.result.Info, took: a.took}
	r.scored = a.err == nil && (r.info.Depth > 0 || r.info.Nodes > 0)
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case a.err != nil:
		return r, a.err
	case !g.Pos.IsLegal(r.move):
		return r, fmt.Errorf("%w: %#x", errIllegal, uint32(r.move))
	}
	return r, nil
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
	player    player
}

// ready starts the player where none runs, and begins a new game. An error means that it cannot be started.
func (s *seat) ready(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		fresh := s.player == nil
		if fresh {
			if err := s.start(ctx); err != nil {
				return fmt.Errorf("%s: cannot start: %w", s.name, err)
			}
		}
		err := s.player.newGame(ctx)
		if err == nil {
			return nil
		}
		s.close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if fresh || attempt > 0 {
			return fmt.Errorf("%s: new game: %w", s.name, err)
		}
	}
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
	s.player = &local{searcher: searcher, grace: s.config.Grace}
	return nil
}

func (s *seat) close() {
	if s.player != nil {
		s.player.close()
		s.player = nil
	}
}
