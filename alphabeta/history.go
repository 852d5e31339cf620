package alphabeta

import (
	"tesla/board"
)

// historyMax bounds a history's values.
const historyMax = 16384

// history is what earlier moves were worth. Squares and pieces are from the mover's view.
type history struct {
	butterfly [2][64 * 64]int16 // by colour, from and to
	capture   [512][8]int16     // by to and moved, victim
	continued [512][512]int16   // by to and moved of an earlier move, to and moved
	// Corrections of static values, in 1/16 centipawns for the side to move.
	pawns     [2][board.KeySlots]int16    // by pawn structure
	pieces    [2][2][board.KeySlots]int16 // by the other men of either side
	following [512][512]int16             // by the last two moves
}

// learn moves a history's value towards a bonus, the less the nearer it is to its end.
func learn(h *int16, bonus int) {
	v := int(*h)
	*h = int16(v + bonus - v*max(bonus, -bonus)/historyMax)
}

const (
	bonusPly  = 173 // what a cut is worth for each ply of depth
	bonusLess = 113 // but so much
	bonusMost = 1489
)

// bonus is what a cut at a depth is worth.
func bonus(depth int) int { return min(bonusPly*depth-bonusLess, bonusMost) }

// continuations are the distances, in plies, of the moves that a move's history counts with.
var continuations = [3]int{1, 2, 4}

func side(p *board.Position) int {
	if p.Black {
		return 1
	}
	return 0
}

// quietHistory is what a quiet move is worth by all histories, at most about 3 historyMax.
func (t *Thread) quietHistory(p *board.Position, ply int, m board.Move) int {
	v := 0
	if t.parts.Butterfly {
		v += int(t.history.butterfly[side(p)][m&4095])
	}
	if t.parts.Continuation {
		for _, back := range continuations {
			if before := t.before(ply, back); before != board.NullMove {
				v += int(t.history.continued[before.Landing()][m.Landing()])
			}
		}
	}
	return v
}

// before is the move that was made so many plies before ply, NullMove where there is none.
func (t *Thread) before(ply, back int) board.Move {
	if ply < back {
		return board.NullMove
	}
	return t.frames[ply-back].move
}

// reward notes that a move cut, after the node's losers had not.
func (t *Thread) reward(n *node, cut board.Move) {
	p, ply := &t.pos[n.ply], n.ply
	plus := bonus(n.depth)
	if quiet(p, cut) {
		f := &t.frames[ply]
		if f.killers[0] != cut {
			f.killers[0], f.killers[1] = cut, f.killers[0]
		}
		t.learnQuiet(p, ply, cut, plus)
	} else {
		learn(t.captureOf(cut), plus)
	}
	for _, m := range n.losers[:min(n.tried-1, len(n.losers))] {
		if !quiet(p, m) {
			learn(t.captureOf(m), -plus)
		} else if quiet(p, cut) {
			t.learnQuiet(p, ply, m, -plus)
		}
	}
}

func (t *Thread) learnQuiet(p *board.Position, ply int, m board.Move, bonus int) {
	learn(&t.history.butterfly[side(p)][m&4095], bonus)
	if !t.parts.Continuation {
		return
	}
	for _, back := range continuations {
		if before := t.before(ply, back); before != board.NullMove {
			learn(&t.history.continued[before.Landing()][m.Landing()], bonus)
		}
	}
}

func (t *Thread) captureOf(m board.Move) *int16 { return &t.history.capture[m.Landing()][m.Target()&7] }

// quiet tells whether a move takes nothing and does not become a queen.
func quiet(p *board.Position, m board.Move) bool {
	return !m.IsCapture() && !(m.Moved() == board.Queen && p.Pawns.Has(m.From()))
}

// corrections are the entries for the position at ply.
func (t *Thread) corrections(ply int) [4]*int16 {
	p, h, us := &t.pos[ply], t.history, side(&t.pos[ply])
	return [4]*int16{
		&h.pawns[us][board.PawnKey(p)],
		&h.pieces[us][0][board.PieceKey(p, p.Ours)],
		&h.pieces[us][1][board.PieceKey(p, p.Theirs)],
		&h.following[t.before(ply, 2).Landing()][t.before(ply, 1).Landing()],
	}
}

// correction is what the histories add to the static value of the position at ply, in centipawns.
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

// correct moves the corrections by a share of what a search of some depth found beyond the corrected value, in centipawns.
func (t *Thread) correct(ply, depth, difference int) {
	step := max(-correctionMax/4, min(correctionMax/4, difference*min(depth+1, 16)/16))
	for _, c := range t.corrections(ply) {
		v := int(*c)
		*c = int16(v + step - v*max(step, -step)/correctionMax)
	}
}
