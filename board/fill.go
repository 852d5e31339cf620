package board

// countSliders counts the moves to targets of sets of sliders that are not pinned. In one direction the moves of two
// sliders never share a target, for the nearer one stands in the way of the other, so each direction is filled for all
// of them at once (Kogge and Stone 1973).
func countSliders(rooks, bishops, occ, targets Bitboard) int {
	east, west := targets&^fileA, targets&^fileH
	free := ^occ
	n := (fillUp(rooks, free, 8) & targets).Count() + (fillDown(rooks, free, 8) & targets).Count()
	fenced := occ | fileH
	n += ((fenced ^ (fenced - (rooks&^fileH)<<1)) & targets).Count()
	fromEast, fromWest := free&^fileH, free&^fileA
	n += (fillDown(rooks, fromEast, 1) & west).Count()
	n += (fillUp(bishops, fromWest, 9) & east).Count() + (fillDown(bishops, fromEast, 9) & west).Count()
	return n + (fillUp(bishops, fromEast, 7) & west).Count() + (fillDown(bishops, fromWest, 7) & east).Count()
}

// fillUp returns the squares that pieces reach by steps of step squares up, over free squares.
func fillUp(pieces, free Bitboard, step int) Bitboard {
	pieces |= free & (pieces << step)
	free &= free << step
	pieces |= free & (pieces << (2 * step))
	free &= free << (2 * step)
	return (pieces | free&(pieces<<(4*step))) << step
}

// fillDown is fillUp downwards.
func fillDown(pieces, free Bitboard, step int) Bitboard {
	pieces |= free & (pieces >> step)
	free &= free >> step
	pieces |= free & (pieces >> (2 * step))
	free &= free >> (2 * step)
	return (pieces | free&(pieces>>(4*step))) >> step
}
