package treesearch

import "tesla/board"

// A draw score makes a draw worth more or less than equality to the side that searches: less against a weaker opponent.
// Positions that are draws by rule have it. The net's values do not know it.

// beginDraws takes the draw score of the limits over. An analysis has none. It tells whether the last search's was the same.
func (l *Loop) beginDraws(p *board.Position) (same bool) {
	forBlack := 0
	if !l.limits.Infinite {
		if forBlack = l.limits.DrawScore; !p.Black {
			forBlack = -forBlack
		}
	}
	same, l.drawForBlack = forBlack == l.drawForBlack, forBlack
	return same
}

// drawFor is the score of a draw for a side, centipawns.
func (l *Loop) drawFor(black bool) int {
	if black {
		return l.drawForBlack
	}
	return -l.drawForBlack
}

// Settled is the score of a position that Leaf.Reach has settled at cp, for the side that moved there.
func (l *Loop) Settled(cp int, p *board.Position) int {
	if cp != 0 {
		return cp
	}
	return l.drawFor(!p.Black)
}

// DrawAfter is the score of a draw that is reached some plies after the root, for the side that moved there.
func (l *Loop) DrawAfter(plies int) int { return l.drawFor(l.game.Pos.Black == (plies&1 == 1)) }
