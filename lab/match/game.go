package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/search"
)

// The results of a game.
const (
	whiteWins = "1-0"
	drawn     = "1/2-1/2"
	blackWins = "0-1"
)

var (
	wins     = [2]string{whiteWins, blackWins} // by the side that wins
	verdicts = map[string]string{whiteWins: "White wins", drawn: "Draw", blackWins: "Black wins"}
)

// record is a game of this match: its line in the journal, which grows as it is played, and where it stands.
type record struct {
	fixture
	gameLine
	game *board.Game
	book int    // moves of the opening
	last reply  // of the player that moved last
	text string // its PGN, where that was made before its turn
}

var errTime = errors.New("time")

// failure is how a player loses a game other than by play.
type failure struct {
	name        string // in the journal
	err         error
	counts      stats.Failure
	termination string // PGN
	text        string
}

var failures = []failure{
	{"time", errTime, stats.FailureTime, "time forfeit", "loses on time"},
	{"hang", errHang, stats.FailureTime, "time forfeit", "does not answer"},
	{"illegal", errIllegal, stats.FailureIllegal, "rules infraction", "plays an illegal move"},
	{"crash", errCrash, stats.FailureCrash, "abandoned", "crashes"},
}

// failureOf is the failure of a name; nothing is set where there is none.
func failureOf(name string) failure {
	if i := slices.IndexFunc(failures, func(f failure) bool { return f.name == name }); i >= 0 {
		return failures[i]
	}
	return failure{}
}

// clocks are those of both sides. Side 0 is White.
type clocks struct {
	left [2]time.Duration // to the end of the period
	made [2]int           // moves
}

// play plays one game to its end, from a record that newRecord made. An error means that the game was cancelled or could not
// be played: a player could not be started, or a search failed.
func play(ctx context.Context, config *Config, r *record, seats [2]*seat) error {
	var clock clocks
	defer r.conclude(ctx, seats)
	watched := seats[0].shared.progress
	watched.show(r)
	defer watched.end(r)
	for side, s := range seats {
		if err := s.ready(ctx); err != nil {
			return err
		}
		clock.left[side] = s.condition.Clock.Base
	}
	for {
		side := sideToMove(&r.game.Pos)
		if config.Adjudication.over(r) {
			return nil
		}
		s := seats[side]
		if config.Ponder {
			limits, _ := clock.limits(config, seats, 1-side)
			seats[1-side].ponder(ctx, r.game, &r.last, limits)
		}
		limits, allowance := clock.limits(config, seats, side)
		answer, err := s.move(ctx, r, limits, allowance)
		s.shared.between(&r.last, &answer)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case errors.Is(err, errSearch):
			return fmt.Errorf("%s: %w", s.name, err)
		case errors.Is(err, errHang) && s.abandoned():
			return fmt.Errorf("%s hangs in %d games in a row: %w", s.name, s.hangs, err)
		case errors.Is(err, errCrash), errors.Is(err, errHang):
			s.close()
		}
		s.compareNodes(r, &answer, err)
		if err == nil && answer.took > allowance {
			err = fmt.Errorf("%w: %v over its time and the margin", errTime, (answer.took - allowance).Round(100*time.Microsecond))
		}
		if err != nil {
			r.fail(side, s.name, err)
			return nil
		}
		clock.spend(&s.condition.Clock, side, answer.took)
		r.Moves = append(r.Moves, answer.line(r.game.Pos.UCI(answer.move, config.Openings.Chess960)))
		r.game.Play(answer.move)
		r.last = answer
		watched.show(r)
		r.countPondering(1-side, seats[1-side], answer.move)
	}
}

// conclude ends pondering, and notes what happened in the game and what the players played with.
func (r *record) conclude(ctx context.Context, seats [2]*seat) {
	r.Plies, r.last = len(r.Moves), reply{}
	plays := make([]string, 2)
	for side, s := range seats {
		s.rest(ctx)
		r.Incidents = append(r.Incidents, s.take()...)
		plays[side], _ = s.shared.identity(s.side)
		if r.Failure != "hang" || r.Result == wins[side] {
			s.hangs = 0
		}
	}
	if plays[0]+plays[1] != "" {
		r.Plays = plays
	}
}

func sideToMove(p *board.Position) int { return side(p.Black) }

// side is the index of a colour: White is 0.
func side(black bool) int {
	if black {
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
	r.Result = wins[1-side]
	for _, f := range failures {
		if !errors.Is(err, f.err) {
			continue
		}
		r.Failure, r.Termination = f.name, f.termination
		r.Reason = fmt.Sprintf("%s %s", name, f.text)
		if detail := strings.TrimPrefix(err.Error(), f.err.Error()); detail != "" {
			r.Reason += ": " + strings.TrimPrefix(detail, ": ")
		}
		return
	}
	r.Failure, r.Termination, r.Reason = "crash", "abandoned", fmt.Sprintf("%s fails: %v", name, err)
}
