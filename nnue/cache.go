package nnue

import "tesla/board"

// maxRows is the largest number of rows that one update adds and subtracts: on each square one piece replaces another.
const maxRows = 128

// refreshCache remembers for each colour and view the accumulator of the last position and the bitboards that it was
// built from. A position of the same view costs only the pieces in which it differs from that one.
type refreshCache struct {
	width   int
	entries []refreshEntry // [2][views]
	views   int
	sums    []int16 // [2][views][H]
	bias    []int16
	table   []int16
}

type refreshEntry struct {
	boards [12]board.Bitboard // own pawns to king, the other side's, own view
}

func (r *refreshCache) init(n *Net) {
	r.width, r.views, r.bias, r.table = n.H, 2*n.K, n.value.bias, n.value.ft
	r.entries = make([]refreshEntry, colours*r.views)
	r.sums = aligned[int16](len(r.entries) * n.H)
	for i := range r.entries {
		copy(r.sums[i*n.H:], r.bias)
	}
}

// move brings the entry of colour c and view v to p and returns its sums, [H].
func (r *refreshCache) move(s *Stack, p *board.Position, c int, v view) []int16 {
	i := c*r.views + int(v)
	e, sums := &r.entries[i], r.sums[i*r.width:][:r.width]
	want := ownView(p, c)
	base, mirror := v.base(), v.mirror()
	adds := differences(&want, &e.boards, base, mirror, s.rows[:0])
	all := differences(&e.boards, &want, base, mirror, adds)
	src := &sums[0]
	if len(all) > p.Occupied().Count() {
		src = &r.bias[0]
		adds = differences(&want, &[12]board.Bitboard{}, base, mirror, s.rows[:0])
		all = adds
	}
	if len(all) > 0 {
		s.k.update(&sums[0], src, &r.table[0], r.width, &s.rows[0], len(adds), len(all)-len(adds))
		e.boards = want
	}
	return sums
}

// ownView is the bitboards of p as colour c sees them: own pawns to king, then the other side's.
func ownView(p *board.Position, c int) (b [12]board.Bitboard) {
	types := [6]board.Bitboard{p.Pawns, p.Knights, p.Bishops, p.Rooks, p.Queens, p.Kings}
	if c == colour(p) {
		for i, t := range types {
			b[i], b[i+6] = t&p.Ours, t&p.Theirs
		}
		return b
	}
	for i, t := range types {
		b[i], b[i+6] = (t & p.Theirs).Flip(), (t & p.Ours).Flip()
	}
	return b
}

// differences appends the rows of the pieces of a that b lacks.
func differences(a, b *[12]board.Bitboard, base, mirror uint32, rows []uint32) []uint32 {
	for i := range a {
		for set := a[i] &^ b[i]; set != 0; {
			rows = append(rows, base+(uint32(i)*64+uint32(set.Pop()))^mirror)
		}
	}
	return rows
}
