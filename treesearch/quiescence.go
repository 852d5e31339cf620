package treesearch

import "tesla/board"

const (
	// quietPlies bounds a quiescence search, evasionPlies the part of it that looks at all evasions of a check.
	quietPlies   = 8
	evasionPlies = 3
	// mated is the balance of a side that is mated in a quiescence search, beyond all material.
	mated = -10000
)

// settleMaterial plays the captures that win material, standing pat allowed, and the evasions of checks: what a static value has
// not seen yet. quiet becomes the position where all is collected; it reports whether that is another one.
func settleMaterial(p, quiet *board.Position) bool {
	quiesce(p, quiet, -20000, 20000, 0, quietPlies)
	return quiet.Key != p.Key
}

// quiesce is the material balance (centipawns) after captures that lose nothing by static exchange and all evasions of
// early checks, within (alpha, beta), where balance is that of the position itself.
func quiesce(p, quiet *board.Position, alpha, beta, balance, plies int) int {
	*quiet = *p
	var buffer [board.MaxMoves]board.Move
	var moves []board.Move
	best := balance
	evade := plies > quietPlies-evasionPlies && p.InCheck()
	if evade {
		if moves = p.LegalMoves(buffer[:0]); len(moves) == 0 {
			return mated
		}
		best = mated
	} else {
		if best >= beta || plies == 0 {
			return best
		}
		alpha = max(alpha, best)
		moves = p.LegalCaptures(buffer[:0])
	}
	var next, end board.Position
	for len(moves) > 0 {
		m := takeBest(&moves)
		won := p.Gain(m)
		if !evade && (balance+won+100 <= alpha || !p.SEE(m, 0)) {
			continue
		}
		p.Make(m, &next)
		if v := -quiesce(&next, &end, -beta, -alpha, -balance-won, plies-1); v > best {
			best, *quiet = v, end
			if alpha = max(alpha, v); alpha >= beta {
				break
			}
		}
	}
	return best
}

// takeBest removes the capture of the most valuable victim by the least valuable attacker.
func takeBest(moves *[]board.Move) board.Move {
	pick, top := 0, -1<<30
	for i, m := range *moves {
		v := -board.Worth[m.Moved()] / 100
		if m.IsCapture() {
			v += 8 * board.Worth[m.Target()]
		}
		if v > top {
			pick, top = i, v
		}
	}
	last := len(*moves) - 1
	m := (*moves)[pick]
	(*moves)[pick] = (*moves)[last]
	*moves = (*moves)[:last]
	return m
}
