package nnue

import "tesla/board"

var (
	// geometry numbers the pairs of squares between which a queen or a knight moves, in the order of from, then to.
	geometry [64][64]uint16
	// underpromotion numbers the promotions to a knight by the files of the pawn's move. The numbers of a bishop and a
	// rook are larger by pawnPairs and twice that.
	underpromotion [8][8]uint16
)

const pawnPairs = 22 // pairs of files between which a pawn promotes

func init() {
	next := uint16(0)
	for from := range geometry {
		s := board.Square(from)
		for moves := board.QueenAttacks(s, 0) | board.KnightAttacks(s); moves != 0; next++ {
			geometry[from][moves.Pop()] = next
		}
	}
	for from := range underpromotion {
		for to := max(from-1, 0); to <= min(from+1, 7); to++ {
			underpromotion[from][to] = next
			next++
		}
	}
}

// Mirror is the mask that squares are XORed with before the policy net sees them: 7 if the king of the side to move
// stands on a file from e to h, else 0.
func Mirror(p *board.Position) board.Square {
	if p.King()&4 != 0 {
		return 7
	}
	return 0
}

// PolicyMove holds the inputs of the policy net for one move: the numbers of its two rows, and of its third bias.
type PolicyMove struct{ Row1, Row2, Scalar uint32 }

// PolicyInput returns the inputs of the policy net. It appends the features of p, those of pieces before those of pins,
// to rows, and the inputs of moves, which are legal in p, to of.
func PolicyInput(p *board.Position, moves []board.Move, rows []uint32, of []PolicyMove) ([]uint32, []PolicyMove) {
	var maps attackMaps
	maps.set(p)
	mirror := Mirror(p)
	for _, m := range moves {
		of = append(of, maps.move(p, m, mirror))
	}
	return policyRows(p, &maps, mirror, rows), of
}

// attackMaps holds the squares that the pieces of either side attack, and those on which ours give check. Pins are ignored.
type attackMaps struct {
	ours, theirs board.Bitboard
	checks       board.Checks
}

func (a *attackMaps) set(p *board.Position) {
	occupied := p.Occupied()
	a.ours = board.PawnAttacks(p.Pawns&p.Ours) | p.PieceAttacks(p.Ours, occupied)
	a.theirs = board.PawnAttacksDown(p.Pawns&p.Theirs) | p.PieceAttacks(p.Theirs, occupied)
	a.checks = p.Checks()
}

// maxPolicyRows is the largest number of policy features of a position: 64 pieces, and eight pins for each king.
const maxPolicyRows = 64 + 2*8

// policyRows appends the policy features of p, see doc.go.
func policyRows(p *board.Position, a *attackMaps, mirror board.Square, rows []uint32) []uint32 {
	types := [6]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens, p.Kings}
	sides := [2]struct{ pieces, attacked, defended board.Bitboard }{{p.Ours, a.theirs, a.ours}, {p.Theirs, a.ours, a.theirs}}
	for i := range sides {
		side := &sides[i]
		for t, b := range types {
			base := uint32(i*6+t) * 4
			for b &= side.pieces; b != 0; {
				s := b.Pop() & 63
				code := uint32(side.attacked>>s&1<<1 | side.defended>>s&1)
				rows = append(rows, (base+code)*64+uint32(s^mirror))
			}
		}
	}
	for i := range sides {
		for b := p.Blockers(sides[i].pieces) & sides[i].pieces; b != 0; {
			rows = append(rows, pieceFeatures*4+uint32(i)*64+uint32(b.Pop()^mirror))
		}
	}
	return rows
}

// move returns the inputs of the policy net for m.
func (a *attackMaps) move(p *board.Position, m board.Move, mirror board.Square) PolicyMove {
	from, to := m.From()^mirror, m.To()^mirror
	t := uint32(m.Moved() - board.Pawn)
	shape := geometry[from&63][to&63]
	if promoted := p.Promotion(m); promoted != board.None && promoted != board.Queen {
		shape = underpromotion[from&7][to&7] + pawnPairs*uint16(promoted-board.Knight)
	}
	captured := uint32(0)
	if m.IsCapture() {
		captured = uint32(m.Target())
	}
	good, check := bit(a.goodExchange(p, m)), bit(a.checks.Give(p, m))
	return PolicyMove{
		Row1:   2*uint32(shape) + good,
		Row2:   (2*t+check)*64 + uint32(to),
		Scalar: (captured*6+t)*4 + 2*good + check,
	}
}

// goodExchange is p.SEE(m, 0) with a shortcut for most quiet moves: they lose nothing on a square that no enemy
// attacks. A moving piece may open a line to that square, but only if an enemy attacked the piece itself.
func (a *attackMaps) goodExchange(p *board.Position, m board.Move) bool {
	if m.Target() == board.None && !a.theirs.Has(m.To()) && !a.theirs.Has(m.From()) {
		return true
	}
	return p.SEE(m, 0)
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
