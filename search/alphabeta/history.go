package alphabeta

import "tesla/board"

// Bounds of the values of move histories.
const (
	butterflyMax = 7183
	captureMax   = 10692
	continuedMax = 29952
)

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

// learn moves a value towards the sign of a bonus, by less the nearer it is to most.
func learn(h *int16, bonus, most int) {
	v := int(*h)
	*h = int16(v + bonus - v*max(bonus, -bonus)/most)
}

// bonus is what a cutoff at a depth adds to a history.
func bonus(depth int) int { return min((bonusSquare*depth+bonusPly)*depth-bonusLess, bonusMost) }

// The bonus of a cutoff, at most bonusMost.
const (
	bonusSquare = 12 // times the square of the depth
	bonusPly    = 282
	bonusLess   = 349
	bonusMost   = 1594
)

// continuations are the distances, in plies, of the earlier moves that a quiet move's history counts with.
var continuations = [4]int{1, 2, 4, furthest}

const furthest = 6 // the last of continuations

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

// continuedHistory is the sum of the histories of a quiet move by the moves one, two and four plies before. They count
// where moves are reduced and pruned.
func (t *Thread) continuedHistory(ply int, m board.Move) int {
	h, before, landing := &t.history.continued, t.landings[ply:][:furthest], m.Landing()&511
	return int(h[before[furthest-1]&511][landing]) + int(h[before[furthest-2]&511][landing]) +
		int(h[before[furthest-4]&511][landing])
}

// failed reports whether the histories of a quiet move by each of the last two moves are negative.
func (t *Thread) failed(ply int, m board.Move) bool {
	for back := 1; back <= 2; back++ {
		before := t.moveBefore(ply, back)
		if before == board.NullMove || t.history.continued[before.Landing()][m.Landing()] >= 0 {
			return false
		}
	}
	return true
}

// butterflyFactor is what the history by squares counts for.
const butterflyFactor = 2

// butterflyHistory is that of a quiet move by its squares.
func (t *Thread) butterflyHistory(p *board.Position, m board.Move) int {
	return butterflyFactor * int(t.history.butterfly[side(p)][m&4095])
}

// quietHistory is the histories by which the quiet moves of a position are ordered. By earlier moves they are those of
// continuations, and the first counts twice.
type quietHistory struct {
	butterfly *[64 * 64]int16
	continued [len(continuations)]*[512]int16
}

func (t *Thread) quietHistory(p *board.Position, ply int) (q quietHistory) {
	q.butterfly = &t.history.butterfly[side(p)]
	for i, back := range continuations {
		q.continued[i] = &t.history.continued[t.landings[furthest+ply-back]&511]
	}
	return q
}

// of is the sum of the histories of a move.
func (q *quietHistory) of(m board.Move) int32 {
	landing, c := m.Landing()&511, &q.continued
	return butterflyFactor*int32(q.butterfly[m&4095]) +
		2*int32(c[0][landing]) + int32(c[1][landing]) + int32(c[2][landing]) + int32(c[3][landing])
}

func (t *Thread) captureOf(m board.Move) *int16 { return &t.history.capture[m.Landing()][m.Target()&7] }

const (
	surprise    = 38 // centipawns: a cut that lies further above beta teaches histories as a deeper one does
	refuteDepth = 5  // the least depth at which the last move learns that no reply reached alpha
)

// reward makes the histories and killers learn that a move cut, after the node's losers had not.
func (t *Thread) reward(n *node, cut board.Move) {
	p, ply := &t.pos[n.ply], n.ply
	plus, more := bonus(n.depth), bonus(n.depth+1)
	if n.best > n.beta+surprise {
		plus = more
	}
	if isQuiet(p, cut) {
		t.learnCut(p, ply, cut, plus)
	} else {
		learn(t.captureOf(cut), more, captureMax)
	}
	for _, m := range n.losers[:min(n.tried-1, len(n.losers))] {
		if !isQuiet(p, m) {
			learn(t.captureOf(m), -more, captureMax)
		} else if isQuiet(p, cut) {
			t.learnQuiet(p, ply, m, -plus)
		}
	}
	if ply > 0 {
		t.learnRefuted(ply-1, 1, more)
	}
}

// learnRefuted makes the history of the quiet move that was made at ply learn that it was refuted, if it is among a number
// of first moves there.
func (t *Thread) learnRefuted(ply, first, bonus int) {
	if f := &t.frames[ply]; f.move != board.NullMove && f.tried < first && isQuiet(&t.pos[ply], f.move) {
		t.learnContinued(ply, f.move, -bonus)
	}
}

// learnCut makes the histories and killers learn that a quiet move cut.
func (t *Thread) learnCut(p *board.Position, ply int, m board.Move, plus int) {
	f := &t.frames[ply]
	if f.killers[0] != m {
		f.killers[0], f.killers[1] = m, f.killers[0]
	}
	t.learnQuiet(p, ply, m, plus)
}

// learnQuiet adds a bonus to the histories of a quiet move.
func (t *Thread) learnQuiet(p *board.Position, ply int, m board.Move, bonus int) {
	learn(&t.history.butterfly[side(p)][m&4095], bonus, butterflyMax)
	t.learnContinued(ply, m, bonus)
}

// learnContinued adds a bonus to the histories of a move by earlier moves.
func (t *Thread) learnContinued(ply int, m board.Move, bonus int) {
	for i, back := range continuations {
		if i > 1 && t.pos[ply].InCheck() {
			break
		}
		if before := t.moveBefore(ply, back); before != board.NullMove {
			learn(&t.history.continued[before.Landing()][m.Landing()], bonus, continuedMax)
		}
	}
}

// captureShare divides what a capture learns from a second search.
const captureShare = 6

// learnAgain makes the histories by earlier moves learn from the second search of a move that was reduced at first.
func (t *Thread) learnAgain(ply, depth int, m board.Move, high bool) {
	plus := bonus(depth)
	if !high {
		plus = -plus
	}
	if !isQuiet(&t.pos[ply], m) {
		plus /= captureShare
	}
	t.learnContinued(ply, m, plus)
}

// What a quiet move's history learns from the change of the static value.
const (
	staticSlope = 68 // for each centipawn
	staticMost  = 1914
)

// learnStatic makes the history of the move before ply, where it is quiet, learn from the static values before and after
// it (Stockfish).
func (t *Thread) learnStatic(ply int) {
	if ply == 0 {
		return
	}
	before := &t.frames[ply-1]
	if m := before.move; m != board.NullMove && before.static != infinite && isQuiet(&t.pos[ply-1], m) {
		change := max(-staticMost, min(staticMost, -staticSlope*(before.static+t.frames[ply].static)))
		learn(&t.history.butterfly[side(&t.pos[ply-1])][m&4095], change, butterflyMax)
	}
}

// learnTable makes histories learn that an entry of the table ends the search of a node with a value.
func (t *Thread) learnTable(n *node, m board.Move, value int) {
	p, ply := &t.pos[n.ply], n.ply
	if m == board.NullMove || !p.IsLegal(m) {
		return
	}
	switch quiet := isQuiet(p, m); {
	case value >= n.beta:
		if quiet {
			t.learnCut(p, ply, m, bonus(n.depth))
		}
		t.learnRefuted(ply-1, 2, bonus(n.depth+1))
	case quiet:
		t.learnQuiet(p, ply, m, -bonus(n.depth))
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
	if t.mode.Verify {
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
