package alphabeta

import (
	"math"
	"slices"

	"tesla/board"
)

// Scores of the classes of moves. Histories and victims differ by less than the classes do, so a move of a better class
// always comes first.
const (
	tableOrder   = 1 << 28
	captureOrder = 1 << 24 // captures and queen promotions that lose nothing by static exchange
	killerOrder  = 1 << 20
	badOrder     = -1 << 24 // captures that lose
	unscored     = -1 << 28 // quiet moves until one may be next
)

// picker gives the moves of a node, the highest score first (step 11). The table's move comes before the others are
// generated, since it often cuts, and good captures before the histories of quiet moves are read. The lists lie in the
// thread's memory.
type picker struct {
	t         *Thread
	p         *board.Position
	ply       int
	table     board.Move
	given     bool // the table's move was given
	generated bool
	scored    bool // quiet moves have their scores
	moves     []ranked
}

// ranked is a move in a picker's list with its score and, below that, its index in the list. Of equal scores the first
// in the list is the greatest ranked.
type ranked int64

const (
	moveBits  = 18
	indexBits = 8
	lastIndex = 1<<indexBits - 1 // no move has a higher index
)

func rankOf(m board.Move, score int32, index int) ranked {
	return ranked(score)<<(indexBits+moveBits) | ranked(lastIndex-index)<<moveBits | ranked(m)
}

func (r ranked) move() board.Move { return board.Move(r & (1<<moveBits - 1)) }

func (r ranked) score() int32 { return int32(r >> (indexBits + moveBits)) }

func (r ranked) index() int { return lastIndex - int(r>>moveBits&lastIndex) }

// at is the same move and score with another index.
func (r ranked) at(index int) ranked {
	return r&^(lastIndex<<moveBits) | ranked(lastIndex-index)<<moveBits
}

// pick returns a picker of all legal moves. table is one of them, or NullMove.
func (t *Thread) pick(p *board.Position, ply int, table board.Move) picker {
	return picker{t: t, p: p, ply: ply, table: table}
}

// generate lists all moves but the table's, once, and scores captures and killers. A capture counts as one that loses
// nothing; next finds out.
func (k *picker) generate() {
	if k.generated {
		return
	}
	t, p := k.t, k.p
	k.generated = true
	begin := len(t.moves)
	t.moves = p.LegalMoves(t.moves)
	moves := t.moves[begin:]
	if k.table != board.NullMove {
		if i := slices.Index(moves, k.table); i >= 0 {
			last := len(moves) - 1
			moves[i], moves = moves[last], moves[:last]
		}
	}
	k.moves = t.ranked[begin:][:len(moves)]
	killers := t.frames[k.ply].killers
	for i, m := range moves {
		score := int32(unscored)
		switch {
		case !isQuiet(p, m):
			score = captureOrder + int32(t.captureScore(p, m))
		case m == killers[0]:
			score = killerOrder
		case m == killers[1]:
			score = killerOrder - 1
		}
		k.moves[i] = rankOf(m, score, i)
	}
}

// scoreQuiets scores the quiet moves, once.
func (k *picker) scoreQuiets() {
	if k.scored {
		return
	}
	k.scored = true
	h := k.t.quietHistory(k.p, k.ply)
	for i, r := range k.moves {
		if r.score() == unscored {
			m := r.move()
			k.moves[i] = rankOf(m, h.of(m), i)
		}
	}
}

// drop removes the move with an index.
func (k *picker) drop(i int) {
	last := len(k.moves) - 1
	k.moves[i] = k.moves[last].at(i)
	k.moves = k.moves[:last]
}

// dropQuiet removes the quiet moves.
func (k *picker) dropQuiet() {
	for i := len(k.moves) - 1; i >= 0; i-- {
		if isQuiet(k.p, k.moves[i].move()) {
			k.drop(i)
		}
	}
}

// put puts a move back.
func (k *picker) put(m board.Move, score int32) {
	k.moves = append(k.moves, rankOf(m, score, len(k.moves)))
}

// next removes the move with the highest score. ok is false when none is left.
func (k *picker) next() (m board.Move, score int32, ok bool) {
	if m := k.table; !k.generated && !k.given && m != board.NullMove {
		k.given = true
		return m, tableOrder, true
	}
	k.generate()
	if len(k.moves) == 0 {
		return board.NullMove, 0, false
	}
	for {
		best := k.highest()
		m, score = best.move(), best.score()
		switch {
		case score < killerOrder-1 && !k.scored:
			k.scoreQuiets()
		case score > killerOrder && score < tableOrder && !k.p.SEE(m, 0):
			k.moves[best.index()] = rankOf(m, score-captureOrder+badOrder, best.index())
		default:
			k.drop(best.index())
			return m, score, true
		}
	}
}

// highest is the move with the highest score. Four maxima side by side keep the processor busy.
func (k *picker) highest() ranked {
	var a, b, c, d ranked = math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64
	moves := k.moves
	for ; len(moves) >= 4; moves = moves[4:] {
		a, b, c, d = max(a, moves[0]), max(b, moves[1]), max(c, moves[2]), max(d, moves[3])
	}
	for _, r := range moves {
		a = max(a, r)
	}
	return max(a, b, c, d)
}

// victimScore is the score of a capture by its victim and its history. Of equal victims the cheaper attacker comes
// first.
func (t *Thread) victimScore(m board.Move) int {
	return 16*board.Worth[m.Target()&7] - board.Worth[m.Moved()&7]/16 + int(*t.captureOf(m))/4
}

// captureScore is the score of a capture or a queen promotion among those of its class.
func (t *Thread) captureScore(p *board.Position, m board.Move) int {
	v := t.victimScore(m)
	if p.Promotion(m) != board.None {
		v += 16 * board.Worth[m.Moved()&7]
	}
	return v
}

// pickCaptures returns a picker of the captures and promotions of a quiescence search. table comes first if it is one.
func (t *Thread) pickCaptures(p *board.Position, table board.Move) picker {
	begin := len(t.moves)
	t.moves = p.LegalCaptures(t.moves)
	moves := t.moves[begin:]
	k := picker{generated: true, scored: true, moves: t.ranked[begin:][:len(moves)]}
	for i, m := range moves {
		score := int32(t.victimScore(m))
		if m == table {
			score = tableOrder
		}
		k.moves[i] = rankOf(m, score, i)
	}
	return k
}

// addChecks puts the quiet moves that give check behind the captures of a quiescence search.
func (k *picker) addChecks(t *Thread, ply int) {
	begin := len(t.moves)
	t.moves = t.pos[ply].QuietChecks(t.moves)
	for _, m := range t.moves[begin:] {
		k.put(m, badOrder)
	}
}
