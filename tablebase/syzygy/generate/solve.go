package generate

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"tesla/board"
	"tesla/tablebase/syzygy"
)

// The state of a position. Wins and losses are those of the side to move.
const (
	unknown uint8 = iota
	illegal
	draw
	win
	loss
)

// mostPlies is the longest distance that the fifty-move rule does not make a draw.
const mostPlies = 100

// piece is what stands on a square.
type piece struct {
	white bool
	kind  board.PieceType
}

// solver solves all positions of one material. A position's number is the side to move, 1 for black, and then six bits for
// the square of each piece as White sees it.
type solver struct {
	tables *syzygy.Tables // of what captures and promotions lead to
	pieces []piece        // the kings first
	pawns  []int          // indices of pawns
	state  []uint8
	plies  []uint8 // to the next capture, pawn move or mate, of wins and losses
	left   []uint8 // legal moves without capture or pawn move that are not known to lose
	holds  []bool  // some capture or pawn move draws
}

func newSolver(tables *syzygy.Tables, name string) *solver {
	s := &solver{tables: tables, pieces: []piece{{true, board.King}, {false, board.King}}}
	white := true
	kinds := map[rune]board.PieceType{'P': board.Pawn, 'N': board.Knight, 'B': board.Bishop, 'R': board.Rook, 'Q': board.Queen}
	for _, c := range name {
		if c == 'v' {
			white = false
		}
		if kind, ok := kinds[c]; ok {
			if kind == board.Pawn {
				s.pawns = append(s.pawns, len(s.pieces))
			}
			s.pieces = append(s.pieces, piece{white, kind})
		}
	}
	n := s.count()
	s.state, s.plies, s.left, s.holds = make([]uint8, n), make([]uint8, n), make([]uint8, n), make([]bool, n)
	return s
}

// count is the number of positions, illegal ones included.
func (s *solver) count() int { return 2 << (6 * len(s.pieces)) }

// shift is where a number has the square of piece i.
func (s *solver) shift(i int) int { return 6 * (len(s.pieces) - 1 - i) }

func (s *solver) square(number, i int) int { return number >> s.shift(i) & 63 }

func (s *solver) black(number int) bool { return number>>(6*len(s.pieces)) != 0 }

// move is the number of a position with piece i on another square and the other side to move.
func (s *solver) move(number, i, to int) int {
	return (number&^(63<<s.shift(i)) | to<<s.shift(i)) ^ 1<<(6*len(s.pieces))
}

// position sets p to a position; false where pieces share a square, a pawn stands where none can, or the side that is not
// to move is in check.
func (s *solver) position(number int, p *board.Position) bool {
	*p = board.Position{EnPassant: board.NoSquare, Black: s.black(number), Fullmove: 1}
	mask := 0
	if p.Black {
		mask = 56
	}
	sets := [...]*board.Bitboard{board.Pawn: &p.Pawns, board.Knight: &p.Knights, board.Bishop: &p.Bishops, board.Rook: &p.Rooks,
		board.Queen: &p.Queens, board.King: &p.Kings}
	for i, x := range s.pieces {
		square := s.square(number, i)
		bit := board.Square(square ^ mask).Bitboard()
		if (p.Ours|p.Theirs)&bit != 0 || x.kind == board.Pawn && (square < 8 || square >= 56) {
			return false
		}
		*sets[x.kind] |= bit
		if x.white != p.Black {
			p.Ours |= bit
		} else {
			p.Theirs |= bit
		}
	}
	king := (p.Kings & p.Theirs).First()
	return p.AttackersTo(king, p.Ours|p.Theirs)&p.Ours == 0
}

// number is the inverse of position.
func (s *solver) number(p *board.Position) int {
	n, mask := 0, board.Square(0)
	if p.Black {
		n, mask = 1, 56
	}
	var taken board.Bitboard
	sets := [...]board.Bitboard{board.Pawn: p.Pawns, board.Knight: p.Knights, board.Bishop: p.Bishops, board.Rook: p.Rooks,
		board.Queen: p.Queens, board.King: p.Kings}
	for _, x := range s.pieces {
		side := p.Theirs
		if x.white != p.Black {
			side = p.Ours
		}
		square := (sets[x.kind] & side &^ taken).First()
		taken |= square.Bitboard()
		n = n<<6 | int(square^mask)
	}
	return n
}

// solve finds the value of each position. Pawn moves lead from one placement of the pawns to another, so the most advanced
// placements come first.
func (s *solver) solve(ctx context.Context) error {
	for _, squares := range s.pawnPlacements() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.slice(squares); err != nil {
			return err
		}
	}
	return nil
}

// pawnPlacements lists the squares of the pawns, the most advanced first.
func (s *solver) pawnPlacements() (all [][]int) {
	all = [][]int{nil}
	for range s.pawns {
		var longer [][]int
		for _, squares := range all {
			for to := 8; to < 56; to++ {
				if !slices.Contains(squares, to) {
					longer = append(longer, append(slices.Clone(squares), to))
				}
			}
		}
		all = longer
	}
	advance := func(squares []int) (sum int) {
		for k, square := range squares {
			if s.pieces[s.pawns[k]].white {
				sum += square >> 3
			} else {
				sum += 7 - square>>3
			}
		}
		return sum
	}
	slices.SortStableFunc(all, func(a, b []int) int { return advance(b) - advance(a) })
	return all
}

// slice solves the positions of one placement of the pawns.
func (s *solver) slice(pawns []int) error {
	levels, err := s.begin(pawns)
	if err != nil {
		return err
	}
	for d := 0; d < len(levels); d++ {
		if d > mostPlies && len(levels[d]) > 0 {
			return fmt.Errorf("a distance of %d plies: no tables with wins that the fifty-move rule makes draws", d)
		}
		if d+1 == len(levels) && len(levels[d]) > 0 {
			levels = append(levels, nil)
		}
		for _, number := range levels[d] {
			lost := s.state[number] == loss
			s.before(number, func(from int) {
				if s.state[from] != unknown {
					return
				}
				if lost {
					s.state[from], s.plies[from] = win, uint8(d+1)
					levels[d+1] = append(levels[d+1], from)
					return
				}
				if s.left[from]--; s.left[from] > 0 {
					return
				}
				if s.holds[from] {
					s.state[from] = draw
					return
				}
				s.state[from], s.plies[from] = loss, uint8(d+1)
				levels[d+1] = append(levels[d+1], from)
			})
		}
	}
	s.each(pawns, func(number int) {
		if s.state[number] == unknown {
			s.state[number] = draw
		}
	})
	return nil
}

// each calls f for the number of each position with the pawns there, legal or not.
func (s *solver) each(pawns []int, f func(number int)) {
	free, fixed := []int{}, 0
	for i := range s.pieces {
		if k := slices.Index(s.pawns, i); k >= 0 {
			fixed |= pawns[k] << s.shift(i)
		} else {
			free = append(free, i)
		}
	}
	for rest := range 2 << (6 * len(free)) {
		number := fixed | rest>>(6*len(free))<<(6*len(s.pieces))
		for k, i := range free {
			number |= rest >> (6 * k) & 63 << s.shift(i)
		}
		f(number)
	}
}

// begin looks at each position of a slice alone, and returns those that are decided, by distance.
func (s *solver) begin(pawns []int) ([][]int, error) {
	var numbers []int
	s.each(pawns, func(number int) { numbers = append(numbers, number) })
	workers := runtime.NumCPU()
	decided, errs := make([][2][]int, workers), make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for _, number := range numbers[w*len(numbers)/workers : (w+1)*len(numbers)/workers] {
				if err := s.first(number); err != nil {
					errs[w] = err
					return
				}
				if state := s.state[number]; state == win || state == loss {
					d := s.plies[number]
					decided[w][d] = append(decided[w][d], number)
				}
			}
		})
	}
	wait.Wait()
	levels := make([][]int, 2)
	for w, found := range decided {
		if errs[w] != nil {
			return nil, errs[w]
		}
		for d := range levels {
			levels[d] = append(levels[d], found[d]...)
		}
	}
	return levels, nil
}

// first sets the state of a position by its own moves: mate, stalemate, captures, pawn moves.
func (s *solver) first(number int) error {
	var p board.Position
	if !s.position(number, &p) {
		s.state[number] = illegal
		return nil
	}
	var list [board.MaxMoves]board.Move
	moves := p.LegalMoves(list[:0])
	best := syzygy.Loss
	for _, m := range moves {
		if !m.IsCapture() && !p.Pawns.Has(m.From()) {
			s.left[number]++
			continue
		}
		next := p.After(m)
		v, err := s.value(&p, m, &next)
		if err != nil {
			return fmt.Errorf("%s: %w", p.FEN(false), err)
		}
		best = max(best, -v)
	}
	zeroing := len(moves) - int(s.left[number])
	s.holds[number] = zeroing > 0 && best == syzygy.Draw
	switch {
	case len(moves) == 0 && p.InCheck():
		s.state[number] = loss
	case len(moves) == 0:
		s.state[number] = draw
	case zeroing > 0 && best == syzygy.Win:
		s.state[number], s.plies[number] = win, 1
	case s.left[number] == 0 && s.holds[number]:
		s.state[number] = draw
	case s.left[number] == 0:
		s.state[number], s.plies[number] = loss, 1
	}
	return nil
}

// value is the value of the position after a capture or a pawn move m of p.
func (s *solver) value(p *board.Position, m board.Move, next *board.Position) (syzygy.WDL, error) {
	if m.IsCapture() || p.Promotion(m) != board.None {
		return s.tables.WDL(next, syzygy.Hard)
	}
	v := [...]syzygy.WDL{draw: syzygy.Draw, win: syzygy.Win, loss: syzygy.Loss}[s.state[s.number(next)]]
	if next.EnPassant == board.NoSquare {
		return v, nil
	}
	var list [board.MaxMoves]board.Move
	moves := next.LegalMoves(list[:0])
	best, passing := syzygy.Loss, 0
	for _, m := range moves {
		if m.To() != next.EnPassant || !next.Pawns.Has(m.From()) {
			continue
		}
		passing++
		after := next.After(m)
		w, err := s.tables.WDL(&after, syzygy.Hard)
		if err != nil {
			return 0, err
		}
		best = max(best, -w)
	}
	if passing == len(moves) {
		return best, nil
	}
	return max(v, best), nil
}

// before calls f for the positions from which a move that is neither capture nor pawn move leads to a position.
func (s *solver) before(number int, f func(from int)) {
	var occupied board.Bitboard
	for i := range s.pieces {
		occupied |= board.Square(s.square(number, i)).Bitboard()
	}
	for i, x := range s.pieces {
		if x.white != s.black(number) || x.kind == board.Pawn {
			continue
		}
		for to := attacks(x.kind, board.Square(s.square(number, i)), occupied) &^ occupied; to != 0; {
			f(s.move(number, i, int(to.Pop())))
		}
	}
}

func attacks(kind board.PieceType, from board.Square, occupied board.Bitboard) board.Bitboard {
	switch kind {
	case board.Knight:
		return board.KnightAttacks(from)
	case board.Bishop:
		return board.BishopAttacks(from, occupied)
	case board.Rook:
		return board.RookAttacks(from, occupied)
	case board.Queen:
		return board.QueenAttacks(from, occupied)
	}
	return board.KingAttacks(from)
}

// values returns the contents of the WDL and the DTZ file, by part and side. Indices without a legal position repeat the
// value before them.
func (s *solver) values(l *syzygy.Layout) (wdl, dtz [][][]uint8, err error) {
	const none = 0xff
	for f := range l.Files() {
		var w, z [][]uint8
		for range l.Sides() {
			w = append(w, []uint8(strings.Repeat(string([]byte{none}), int(l.Size(f)))))
		}
		z = append(z, slices.Clone(w[0]))
		wdl, dtz = append(wdl, w), append(dtz, z)
	}
	var p board.Position
	for number, state := range s.state {
		king := s.square(number, 0)
		if state == illegal || len(s.pawns) == 0 && (king&7 > 3 || king>>3 > 3) {
			continue // the mirrored position has the same index; with pawns such as c2 and f2 it has another one
		}
		if !s.position(number, &p) {
			continue
		}
		file, side, index := l.Locate(&p)
		wdl[file][side][index] = uint8([...]syzygy.WDL{draw: syzygy.Draw, win: syzygy.Win, loss: syzygy.Loss}[state] - syzygy.Loss)
		if side == 0 && state != draw {
			dtz[file][0][index] = max(s.plies[number], 1) - 1
		}
	}
	for f := range wdl {
		for _, values := range append(wdl[f], dtz[f]...) {
			last := uint8(0)
			for i, v := range values {
				if v == none {
					values[i] = last
				}
				last = values[i]
			}
		}
	}
	return wdl, dtz, nil
}
