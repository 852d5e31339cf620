package alphabeta

import (
	"math"

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
	moves     []board.Move
	scores    []int32
}

// pick returns a picker of all legal moves. table is one of them, or NullMove.
func (t *Thread) pick(p *board.Position, ply int, table board.Move) picker {
	return picker{t: t, p: p, ply: ply, table: table}
}

// generate lists all moves but the table's, once, and scores captures and killers.
func (k *picker) generate() {
	if k.generated {
		return
	}
	t, p := k.t, k.p
	k.generated = true
	begin := len(t.moves)
	t.moves = p.LegalMoves(t.moves)
	k.moves, k.scores = t.moves[begin:], t.scores[begin:len(t.moves)]
	killers := &t.frames[k.ply].killers
	for i := 0; i < len(k.moves); i++ {
		switch m := k.moves[i]; {
		case m == k.table:
			k.drop(i)
			i--
		case !isQuiet(p, m):
			k.scores[i] = int32(t.captureScore(p, m))
		case m == killers[0]:
			k.scores[i] = killerOrder
		case m == killers[1]:
			k.scores[i] = killerOrder - 1
		default:
			k.scores[i] = unscored
		}
	}
}

// scoreQuiets scores the quiet moves, once.
func (k *picker) scoreQuiets() {
	if k.scored {
		return
	}
	k.scored = true
	for i, s := range k.scores {
		if s == unscored {
			k.scores[i] = int32(k.t.quietHistory(k.p, k.ply, k.moves[i]))
		}
	}
}

// drop removes the move with an index.
func (k *picker) drop(i int) {
	last := len(k.moves) - 1
	k.moves[i], k.scores[i] = k.moves[last], k.scores[last]
	k.moves, k.scores = k.moves[:last], k.scores[:last]
}

// dropQuiet removes the quiet moves.
func (k *picker) dropQuiet() {
	for i := len(k.moves) - 1; i >= 0; i-- {
		if isQuiet(k.p, k.moves[i]) {
			k.drop(i)
		}
	}
}

// put puts a move back.
func (k *picker) put(m board.Move, score int32) {
	k.moves, k.scores = append(k.moves, m), append(k.scores, score)
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
	best := k.highest()
	if k.scores[best] < killerOrder-1 && !k.scored {
		k.scoreQuiets()
		best = k.highest()
	}
	m, score = k.moves[best], k.scores[best]
	k.drop(best)
	return m, score, true
}

// highest is the index of the highest score, the first of several. It joins score and index in one number, whose maximum
// needs no branch that the processor could predict wrongly.
func (k *picker) highest() int {
	const last = 1<<8 - 1 // no move has a higher index
	top := int64(math.MinInt64)
	for i, s := range k.scores {
		top = max(top, int64(s)<<8|int64(last-i))
	}
	return last - int(top&last)
}

// victimScore is the score of a capture by its victim and its history. Of equal victims the cheaper attacker comes
// first.
func (t *Thread) victimScore(m board.Move) int {
	v := 16*board.Worth[m.Target()&7] - board.Worth[m.Moved()&7]/16
	if t.parts.CaptureHistory {
		v += int(*t.captureOf(m)) / 4
	}
	return v
}

// captureScore is the score of a capture or a queen promotion.
func (t *Thread) captureScore(p *board.Position, m board.Move) int {
	v := t.victimScore(m)
	if p.Promotion(m) != board.None {
		v += 16 * board.Worth[m.Moved()&7]
	}
	if p.SEE(m, 0) {
		return captureOrder + v
	}
	return badOrder + v
}

// pickCaptures returns a picker of the captures and promotions of a quiescence search. table comes first if it is one.
func (t *Thread) pickCaptures(p *board.Position, table board.Move) picker {
	begin := len(t.moves)
	t.moves = p.LegalCaptures(t.moves)
	k := picker{generated: true, scored: true, moves: t.moves[begin:], scores: t.scores[begin:len(t.moves)]}
	for i, m := range k.moves {
		if k.scores[i] = int32(t.victimScore(m)); m == table {
			k.scores[i] = tableOrder
		}
	}
	return k
}

// addChecks puts the quiet moves that give check behind the captures of a quiescence search.
func (k *picker) addChecks(t *Thread, ply int) {
	begin := len(t.moves) - len(k.moves)
	t.moves = t.pos[ply].QuietChecks(t.moves)
	for i := begin + len(k.moves); i < len(t.moves); i++ {
		t.scores[i] = badOrder
	}
	k.moves, k.scores = t.moves[begin:], t.scores[begin:len(t.moves)]
}
