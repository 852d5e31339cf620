package alphabeta

import "tesla/board"

// Orders of moves: what is not of the better class comes after all that is.
const (
	tableOrder   = 1 << 28
	captureOrder = 1 << 24
	killerOrder  = 1 << 20
	badOrder     = -1 << 24
)

// picker gives the moves of a node in the order of their scores, the table's before the others are generated. Its lists
// lie in the thread's memory.
type picker struct {
	t      *Thread
	p      *board.Position
	ply    int
	table  board.Move
	told   bool // the table's move
	ready  bool // moves are generated
	moves  []board.Move
	scores []int32
}

// pick returns a picker of all legal moves, of which table is one or NullMove.
func (t *Thread) pick(p *board.Position, ply int, table board.Move) picker {
	return picker{t: t, p: p, ply: ply, table: table}
}

// generate lists and scores the moves but the table's, once.
func (k *picker) generate() {
	if k.ready {
		return
	}
	t, p := k.t, k.p
	k.ready = true
	begin := len(t.moves)
	t.moves = p.LegalMoves(t.moves)
	k.moves, k.scores = t.moves[begin:], t.scores[begin:len(t.moves)]
	killers := &t.frames[k.ply].killers
	for i := 0; i < len(k.moves); i++ {
		switch m := k.moves[i]; {
		case m == k.table:
			k.drop(i)
			i--
		case !quiet(p, m):
			k.scores[i] = int32(t.captureScore(p, m))
		case m == killers[0]:
			k.scores[i] = killerOrder
		case m == killers[1]:
			k.scores[i] = killerOrder - 1
		default:
			k.scores[i] = int32(t.quietHistory(p, k.ply, m))
		}
	}
}

// drop removes a move of the list.
func (k *picker) drop(i int) {
	last := len(k.moves) - 1
	k.moves[i], k.scores[i] = k.moves[last], k.scores[last]
	k.moves, k.scores = k.moves[:last], k.scores[:last]
}

// dropQuiet removes the quiet moves of the list.
func (k *picker) dropQuiet() {
	for i := len(k.moves) - 1; i >= 0; i-- {
		if quiet(k.p, k.moves[i]) {
			k.drop(i)
		}
	}
}

// victimScore is the order of a capture by what it takes, the cheapest piece first, and by history.
func (t *Thread) victimScore(m board.Move) int {
	v := 16*board.Worth[m.Target()&7] - board.Worth[m.Moved()&7]/16
	if t.parts.CaptureHistory {
		v += int(*t.captureOf(m)) / 4
	}
	return v
}

// captureScore is the order of a capture or promotion: by victim, then history; those that lose come last.
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

// pickCaptures returns a picker of the captures and promotions, the table's move first.
func (t *Thread) pickCaptures(p *board.Position, table board.Move) picker {
	begin := len(t.moves)
	t.moves = p.LegalCaptures(t.moves)
	k := picker{ready: true, moves: t.moves[begin:], scores: t.scores[begin:len(t.moves)]}
	for i, m := range k.moves {
		if k.scores[i] = int32(t.victimScore(m)); m == table {
			k.scores[i] = tableOrder
		}
	}
	return k
}

// put puts a move back.
func (k *picker) put(m board.Move, score int32) {
	k.moves, k.scores = append(k.moves, m), append(k.scores, score)
}

// next removes the move of the highest score.
func (k *picker) next() (m board.Move, score int32, ok bool) {
	if m := k.table; !k.ready && !k.told && m != board.NullMove {
		k.told = true
		return m, tableOrder, true
	}
	k.generate()
	if len(k.moves) == 0 {
		return board.NullMove, 0, false
	}
	best := 0
	for i, s := range k.scores {
		if s > k.scores[best] {
			best = i
		}
	}
	m, score = k.moves[best], k.scores[best]
	k.drop(best)
	return m, score, true
}
