package bestfirst

import (
	"tesla/batcher"
	"tesla/board"
)

// pieceValue is the centipawns of board.SEE.
var pieceValue = [8]int{0, 100, 300, 300, 500, 900, 0, 0}

// quietPlies bounds a quiescence search.
const quietPlies = 8

// hanging is the material (centipawns) that the side to move wins by captures and pawn promotions against best play,
// standing pat allowed: what a static value has not collected yet. It is 0 in check, where there is no standing pat.
func hanging(p *board.Position) int {
	if p.InCheck() {
		return 0
	}
	return quiesce(p, 0, 2000, 0, quietPlies)
}

// quiesce is the material balance after captures that lose nothing by static exchange, within (alpha, beta), where
// balance is that of the position itself. In check all evasions would be needed: it stands pat.
func quiesce(p *board.Position, alpha, beta, balance, plies int) int {
	best := balance
	if best >= beta || plies == 0 {
		return best
	}
	alpha = max(alpha, best)
	var buffer [64]board.Move
	moves := p.LegalCaptures(buffer[:0])
	var next board.Position
	for len(moves) > 0 {
		// most valuable victim, least valuable attacker
		pick, top := 0, -1<<30
		for i, m := range moves {
			if v := 8*pieceValue[m.Target()] - pieceValue[m.Moved()]/100; v > top {
				pick, top = i, v
			}
		}
		m := moves[pick]
		moves[pick] = moves[len(moves)-1]
		moves = moves[:len(moves)-1]
		won := 0
		if m.IsCapture() {
			won = pieceValue[m.Target()]
		}
		if promoted := p.Promotion(m); promoted != 0 {
			won += pieceValue[promoted] - pieceValue[board.Pawn]
		}
		if balance+won+100 <= alpha || !p.SEE(m, 0) {
			continue
		}
		p.Make(m, &next)
		v := -quiesce(&next, -beta, -alpha, -balance-won, plies-1)
		if v > best {
			best = v
			if alpha = max(alpha, v); alpha >= beta {
				break
			}
		}
	}
	return best
}

// quieten runs a quiescence search at each leaf of a batch, on the pipeline's worker.
func (s *Searcher) quieten(b *batcher.Batch) error {
	for i := range b.Items {
		it := &b.Items[i]
		l := &s.leaves[it.Ref]
		l.hanging, l.inCheck = hanging(&it.Position), it.Position.InCheck()
	}
	return nil
}

// hangingMost is the material beyond which a static value no longer errs more, in centipawns.
const hangingMost = 500

// unquiet is what a static value of a leaf is to be corrected by, in centipawns: nets underrate what is about to be
// captured and overrate checks.
func (m *model) unquiet(l *leaf) int {
	if l.inCheck {
		return int(m.Check)
	}
	return int(m.Hanging * float64(min(l.hanging, hangingMost)))
}
