package match

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
)

// score is the end of a game for White.
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
	names       [2]string
	conditions  [2]condition
	aWhite      bool // the first player of the pairing has White
	game        *board.Game
	book        int // moves of the opening, not in moves
	plies       int // of the finished game
	moves       []reply
	score       score
	reason      string // in words
	termination string // PGN: normal, adjudication, time forfeit, rules infraction, abandoned
	failed      int    // side whose failure ended it, else -1
	failure     error  // errCrash, errHang or errIllegal, or errTime
}

var errTime = errors.New("time")

// clocks of both sides. Side 0 is White.
type clocks struct {
	left [2]time.Duration
	made [2]int // moves
}

// play plays one game to its end from a record that newRecord made, and returns it. An error means that it could not
// be played, or was cancelled.
func play(ctx context.Context, config *Config, r *record, seats [2]*seat) (*record, error) {
	var clock clocks
	for side, s := range seats {
		if err := s.ready(ctx); err != nil {
			return nil, err
		}
		clock.left[side] = s.condition.Clock.Base
	}
	for {
		side := sideToMove(&r.game.Pos)
		if over(config, r) {
			return r, nil
		}
		s := seats[side]
		limits, allowance := clock.limits(config, seats, side)
		answer, err := s.player.move(ctx, r.game, limits, allowance)
		s.venue.between(r.moves, &answer)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(err, errSearch):
			return nil, fmt.Errorf("%s: %w", s.name, err)
		case errors.Is(err, errCrash), errors.Is(err, errHang):
			s.close()
		}
		if err == nil && answer.took > allowance {
			err = errTime
		}
		if err != nil {
			r.fail(side, s.name, err)
			return r, nil
		}
		clock.spend(&s.condition.Clock, side, answer.took)
		r.game.Play(answer.move)
		r.moves = append(r.moves, answer)
	}
}

func sideToMove(p *board.Position) int {
	if p.Black {
		return 1
	}
	return 0
}

// limits are the search limits of the side, and the time after which it has lost or hangs.
func (k *clocks) limits(config *Config, seats [2]*seat, side int) (search.Limits, time.Duration) {
	c := &seats[side].condition
	l := search.Limits{Nodes: c.Nodes, Evals: c.Evals, MoveTime: c.MoveTime, MoveOverhead: config.Overhead}
	switch {
	case c.Clock != Clock{}:
		for i, of := range [2]int{side, 1 - side} {
			l.Time[i], l.Inc[i] = k.left[of], seats[of].condition.Clock.Increment
		}
		l.HasClock = true
		if c.Clock.Moves > 0 {
			l.MovesToGo = c.Clock.Moves - k.made[side]%c.Clock.Moves
		}
		return l, k.left[side] + config.Margin
	case c.MoveTime > 0:
		return l, c.MoveTime + config.Margin
	}
	return l, config.Hang
}

// spend takes a move's time from the clock and adds what the move earns.
func (k *clocks) spend(c *Clock, side int, took time.Duration) {
	k.made[side]++
	k.left[side] = max(k.left[side]-took, 0) + c.Increment
	if c.Moves > 0 && k.made[side]%c.Moves == 0 {
		k.left[side] += c.Base
	}
}

// fail ends the game as lost by the side.
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
			if err.Error() != f.err.Error() {
				r.reason += fmt.Sprintf(": %v", err)
			}
			return
		}
	}
	r.failure, r.termination, r.reason = errCrash, "abandoned", fmt.Sprintf("%s fails: %v", name, err)
}

// over ends the game where the rules or the adjudication say so.
func over(config *Config, r *record) bool {
	r.termination = "normal"
	switch outcome := r.game.Outcome(); outcome {
	case board.Ongoing:
	case board.Checkmate:
		r.score = score(2*sideToMove(&r.game.Pos) - 1)
		r.reason = [...]string{"Black mates", "", "White mates"}[r.score+1]
		return true
	default:
		r.score, r.reason = drawn, "Draw by "+drawName(outcome)
		return true
	}
	r.termination = "adjudication"
	if s, ok := resigned(&config.Resign, r); ok {
		r.score, r.reason = s, map[score]string{whiteWins: "White wins by adjudication", blackWins: "Black wins by adjudication"}[s]
		return true
	}
	if agreed(&config.Draw, r) {
		r.score, r.reason = drawn, "Draw by adjudication"
		return true
	}
	if config.MaxMoves > 0 && len(r.moves) >= 2*config.MaxMoves {
		r.score, r.reason = drawn, fmt.Sprintf("Draw by the limit of %d moves", config.MaxMoves)
		return true
	}
	return false
}

func drawName(o board.Outcome) string {
	return map[board.Outcome]string{
		board.Stalemate: "stalemate", board.Repetition: "threefold repetition", board.FiftyMoves: "the fifty-move rule",
		board.Material: "insufficient material",
	}[o]
}

// whiteScore is what move i was scored for White, in centipawns; a mate is beyond all others.
func (r *record) whiteScore(i int) (int, bool) {
	m := &r.moves[i]
	v := m.info.Score.CP
	if mate := m.info.Score.Mate; mate > 0 {
		v = search.MateScore
	} else if mate < 0 {
		v = -search.MateScore
	}
	// The side to move now played the last move but one.
	if (len(r.moves)-i)%2 == 0 == r.game.Pos.Black {
		v = -v
	}
	return v, m.scored
}

// lastScores tells whether the last 2*moves moves were all scored as test has it.
func (r *record) lastScores(moves int, test func(white int) bool) bool {
	n := len(r.moves) - 2*moves
	if moves < 1 || n < 0 {
		return false
	}
	for i := len(r.moves) - 1; i >= n; i-- {
		if v, ok := r.whiteScore(i); !ok || !test(v) {
			return false
		}
	}
	return true
}

func resigned(a *Resign, r *record) (score, bool) {
	if r.lastScores(a.Moves, func(v int) bool { return v >= a.Score }) {
		return whiteWins, true
	}
	return blackWins, r.lastScores(a.Moves, func(v int) bool { return v <= -a.Score })
}

func agreed(a *Draw, r *record) bool {
	return int(r.game.Pos.Fullmove) >= a.From &&
		r.lastScores(a.Moves, func(v int) bool { return -a.Score <= v && v <= a.Score })
}
