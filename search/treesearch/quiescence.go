package treesearch

import (
	"tesla/batcher"
	"tesla/board"
)

const (
	// quietPlies bounds a quiescence search, evasionPlies the part of it that looks at all evasions of a check.
	quietPlies   = 8
	evasionPlies = 3
	// mated is the material balance of a side that is mated in a quiescence search, below all material.
	mated = -10000
)

// Quieten returns a function that runs a quiescence search at each leaf of a batch. Where its quiet position is another
// one, it joins the batch beside the leaf, as long as the batch has room: a static value in check or before captures is
// worth little.
func Quieten(of func(ref uint32) *Leaf) func(*batcher.Batch) error {
	return func(b *batcher.Batch) error {
		var quiet board.Position
		for i := range len(b.Items) {
			it := &b.Items[i]
			l := of(it.Ref)
			l.inCheck, l.quiet = it.Position.InCheck(), nil
			if !quietPosition(&it.Position, &quiet) {
				continue
			}
			if extra := b.Add(); extra != nil { // the batch keeps its memory: the pointer stays good
				extra.Position, l.quiet = quiet, extra
			}
		}
		return nil
	}
}

// quietPosition plays the captures that win material and the evasions of checks, which a static value has not seen yet;
// either side may stand pat. It sets quiet to the position at the end, and reports whether that is another one.
func quietPosition(p, quiet *board.Position) bool {
	quiesce(p, quiet, -20000, 20000, 0, quietPlies)
	return quiet.Key != p.Key
}

// quiesce is the material balance in centipawns, within (alpha, beta), after captures that lose nothing by static
// exchange and all evasions of early checks. balance is that of the position before them; quiet becomes the position
// after them.
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

// takeBest removes the capture of the most valuable victim by the least valuable attacker (MVV-LVA) from the moves.
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
