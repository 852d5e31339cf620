package treesearch

import (
	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// A draw score makes a draw worth more or less than equality to the side that searches: less against a weaker opponent.
// Positions that are draws have it, and the net's values shift by it in proportion to the draws that the net expects.

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

// Value is the value of a leaf by its evaluated item, with the draw score, in centipawns for the side to move.
func (l *Loop) Value(leaf *Leaf, it *batcher.Item) int {
	cp := leaf.Value(it)
	if l.drawForBlack == 0 || search.IsDecided(cp) {
		return cp
	}
	shift := float64(it.Eval.D) * search.CPToQ(l.drawFor(it.Position.Black))
	return search.QToCP(max(-1, min(1, search.CPToQ(cp)+shift)))
}
