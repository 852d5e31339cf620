package nnue

import (
	"tesla/board"
	"tesla/search"
)

// The quiescence search of a leaf of the best-first search. Its value is a function of the position alone, so that it
// can be cached. That is why package alphabeta has a search of its own: that one uses the table and the histories.
//
// The constants were tuned with a first trained net on 8,000 positions, half of them of games and half a random move
// further. With 24 plies a search computed 6.1 values of the net on average, 2 in the median, 66 in the 99th percentile,
// and at most 383.
const (
	// quietPlies bounds a quiescence search. Of 1,000 positions with the scores of their moves (tesla siblings) it orders the
	// same share of the pairs with 24 plies, for a third more positions; with 4 plies it loses a thirtieth more.
	quietPlies = 5
	// evasionPlies is the number of plies, from the root of a quiescence search on, in which a check is answered by all
	// evasions. Below, a check is not noticed. With 3 plies values differ by 1.2 centipawns on average and cost 12 %
	// less; with 1 ply they differ by 8.3.
	evasionPlies = 6
	// quietNodes bounds the positions of a quiescence search; where many pieces hang there would be thousands. When
	// they have run out, every position gets its static value.
	quietNodes = 512
	// deltaMargin is what a capture may gain beyond its victim, in centipawns. A capture that cannot reach alpha with
	// it is left out. With 100 values differ by 0.3 centipawns on average and cost 8 % less.
	deltaMargin = 200
	// infinite is beyond every score.
	infinite = 32767
)

// line is the memory of a search: the positions, accumulators and moves of a line.
type line struct {
	stack *Stack
	pos   []board.Position // [plies]
	moves []board.Move     // of all plies, one list after the other
	delta int              // deltaMargin, or more in tests
	left  int              // positions that the quiescence search may still visit
}

func newLine(n *Net, plies int) line {
	return line{
		stack: NewStack(n, plies), pos: make([]board.Position, plies), moves: make([]board.Move, 0, plies*board.MaxMoves),
		delta: deltaMargin,
	}
}

// unknown is the static value of a position that was not computed.
const unknown = -infinite - 1

// quiet is the value of the position at ply of the line after a quiescence search. static is its static value.
func (l *line) quiet(ply, static, alpha, beta int) int {
	l.left = quietNodes
	return l.quiesce(ply, 0, static, alpha, beta)
}

// quiesce is the value in centipawns of the position at ply of the line when the side to move may stand pat, become a
// queen, or make captures that lose nothing by static exchange: exact within (alpha, beta), a bound outside. In check
// it has to move, in the first evasionPlies of depth. Mates count from ply 0. A mate that is found is certain, but
// quiet moves may mate sooner. stand is the position's static value, or unknown.
func (l *line) quiesce(ply, depth, stand, alpha, beta int) int {
	p := &l.pos[ply]
	if p.InsufficientMaterial() {
		return 0
	}
	begin := len(l.moves)
	best := search.MatedIn(ply)
	l.left--
	evade, order := depth < evasionPlies && l.left > 0 && p.InCheck(), &captureOrder
	if evade {
		order, stand = &evasionOrder, infinite
		l.moves = p.LegalMoves(l.moves)
	} else {
		if stand == unknown {
			stand = l.stack.Value(p)
		}
		if best = stand; best >= beta || depth >= quietPlies || l.left <= 0 {
			return best
		}
		alpha = max(alpha, best)
		l.moves = p.LegalCaptures(l.moves)
	}
	for moves := l.moves[begin:]; len(moves) > 0; {
		m := takeBest(&moves, order)
		if !evade && !l.worthwhile(p, m, stand, alpha, &best) {
			continue
		}
		if v := -l.after(ply, m, depth, -beta, -alpha); v > best {
			best = v
			if alpha = max(alpha, v); alpha >= beta {
				break
			}
		}
	}
	l.moves = l.moves[:begin]
	return best
}

// after is the value after m for the side that is to move then.
func (l *line) after(ply int, m board.Move, depth, alpha, beta int) int {
	p := &l.pos[ply]
	l.stack.Push(p, m)
	p.Make(m, &l.pos[ply+1])
	v := l.quiesce(ply+1, depth+1, unknown, alpha, beta)
	l.stack.Pop()
	return v
}

// worthwhile reports whether a capture may raise alpha and loses nothing by static exchange. The most that it could
// have reached counts for the best value.
func (l *line) worthwhile(p *board.Position, m board.Move, stand, alpha int, best *int) bool {
	most := stand + p.Gain(m) + l.delta
	if most <= alpha {
		*best = max(*best, most)
		return false
	}
	return p.SEE(m, 0)
}

// takeBest removes the move that comes first in an order.
func takeBest(moves *[]board.Move, order *moveOrder) board.Move {
	list := *moves
	pick, top := 0, int8(-1)
	for i, m := range list {
		if v := order[m>>12&63]; v > top {
			pick, top = i, v
		}
	}
	m := list[pick]
	list[pick] = list[0]
	*moves = list[1:]
	return m
}

// moveOrder is the priority of a move, by moved | target << 3: the most valuable victim first (MVV-LVA), taken by the
// least valuable attacker.
type moveOrder [64]int8

var captureOrder, evasionOrder = moveOrders()

func moveOrders() (captures, evasions moveOrder) {
	for moved := board.Pawn; moved <= board.King; moved++ {
		for target := board.None; target < board.King; target++ { // castling has the target king, but takes nothing
			captures[moved|target<<3] = int8(8*target) + int8(board.King-moved)
		}
	}
	evasions = captures
	// Among captures, a move of a queen that takes nothing is a promotion.
	captures[board.Queen|board.None<<3] = captures[board.King|board.Queen<<3]
	return captures, evasions
}
