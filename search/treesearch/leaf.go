package treesearch

import (
	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// Leaf holds the facts about a position that waits for its evaluation, beside its item.
type Leaf struct {
	Order   Order // by Policy.Finish, once the leaf is evaluated; stale where Loop.Bare is true
	Further int   // plies that a Deepener is to search it deeper than a new leaf
	Root    bool  // it is the root: where its Deepener is stopped it has the backend's value

	// Opens says that the item's position is a node without edges: its moves are ordered, and the position after the first
	// of them takes its place, before the backend evaluates it.
	Opens bool
	Moves []board.Move // of the node that it has opened; Order is of them
	Over  bool         // the position after the first of them ends the game, or has a mate in one

	checks [4]uint64 // a bit for each of its moves that gives check

	// By Remember.
	keys []uint64
	game int
	ply  int // of the leaf

	// By Quieten.
	inCheck bool
	quiet   *batcher.Item // of its quiet position; nil where that is the leaf's

	// By a Deepener, where deep.
	deep  bool
	cp    int
	best  board.Move
	nodes int64 // that it searched
	plies int   // of its longest line, without those before the leaf
}

// Reach makes a leaf of the position at a ply of a line, in a game whose keys are given (see board.Drawn), and fills the
// item's moves. It reports whether the position needs no evaluation: it is a draw by rule, mate, stalemate, or has a mate
// in one. Then cp is its score for the side that moved there, and mate the move that mates, or NullMove.
func (l *Leaf) Reach(line []board.Position, ply int, keys []uint64, it *batcher.Item) (cp int, mate board.Move, settled bool) {
	p := &line[ply]
	if board.Drawn(line, ply, keys, len(keys)-1) {
		return 0, board.NullMove, true
	}
	it.Moves = p.LegalMoves(it.Moves)
	switch mate = l.Begin(p, it.Moves); {
	case mate != board.NullMove:
		return -(search.MateScore - 2), mate, true
	case len(it.Moves) > 0:
		return 0, mate, false
	case p.InCheck():
		return search.MateScore - 1, mate, true
	}
	return 0, mate, true
}

// Begin makes a leaf of a position with its legal moves, and returns one that mates, or NullMove.
func (l *Leaf) Begin(p *board.Position, moves []board.Move) board.Move {
	// Order, a kilobyte, is not cleared: it is written before it is read.
	l.checks, l.inCheck, l.quiet, l.deep = [4]uint64{}, false, nil, false
	checks := p.Checks()
	for i, m := range moves {
		if !checks.Give(p, m) {
			continue
		}
		l.checks[i>>6] |= 1 << (i & 63)
		if mates(p, m) {
			return m
		}
	}
	return board.NullMove
}

// mates reports whether a check mates.
func mates(p *board.Position, m board.Move) bool {
	var next board.Position
	p.Make(m, &next)
	return !next.HasLegalMove()
}

// Value is the leaf's value in centipawns for the side to move, by its evaluated item: that of the search that deepened
// it, else the net's; or that of its quiet position, where it is better or the leaf is in check.
func (l *Leaf) Value(it *batcher.Item) int {
	if l.deep {
		return l.cp
	}
	cp := search.QToCP(float64(it.Eval.Q))
	if l.quiet != nil {
		q := l.quiet.Eval.Q
		if l.quiet.Position.Black != it.Position.Black {
			q = -q
		}
		if quiet := search.QToCP(float64(q)); l.inCheck || quiet > cp {
			cp = quiet
		}
	}
	return cp
}

// Remember notes, for a Deepener, the positions that a line from the leaf may repeat. The leaf is at a ply of a line, in
// a game whose keys are given (see board.Drawn).
func (l *Leaf) Remember(line []board.Position, ply int, keys []uint64) {
	l.ply, l.nodes, l.plies = ply, 0, 0
	first := ply - int(line[ply].Halfmove) // the first that can come again
	before := keys[:len(keys)-1]           // the last is that of the line's first position
	before = before[max(0, len(before)+min(0, first)):]
	l.game, l.keys = len(before), append(l.keys[:0], before...)
	for i := max(0, first); i <= ply; i++ {
		l.keys = append(l.keys, line[i].Key)
	}
}
