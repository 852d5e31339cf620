package match

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/lab/work"
	"tesla/search"
)

// score is the result of a game for White.
type score int8

const (
	blackWins score = -1
	drawn     score = 0
	whiteWins score = 1
)

func (s score) text() string { return [...]string{"0-1", "1/2-1/2", "1-0"}[s+1] }

// record is a finished game. Index 0 is White.
type record struct {
	fixture
	opening     int // index in the file
	date        time.Time
	commit      string // of the program that played it
	names       [2]string
	conditions  [2]player.Condition
	aWhite      bool // the first player of the pairing has White
	game        *board.Game
	book        int // moves of the opening; they are not in moves
	plies       int // of the finished game
	moves       []reply
	score       score
	reason      string // in words
	tables      bool   // endgame tables ended it
	termination string // PGN: normal, adjudication, time forfeit, rules infraction, abandoned
	failed      int    // side whose failure ended it; -1: none
	failure     error  // errCrash, errHang or errIllegal, or errTime
	incidents   []incidentLine
	origin      work.Origin
	plays       []string // backend and net of White and Black; nil: not known of either
	ponder      [2]stats.Pondering
}

var errTime = errors.New("time")

// clocks are those of both sides. Side 0 is White.
type clocks struct {
	left [2]time.Duration // to the end of the period
	made [2]int           // moves
}

// play plays one game to its end, from a record that newRecord made, and returns the record. An error means that the
// game was cancelled or could not be played: a player could not be started, or a search failed.
func play(ctx context.Context, config *Config, r *record, seats [2]*seat) (*record, error) {
	var clock clocks
	defer r.conclude(ctx, seats)
	watched := seats[0].venue.watched()
	watched.show(r)
	defer watched.end(r)
	for side, s := range seats {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
		clock.left[side] = s.condition.Clock.Base
	}
	for {
		side := sideToMove(&r.game.Pos)
		if config.Adjudication.over(r) {
			return r, nil
		}
		s := seats[side]
		if config.Ponder {
			limits, _ := clock.limits(config, seats, 1-side)
			r.startPondering(ctx, seats[1-side], limits)
		}
		limits, allowance := clock.limits(config, seats, side)
		answer, err := s.move(ctx, r, limits, allowance)
		s.venue.between(r.moves, &answer)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(err, errSearch):
			return nil, fmt.Errorf("%s: %w", s.name, err)
		case errors.Is(err, errHang) && s.abandoned():
			return nil, fmt.Errorf("%s hangs in %d games in a row: %w", s.name, s.hangs, err)
		case errors.Is(err, errCrash), errors.Is(err, errHang):
			s.close()
		}
		s.compareNodes(r, &answer, err)
		if err == nil && answer.took > allowance {
			err = fmt.Errorf("%w: %v over its time and the margin", errTime, (answer.took - allowance).Round(100*time.Microsecond))
		}
		if err != nil {
			r.fail(side, s.name, err)
			return r, nil
		}
		clock.spend(&s.condition.Clock, side, answer.took)
		r.game.Play(answer.move)
		r.moves = append(r.moves, answer)
		watched.show(r)
		r.countPondering(1-side, seats[1-side], answer.move)
	}
}

// conclude ends pondering, and takes what happened in the game and what the players played with from their seats.
func (r *record) conclude(ctx context.Context, seats [2]*seat) {
	plays := make([]string, 2)
	for side, s := range seats {
		s.rest(ctx)
		r.incidents = append(r.incidents, s.take()...)
		if s.venue != nil {
			both, _ := s.venue.conduct([2]int{s.side, s.side})
			plays[side] = both[0]
		}
		if side != r.failed || !errors.Is(r.failure, errHang) {
			s.hangs = 0
		}
	}
	if plays[0]+plays[1] != "" {
		r.plays = plays
	}
}

func sideToMove(p *board.Position) int {
	if p.Black {
		return 1
	}
	return 0
}

// limits are the search limits of the side, and the time after which it has lost or is taken to hang.
func (k *clocks) limits(config *Config, seats [2]*seat, side int) (search.Limits, time.Duration) {
	c, session := &seats[side].condition, &seats[side].session
	l := search.Limits{Nodes: c.Nodes, Evals: c.Evals, MoveTime: c.MoveTime, MoveOverhead: config.Patience.Overhead,
		MultiPV: session.MultiPV}
	if session.Overhead != nil {
		l.MoveOverhead = *session.Overhead
	}
	switch {
	case c.Clock != player.Clock{}:
		for i, of := range [2]int{side, 1 - side} {
			l.Time[i], l.Inc[i] = k.left[of], seats[of].condition.Clock.Increment
		}
		l.HasClock = true
		if c.Clock.Moves > 0 {
			l.MovesToGo = c.Clock.Moves - k.made[side]%c.Clock.Moves
		}
		return l, k.left[side] + config.Patience.Margin
	case c.MoveTime > 0:
		return l, c.MoveTime + config.Patience.Margin
	}
	return l, config.Patience.Hang
}

// spend takes the time of a move from the clock and adds what the move earns.
func (k *clocks) spend(c *player.Clock, side int, took time.Duration) {
	k.made[side]++
	k.left[side] = max(k.left[side]-took, 0) + c.Increment
	if c.Moves > 0 && k.made[side]%c.Moves == 0 {
		k.left[side] += c.Base
	}
}

// fail ends the game as a loss of the side.
func (r *record) fail(side int, name string, err error) {
	r.failed = side
	r.score = score(2*side - 1)
	for _, f := range []struct {
		err               error
		termination, text string
	}{
		{errTime, "time forfeit", "loses on time"},
		{errHang, "time forfeit", "does not answer"},
		{errIllegal, "rules infraction", "plays an illegal move"},
		{errCrash, "abandoned", "crashes"},
	} {
		if errors.Is(err, f.err) {
			r.failure, r.termination = f.err, f.termination
			r.reason = fmt.Sprintf("%s %s", name, f.text)
			if detail := strings.TrimPrefix(err.Error(), f.err.Error()); detail != "" {
				r.reason += ": " + strings.TrimPrefix(detail, ": ")
			}
			return
		}
	}
	r.failure, r.termination, r.reason = errCrash, "abandoned", fmt.Sprintf("%s fails: %v", name, err)
}

// pointsOfA are A's half points, 0..2.
func (r *record) pointsOfA() int {
	if r.aWhite {
		return 1 + int(r.score)
	}
	return 1 - int(r.score)
}

// fact is what the statistics keep of the game.
func (r *record) fact() stats.GameFact {
	f := stats.GameFact{Game: r.local(), AWhite: r.aWhite, Points: r.pointsOfA(), Plies: r.plies, Tables: r.tables, Ponder: r.ponder}
	if !r.aWhite {
		f.Ponder = [2]stats.Pondering{r.ponder[1], r.ponder[0]}
	}
	switch {
	case r.failure == nil:
	case errors.Is(r.failure, errTime), errors.Is(r.failure, errHang):
		f.Failure = stats.FailureTime
	case errors.Is(r.failure, errIllegal):
		f.Failure = stats.FailureIllegal
	default:
		f.Failure = stats.FailureCrash
	}
	return f
}
