package nnue

import "tesla/board"

const (
	white = iota
	black
	colours
)

// otherSide is added to a feature for a piece of the other side.
const otherSide = 384

// feature returns the feature of an own piece on a square of the own view, before mirroring and without the bucket.
func feature(t board.PieceType, s board.Square) uint32 { return uint32(t-1)*64 + uint32(s) }

// otherView returns a feature as the other colour sees it.
func otherView(f uint32) uint32 {
	f ^= 56
	if f < otherSide {
		return f + otherSide
	}
	return f - otherSide
}

// ply is one position of a Stack's line.
type ply struct {
	// changes holds, as each colour sees them, the adds features that the move added, then the subs that it removed.
	changes    [colours][4]uint32
	adds, subs uint8
	views      [colours]view
	done       [colours]bool // the accumulator is computed
	first      bool          // no position of the line precedes it
}

// Stack holds the accumulators of the positions of a line. It computes them when a value is asked for: from the nearest
// earlier position that has them, or by the refresh cache if a king move has changed the view since. It belongs to one
// goroutine, and allocates nothing after NewStack.
//
//	ply          0              1              2
//	plies     [changes ..]  [changes ..]  [changes ..]
//	acc       [white|black] [white|black] [white|black]      int16 [H] each
type Stack struct {
	net   *Net
	k     *kernels
	top   int
	plies []ply
	acc   []int16 // [plies][2][H]
	cache refreshCache
	rows  [maxRows]uint32
	// The layers behind the accumulators: the activations of both colours [2H], the sums of the first layer, the outputs.
	hidden []uint8
	sums   []int32
	out    [heads]float32
	evals  int64 // values computed
}

// NewStack returns a stack for lines of up to length positions.
func NewStack(n *Net, length int) *Stack {
	s := &Stack{net: n, k: active, plies: make([]ply, length), acc: aligned[int16](length * colours * n.H),
		hidden: aligned[uint8](2 * n.H), sums: aligned[int32](layer1)}
	s.cache.init(n)
	return s
}

// Reset begins a line at p.
func (s *Stack) Reset(p *board.Position) {
	s.top = -1
	s.Begin(p)
}

// Begin starts another line at p on top of the present one; Pop ends it.
func (s *Stack) Begin(p *board.Position) {
	us := colour(p)
	s.top++
	e := &s.plies[s.top]
	*e = ply{first: true}
	e.views[us] = s.net.views[p.King()&63]
	e.views[us^1] = s.net.views[(p.Kings&p.Theirs).First()^56&63]
}

// Evals returns the number of values computed since ResetEvals.
func (s *Stack) Evals() int64 { return s.evals }

// ResetEvals sets the count of Evals to zero.
func (s *Stack) ResetEvals() { s.evals = 0 }

func colour(p *board.Position) int {
	if p.Black {
		return black
	}
	return white
}

// Push adds the position after the legal move m of p, the position at the top. board.NullMove is a pass.
func (s *Stack) Push(p *board.Position, m board.Move) {
	from := &s.plies[s.top]
	s.top++
	e := &s.plies[s.top]
	e.views, e.done, e.first = from.views, [colours]bool{}, false
	e.adds, e.subs = 0, 0
	if m == board.NullMove {
		return
	}
	us := colour(p)
	mine := &e.changes[us]
	at, to, moved := m.From(), m.To(), m.Moved()
	switch {
	case m.IsCastling():
		king, rook := board.Square(2), board.Square(3)
		if to > at {
			king, rook = 6, 5
		}
		mine[0], mine[1] = feature(board.King, king), feature(board.Rook, rook)
		mine[2], mine[3] = feature(board.King, at), feature(board.Rook, to)
		e.adds, e.subs = 2, 2
		to = king
	default:
		before := moved
		if p.Pawns.Has(at) {
			before = board.Pawn
		}
		mine[0], mine[1] = feature(moved, to), feature(before, at)
		e.adds, e.subs = 1, 1
		if target := m.Target(); target != board.None {
			victim := to
			if target == board.Pawn && to == p.EnPassant {
				victim -= 8
			}
			mine[2] = feature(target, victim) + otherSide
			e.subs = 2
		}
	}
	theirs := &e.changes[us^1]
	for i, f := range mine {
		theirs[i] = otherView(f)
	}
	if moved == board.King {
		e.views[us] = s.net.views[to&63]
	}
}

// Pop removes the position at the top.
func (s *Stack) Pop() { s.top-- }

// accumulator returns the first element of an accumulator, [H].
func (s *Stack) accumulator(at, c int) *int16 { return &s.acc[(at*colours+c)*s.net.H] }

// compute computes both accumulators of p, the position at the top, if they are not known. It returns that of the side
// to move first.
func (s *Stack) compute(p *board.Position) (own, other *int16) {
	s.evals++
	for c := range colours {
		if !s.plies[s.top].done[c] {
			s.update(p, c)
		}
	}
	us := colour(p)
	return s.accumulator(s.top, us), s.accumulator(s.top, us^1)
}

// update computes the accumulator of colour c for p, the position at the top, and for the positions between it and the
// nearest earlier one that has it.
func (s *Stack) update(p *board.Position, c int) {
	at := s.top
	for ; !s.plies[at].done[c]; at-- {
		if s.plies[at].first || s.plies[at].views[c] != s.plies[at-1].views[c] {
			s.refresh(p, c)
			return
		}
	}
	table, width := &s.net.value.ft[0], s.net.H
	for ; at < s.top; at++ {
		e := &s.plies[at+1]
		base, mirror := e.views[c].base(), e.views[c].mirror()
		for i, f := range e.changes[c] {
			s.rows[i] = base + (f ^ mirror)
		}
		s.k.update(s.accumulator(at+1, c), s.accumulator(at, c), table, width, &s.rows[0], int(e.adds), int(e.subs))
		e.done[c] = true
	}
}

// refresh computes the accumulator of colour c for p, the position at the top, by the cache.
func (s *Stack) refresh(p *board.Position, c int) {
	e := &s.plies[s.top]
	copy(s.acc[(s.top*colours+c)*s.net.H:], s.cache.move(s, p, c, e.views[c]))
	e.done[c] = true
}
