package search

import (
	"time"

	"tesla/board"
)

// Budget is the time for one move. Soft is meant to be spent, Hard is never exceeded. Zero is no limit.
type Budget struct {
	Soft, Hard time.Duration
}

// The division of a clock. The constants are common practice of engines and were not tuned.
const (
	// DefaultThink is spent on a move when only the opponent's clock is known.
	DefaultThink = time.Second
	// minThink is for a move whose clock is used up. It is enough for a first evaluation.
	minThink = 500 * time.Microsecond
	// horizonFirst is how many more moves a game without a time control ahead is expected to last at its first move.
	// Later in the game it is expected to last at least horizonLast moves, or horizonBare without increments.
	horizonFirst = 26
	horizonLast  = 17
	horizonBare  = 22
	// hardFactor limits one move to this multiple of its soft budget.
	hardFactor = 3
	// hardShare limits one move to this share of the clock. The share is larger where few moves remain to the next
	// time control.
	hardShare = 0.2
	// reserveMoves plus one is the number of moves whose overhead a single move leaves on the clock.
	reserveMoves = 8
)

// Budget divides the clock of the limits for a move in pos. It counts the increments to come, the moves to the next
// time control, and MoveOverhead for each of them. A search that the clock does not limit gets the zero Budget. A
// pondering search gets the budget that counts from PonderHit on.
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
		// A fixed time is meant to be used whole: it also replaces an earlier soft end.
		b.Soft = b.Hard
	}
	return b
}

// bounded reports whether something other than time ends the search.
func (l *Limits) bounded() bool { return l.Depth > 0 || l.Nodes > 0 || l.Evals > 0 || l.Mate > 0 }

// share is the part of its clock that the side to move gets for the move with number fullmove.
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

	// The time until the horizon, less the overhead of each move and of two more. Where overheads use the clock up, a
	// quarter of it is still spread over the horizon, because the true overhead is mostly far smaller.
	n := time.Duration(moves)
	total := left + inc*(n-1) - l.MoveOverhead*(n+2)
	total = max(total, left/4)

	share := max(hardShare, 0.05+0.95/float64(moves))
	reserve := l.MoveOverhead * time.Duration(1+min(moves, reserveMoves))
	most := max(time.Duration(float64(left-reserve)*share), left/64)
	soft := max(minThink, min(total/n, most))
	return Budget{Soft: soft, Hard: max(soft, min(hardFactor*soft, most))}
}

// Late takes time that a search waited before it began off the clock and off the time for the move. Of the latter least
// remains, of the clock a millisecond: enough for a sensible move.
func (l *Limits) Late(waited, least time.Duration) {
	if l.HasClock {
		l.Time[0] = max(min(time.Millisecond, l.Time[0]), l.Time[0]-waited)
	}
	if l.MoveTime > 0 {
		l.MoveTime = max(min(least, l.MoveTime), l.MoveTime-waited)
	}
}

// Clocked reports whether somebody waits for the end of the search: a clock, or the one who stops it.
func (l *Limits) Clocked(pos *board.Position) bool {
	return l.Infinite || l.Ponder || l.Budget(pos).Hard > 0
}
