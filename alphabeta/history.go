package alphabeta

import "tesla/board"

// historyMax bounds the values of move histories.
const historyMax = 16384

// history is what a Thread learned about moves and about errors of the net. Squares and pieces are seen from the side
// to move. Landing is a move's piece and target square, 0 to 511.
type history struct {
	butterfly [2][64 * 64]int16 // quiet moves by colour, from and to (Schaeffer 1989)
	capture   [512][8]int16     // captures by landing and victim
	continued [512][512]int16   // quiet moves by the landing of an earlier move, and their own (Uiterwijk 1992)

	// Corrections of static values, in 1/16 centipawns for the side to move.
	pawns     [2][board.KeySlots]int16    // by pawn structure
	pieces    [2][2][board.KeySlots]int16 // by the pieces of the side to move, and those of the other side
	following [512][512]int16             // by the landings of the last two moves
}

// learn moves a value towards the sign of a bonus, by less the nearer it is to historyMax.
func learn(h *int16, bonus int) {
	v := int(*h)
	*h = int16(v + bonus - v*max(bonus, -bonus)/historyMax)
}

// The bonus of a cutoff: bonusPly for each ply of depth less bonusLess, at most bonusMost.
const (
	bonusPly  = 173
	bonusLess = 113
	bonusMost = 1489
)

// bonus is what a cutoff at a depth adds to a history.
func bonus(depth int) int { return min(bonusPly*depth-bonusLess, bonusMost) }

// continuations are the distances, in plies, of the earlier moves that a quiet move's history counts with.
var continuations = [3]int{1, 2, 4}

func side(p *board.Position) int {
	if p.Black {
		return 1
	}
	return 0
}

// isQuiet reports whether a move is neither a capture nor a promotion to a queen.
func isQuiet(p *board.Position, m board.Move) bool {
	return !m.IsCapture() && !(m.Moved() == board.Queen && p.Pawns.Has(m.From()))
}

// moveBefore is the move that was made back plies before ply; NullMove where there is none.
func (t *Thread) moveBefore(ply, back int) board.Move {
	if ply < back {
		return board.NullMove
	}
	return t.frames[ply-back].move
}

// quietHistory is the sum of the histories of a quiet move.
func (t *Thread) quietHistory(p *board.Position, ply int, m board.Move) int {
	v := 0
	if t.parts.Butterfly {
		v += int(t.history.butterfly[side(p)][m&4095])
	}
	if t.parts.Continuation {
		for _, back := range continuations {
			if before := t.moveBefore(ply, back); before != board.NullMove {
				v += int(t.history.continued[before.Landing()][m.Landing()])
			}
		}
	}
	return v
}

func (t *Thread) captureOf(m board.Move) *int16 { return &t.history.capture[m.Landing()][m.Target()&7] }

// reward makes the histories and killers learn that a move cut, after the node's losers had not.
func (t *Thread) reward(n *node, cut board.Move) {
	p, ply := &t.pos[n.ply], n.ply
	plus := bonus(n.depth)
	if isQuiet(p, cut) {
		f := &t.frames[ply]
		if f.killers[0] != cut {
			f.killers[0], f.killers[1] = cut, f.killers[0]
		}
		t.learnQuiet(p, ply, cut, plus)
	} else {
		learn(t.captureOf(cut), plus)
	}
	for _, m := range n.losers[:min(n.tried-1, len(n.losers))] {
		if !isQuiet(p, m) {
			learn(t.captureOf(m), -plus)
		} else if isQuiet(p, cut) {
			t.learnQuiet(p, ply, m, -plus)
		}
	}
}

// learnQuiet adds a bonus to the histories of a quiet move.
func (t *Thread) learnQuiet(p *board.Position, ply int, m board.Move, bonus int) {
	learn(&t.history.butterfly[side(p)][m&4095], bonus)
	if !t.parts.Continuation {
		return
	}
	for _, back := range continuations {
		if before := t.moveBefore(ply, back); before != board.NullMove {
			learn(&t.history.continued[before.Landing()][m.Landing()], bonus)
		}
	}
}

// corrections are the entries that count for the position at ply.
func (t *Thread) corrections(ply int) [4]*int16 {
	p, h, us := &t.pos[ply], t.history, side(&t.pos[ply])
	return [4]*int16{
		&h.pawns[us][board.PawnKey(p)],
		&h.pieces[us][0][board.PieceKey(p, p.Ours)],
		&h.pieces[us][1][board.PieceKey(p, p.Theirs)],
		&h.following[t.moveBefore(ply, 2).Landing()][t.moveBefore(ply, 1).Landing()],
	}
}

// correction is what is added to the static value of the position at ply, in centipawns: half the sum of its entries.
func (t *Thread) correction(ply int) int {
	if !t.parts.Correction {
		return 0
	}
	v := 0
	for _, c := range t.corrections(ply) {
		v += int(*c)
	}
	return v / 32
}

// correctionMax bounds an entry, in 1/16 centipawns.
const correctionMax = 16 * 80

// correct moves the entries towards what a search to a depth found beyond the static value, in centipawns. A deeper
// search moves them by more.
func (t *Thread) correct(ply, depth, difference int) {
	step := max(-correctionMax/4, min(correctionMax/4, difference*min(depth+1, 16)/16))
	for _, c := range t.corrections(ply) {
		v := int(*c)
		*c = int16(v + step - v*max(step, -step)/correctionMax)
	}
}
