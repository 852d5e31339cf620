package syzygy

import (
	"cmp"
	"errors"
	"sync"

	"tesla/board"
)

// WDL is the value of a position for the side to move under the fifty-move rule, with the counter at zero.
type WDL int8

// The values. A cursed win and a blessed loss are draws by the fifty-move rule alone.
const (
	Loss WDL = iota - 2
	BlessedLoss
	Draw
	CursedWin
	Win
)

// ErrCastling says that a position cannot be probed because somebody may still castle.
var ErrCastling = errors.New("tables have no positions with castling rights")

// errOtherSide says that a DTZ table holds the distances of the other side to move.
var errOtherSide = errors.New("other side to move in the table")

// prober is one probe.
type prober struct {
	*Tables
	probe Probe
}

// WDL returns the value of p. A soft probe does not read from the disk, see ErrNotCached; other errors are
// ErrNoTable, ErrCastling, and those of files that are corrupt or cannot be read.
func (t *Tables) WDL(p *board.Position, probe Probe) (WDL, error) {
	if p.Castling != 0 {
		return 0, ErrCastling
	}
	v, _, err := prober{t, probe}.search(p, false)
	return v, err
}

// DTZ returns the distance in plies to the next capture or pawn move with best play: positive where the side to move wins,
// negative where it loses, 0 for a draw; beyond 100 either way the fifty-move rule makes it a draw. Where a table counts
// moves, not plies, the distance may be one ply too short. Errors are those of WDL.
func (t *Tables) DTZ(p *board.Position, probe Probe) (int, error) {
	if p.Castling != 0 {
		return 0, ErrCastling
	}
	return prober{t, probe}.dtz(p)
}

// search returns the value of p: the better of the table's and the captures' (and, with pawns, the pawn moves'), which tables
// may ignore. zeroing tells that one of these moves is as good as the value.
func (t prober) search(p *board.Position, pawns bool) (value WDL, zeroing bool, err error) {
	best, tried, all := Loss, 0, false
	if mayCapture(p) || pawns && p.Pawns&p.Ours != 0 {
		if best, tried, all, err = t.zeroing(p, pawns); err != nil {
			return 0, false, err
		}
		if best == Win {
			return Win, true, nil
		}
	}
	value = best
	if !all {
		if value, err = t.wdlTable(p); err != nil {
			return 0, false, err
		}
	}
	if best >= value && tried > 0 {
		return best, best > Draw || all, nil
	}
	return value, false, nil
}

// zeroing returns the best value that a capture (or, with pawns, a pawn move) gives p, the number of those moves that were
// tried, and whether they are all legal moves.
func (t prober) zeroing(p *board.Position, pawns bool) (best WDL, tried int, all bool, err error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	moves := p.LegalMoves(s.list[:0])
	best = Loss
	for _, m := range moves {
		if !m.IsCapture() && !(pawns && isPawnMove(p, m)) {
			continue
		}
		tried++
		p.Make(m, &s.next)
		v, _, err := t.search(&s.next, false)
		if err != nil {
			return 0, 0, false, err
		}
		if best = max(best, -v); best == Win {
			break
		}
	}
	return best, tried, tried > 0 && tried == len(moves), nil
}

// scratch is memory for the moves of a position, which would be on the heap otherwise: most probes need none.
type scratch struct {
	list [board.MaxMoves]board.Move
	next board.Position
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// mayCapture reports whether a piece of the side to move attacks one of the other side, or may capture en passant. In most
// positions with few pieces none does, and no moves have to be listed.
func mayCapture(p *board.Position) bool {
	targets := p.Theirs &^ p.Kings
	if targets == 0 {
		return false
	}
	attacked := board.PawnAttacks(p.Pawns&p.Ours) | p.PieceAttacks(p.Ours, p.Occupied())
	return attacked&targets != 0 || p.EnPassant != board.NoSquare
}

// isPawnMove reports whether m moves a pawn, which it may promote.
func isPawnMove(p *board.Position, m board.Move) bool { return p.Pawns.Has(m.From()) }

func (t prober) wdlTable(p *board.Position) (WDL, error) {
	if p.Occupied().Count() == 2 {
		return Draw, nil
	}
	x, swapped, f, err := t.lookup(p, false, t.probe)
	if err != nil {
		return 0, err
	}
	v, _, err := x.probe(p, swapped, t.probe)
	if err == nil && (v < 0 || v > int(Win-Loss)) {
		err = errCorrupt
	}
	return WDL(v) + Loss, failed(f, err)
}

// dtz is DTZ of a position without castling rights.
func (t prober) dtz(p *board.Position) (int, error) {
	wdl, zeroing, err := t.search(p, true)
	if err != nil || wdl == Draw {
		return 0, err
	}
	if zeroing {
		return beforeZeroing(wdl), nil
	}
	d, err := t.dtzTable(p, wdl)
	if errors.Is(err, errOtherSide) {
		return t.dtzByMoves(p, wdl)
	}
	if err != nil {
		return 0, err
	}
	if wdl == CursedWin || wdl == BlessedLoss {
		d += 100
	}
	return d * cmp.Compare(wdl, Draw), nil
}

// beforeZeroing is the distance where the best move is a capture or a pawn move.
func beforeZeroing(v WDL) int {
	return [...]int{-1, -101, 0, 101, 1}[v-Loss]
}

// dtzTable is the distance in the table, in plies, for the value of the position.
func (t prober) dtzTable(p *board.Position, wdl WDL) (int, error) {
	x, swapped, f, err := t.lookup(p, true, t.probe)
	if err != nil {
		return 0, err
	}
	v, d, err := x.probe(p, swapped, t.probe)
	if err != nil {
		return 0, failed(f, err)
	}
	if d.flags&flagMapped != 0 {
		values := d.valueMap[[...]int{1, 3, 0, 2, 0}[wdl-Loss]] // wins, losses, cursed wins, blessed losses
		if v >= len(values) {
			return 0, failed(f, errCorrupt)
		}
		v = int(values[v])
	}
	if wdl == Win && d.flags&flagWin == 0 || wdl == Loss && d.flags&flagLoss == 0 || wdl == CursedWin || wdl == BlessedLoss {
		v *= 2
	}
	return v + 1, nil
}

// dtzByMoves is the distance by those of the positions after each move.
func (t prober) dtzByMoves(p *board.Position, wdl WDL) (int, error) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	best, found := 0, false
	for _, m := range p.LegalMoves(s.list[:0]) {
		p.Make(m, &s.next)
		d, err := t.dtzAfter(p, m, &s.next)
		if err != nil {
			return 0, err
		}
		if cmp.Compare(d, 0) == cmp.Compare(wdl, Draw) && (!found || d < best) {
			best, found = d, true
		}
	}
	if !found { // no legal move: it is mate
		return -1, nil
	}
	return best, nil
}

// dtzAfter is the distance of p if it goes on with m to next.
func (t prober) dtzAfter(p *board.Position, m board.Move, next *board.Position) (int, error) {
	if m.IsCapture() || isPawnMove(p, m) {
		v, _, err := t.search(next, false)
		return -beforeZeroing(v), err
	}
	d, err := t.dtz(next)
	if d = -d; d == 1 && next.InCheck() && !next.HasLegalMove() {
		return 1, err // it mates
	}
	return d + cmp.Compare(d, 0), err
}

// probe returns the value that the table holds of p, and the part that it is in. swapped tells that the side to move is the
// second of the table's name, black in the table.
func (t *table) probe(p *board.Position, swapped bool, probe Probe) (int, *pairs, error) {
	file, side, index := t.locate(p, swapped)
	d := &t.parts[file][side]
	if t.dtz && !(t.equal && t.pawns[0] == 0) && d.flags&flagBlack != 0 != swapped {
		return 0, nil, errOtherSide
	}
	v, err := d.value(index, probe)
	return v, d, err
}

// locate returns the part that holds p, by the file of the leading pawn and the side to move, and the index in it.
func (t *table) locate(p *board.Position, swapped bool) (file, side int, index int64) {
	var squares [MaxPieces]int // as the table has them, with its white side below
	kinds := [8]board.Bitboard{0, p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens, p.Kings, 0}
	sides, mask := [2]board.Bitboard{p.Ours, p.Theirs}, 0
	if swapped {
		sides, mask = [2]board.Bitboard{p.Theirs, p.Ours}, 56
		side = t.sides - 1
	}
	n := 0
	add := func(code byte) { // equal pieces follow each other in the order
		for b := sides[code>>3&1] & kinds[code&7]; b != 0 && n < MaxPieces; n++ {
			squares[n] = int(b.Pop()) ^ mask
		}
	}
	if t.pawns[0] > 0 {
		add(t.parts[0][0].pieces[0])
		file = leadFile(squares[:n])
	}
	d := &t.parts[file][side]
	for n < len(d.pieces) {
		before := n
		if add(d.pieces[n]); n == before {
			break // p has not the material of the table
		}
	}
	return file, side, t.index(d, squares[:len(d.pieces)])
}
