package alphabeta

import (
	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

const (
	// quietPlies bounds a quiescence search; lines of captures are rarely longer.
	quietPlies = 24
	// evasionPlies is the number of plies, from the root of a quiescence search on, in which a check is answered by all
	// evasions. Below, a check is not noticed.
	evasionPlies = 6
	// deltaMargin is what a capture may gain beyond its victim, in centipawns. A capture that cannot reach alpha with
	// it is left out.
	deltaMargin = 42
	// quietMoves is the number of moves that are tried. The others must give check, become a piece, or capture where the
	// opponent has just moved.
	quietMoves = 2
	// quietEvasions is the number of quiet moves that answer a check.
	quietEvasions = 2
)

// quiesce is the value of the position at ply when the side to move may stand pat, become a queen, or make captures
// that lose nothing by static exchange: exact within (alpha, beta), a bound outside. In check it has to move. depth
// counts the plies of quiescence before it; at 0 quiet moves that give check are tried, too. Which moves are left out
// follows Stockfish.
func (t *Thread) quiesce(ply, depth, alpha, beta int) int {
	p := &t.pos[ply]
	t.frames[ply].length = 0
	if t.over() {
		return 0
	}
	if p.InsufficientMaterial() || ply > 0 && t.drawn(ply) {
		return 0
	}
	if ply >= maxPly || t.mode.Verify {
		return t.stack.Value(p)
	}
	entry, found := t.table.Probe(p.Key, ply)
	if found && beta-alpha <= 1 {
		if v, ok := t.cuts(entry, ply, alpha, beta, 0); ok {
			return v
		}
	}
	if depth < evasionPlies && p.InCheck() {
		table := entry.Move()
		if !p.IsLegal(table) {
			table = board.NullMove
		}
		begin := len(t.moves)
		k := t.pick(p, ply, table)
		return t.quiesceMoves(&k, begin, quietNode{ply: ply, depth: depth, asked: alpha, alpha: alpha, beta: beta,
			best: search.MatedIn(ply), evade: true})
	}
	stand := t.static(ply)
	best := stand
	if found {
		best = t.better(entry, stand)
	}
	if best >= beta || depth == quietPlies {
		return best
	}
	begin := len(t.moves)
	k := t.pickCaptures(p, entry.Move())
	if depth == 0 {
		k.addChecks(t, ply)
	}
	return t.quiesceMoves(&k, begin, quietNode{ply: ply, depth: depth, asked: alpha, alpha: max(alpha, best), beta: beta,
		best: best, stand: stand})
}

// quietNode is a node of the quiescence search whose moves are searched.
type quietNode struct {
	ply, depth         int
	asked, alpha, beta int
	best               int
	stand              int  // the static value, where the side to move may stand pat
	evade              bool // it must answer a check
}

// quiesceMoves searches the moves of a node of the quiescence search. Their lists begin at begin.
func (t *Thread) quiesceMoves(k *picker, begin int, n quietNode) int {
	p := &t.pos[n.ply]
	choice := board.NullMove
	evasions := 0 // quiet moves that were searched as answers to a check
	for tried := 1; ; tried++ {
		m, score, ok := k.next()
		if !ok {
			break
		}
		if n.best > -search.Decided { // a mate must be avoided first
			if n.evade && (score < 0 && m.IsCapture() || evasions == quietEvasions) { // the losing captures come last
				break
			}
			if tried > quietMoves && !t.forcing(n.ply, m) || !t.worthwhile(p, &n, m) {
				continue
			}
		}
		if n.evade && !m.IsCapture() {
			evasions++
		}
		t.push(n.ply, m)
		v := -t.quiesce(n.ply+1, n.depth+1, -n.beta, -n.alpha)
		t.stack.Pop()
		if t.stopped {
			break
		}
		if v > n.best {
			n.best, choice = v, m
			if v > n.alpha {
				n.alpha = v
				if n.beta-n.asked > 1 {
					t.extendPV(n.ply, m)
				}
			}
			if v >= n.beta {
				break
			}
		}
	}
	t.moves = t.moves[:begin]
	if !t.stopped {
		lower, upper := tt128.Window(n.best, n.asked, n.beta)
		t.table.Store(p.Key, n.ply, tt128.NewDraft(lower, upper, 0, choice, false))
	}
	return n.best
}

// forcing reports whether a move gives check, becomes a piece, or captures where the opponent has just moved.
func (t *Thread) forcing(ply int, m board.Move) bool {
	p, last := &t.pos[ply], t.moveBefore(ply, 1)
	return p.Promotion(m) != board.None || last != board.NullMove && last.To()^56 == m.To() || p.GivesCheck(m)
}

// worthwhile reports whether a move may raise alpha and loses nothing by static exchange. The most that it could have
// reached counts for the best value. A quiet move must not have failed as an answer to both of the last two moves.
func (t *Thread) worthwhile(p *board.Position, n *quietNode, m board.Move) bool {
	if !m.IsCapture() && p.Promotion(m) == board.None {
		return !t.failed(n.ply, m) && p.SEE(m, 0)
	}
	if n.evade {
		return true
	}
	if !p.GivesCheck(m) {
		if most := n.stand + p.Gain(m) + deltaMargin; most <= n.alpha {
			n.best = max(n.best, most)
			return false
		}
		if most := n.stand + deltaMargin; most <= n.alpha && !p.SEE(m, 1) {
			n.best = max(n.best, most)
			return false
		}
	}
	return p.SEE(m, 0)
}
