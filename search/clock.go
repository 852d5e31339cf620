package search

import (
	"time"

	"tesla/board"
)

// Budget is what a clock gives this move: Soft is meant to be spent, Hard never exceeded. Zero is no limit.
type Budget struct {
	Soft, Hard time.Duration
}

// The division of a clock. Untuned: common practice of clock management in engines that stop by themselves.
const (
	// DefaultThink is spent on a move when only the opponent's clock is known.
	DefaultThink = time.Second
	// minThink is what a move gets when the clock is used up: enough for a first evaluation.
	minThink = 500 * time.Microsecond
	// horizonFirst and horizonLast are the moves that a game without moves-to-go is expected to last, from its
	// first move on and at the least, without increments at the least horizonBare: nothing comes in.
	horizonFirst = 26
	horizonLast  = 17
	horizonBare  = 22
	// hardFactor limits one move to so many soft budgets.
	hardFactor = 3
	// hardShare limits one move to this share of the clock, more only when few moves remain to the next control.
	hardShare = 0.2
	// reserveMoves and one is how many moves' overhead a single move never touches.
	reserveMoves = 8
)

// Budget divides the clock of the limits for a move in pos: it counts increments to come, moves to the next control
// and MoveOverhead for each of them. A search that the clock does not limit gets the zero Budget. Pondering counts as
// if it were the player's own time: the searcher starts the clock at PonderHit.
func (l *Limits) Budget(pos *board.Position) Budget {
	var b Budget
	switch {
	case l.Infinite:
		return b
	case l.HasClock:
		b = l.share(int(pos.Fullmove))
	case l.MoveTime <= 0 && l.Time[1] > 0 && !l.bounded():
		b = Budget{DefaultThink, DefaultThink}
	}
	if l.MoveTime > 0 {
		t := max(minThink, l.MoveTime-l.MoveOverhead)
		if b.Hard == 0 || t < b.Hard {
			b.Hard = t
		}
		// A fixed time is there to be used: it also replaces an earlier soft end.
		b.Soft = b.Hard
	}
	return b
}

// bounded tells whether something other than time ends the search.
func (l *Limits) bounded() bool { return l.Depth > 0 || l.Nodes > 0 || l.Evals > 0 || l.Mate > 0 }

// share is the part of the side to move's clock that this move gets at move number fullmove.
func (l *Limits) share(fullmove int) Budget {
	left, inc := l.Time[0], max(0, l.Inc[0])
	moves := l.MovesToGo
	if moves <= 0 {
		if moves = horizonLast; inc == 0 {
			moves = horizonBare
		}
		moves = max(moves, horizonFirst-fullmove/2)
	}
	moves = min(moves, horizonFirst)

	// All that can be spent until the horizon, less the overhead of each move and two spare. When overheads eat the
	// clock up, a quarter of it is still spread over the horizon: the true overhead is mostly far smaller.
	n := time.Duration(moves)
	total := left + inc*(n-1) - l.MoveOverhead*(n+2)
	total = max(total, left/4)

	share := max(hardShare, 0.05+0.95/float64(moves))
	reserve := l.MoveOverhead * time.Duration(1+min(moves, reserveMoves))
	most := max(time.Duration(float64(left-reserve)*share), left/64)
	soft := max(minThink, min(total/n, most))
	return Budget{Soft: soft, Hard: max(soft, min(hardFactor*soft, most))}
}
