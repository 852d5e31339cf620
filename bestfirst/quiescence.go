package bestfirst

import (
	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// pieceValue is the centipawns of board.SEE.
var pieceValue = [8]int{0, 100, 300, 300, 500, 900, 0, 0}

// quietPlies bounds a quiescence search.
const quietPlies = 8

// hanging is the material (centipawns) that the side to move wins by captures and pawn promotions against best play,
// standing pat allowed: what a static value has not collected yet; quiet becomes the position when all is collected. It
// is 0 in check, where there is no standing pat.
func hanging(p, quiet *board.Position) int {
	if p.InCheck() {
		return 0
	}
	return quiesce(p, quiet, 0, 2000, 0, quietPlies)
}

// quiesce is the material balance after captures that lose nothing by static exchange, within (alpha, beta), where
// balance is that of the position itself. In check all evasions would be needed: it stands pat.
func quiesce(p, quiet *board.Position, alpha, beta, balance, plies int) int {
	best := balance
	*quiet = *p
	if best >= beta || plies == 0 {
		return best
	}
	alpha = max(alpha, best)
	var buffer [64]board.Move
	moves := p.LegalCaptures(buffer[:0])
	var next, end board.Position
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
		v := -quiesce(&next, &end, -beta, -alpha, -balance-won, plies-1)
		if v > best {
			best, *quiet = v, end
			if alpha = max(alpha, v); alpha >= beta {
				break
			}
		}
	}
	return best
}

// quieten runs a quiescence search at each leaf of a batch, on the pipeline's worker, and adds the quiet position of
// those that win material to the batch: a static value before captures is worth little.
func (s *Searcher) quieten(b *batcher.Batch) error {
	var quiet board.Position
	for i := range len(b.Items) {
		it := &b.Items[i]
		l := &s.leaves[it.Ref]
		l.inCheck, l.quiet = it.Position.InCheck(), nil
		if hanging(&it.Position, &quiet) == 0 {
			continue
		}
		if extra := b.Add(); extra != nil { // the batch keeps its memory: the pointer stays good
			extra.Position, l.quiet = quiet, extra
		}
	}
	return nil
}

// static is a leaf's value in centipawns: the net's, where material hangs the better of it and the quiet position's, and
// in check more, since nets overrate checks.
func (m *model) static(it *batcher.Item, l *leaf) int {
	cp := search.QToCP(float64(it.Eval.Q))
	switch {
	case l.inCheck:
		cp += int(m.Check)
	case l.quiet != nil:
		q := l.quiet.Eval.Q
		if l.quiet.Position.Black != it.Position.Black {
			q = -q
		}
		cp = max(cp, search.QToCP(float64(q)))
	}
	return max(-cpLimit, min(cpLimit, cp))
}
