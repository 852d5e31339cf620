package board

// Perft returns the number of legal move sequences of the given length from p, and 1 for a depth of 0 or less. It
// counts the moves of the last ply without listing them.
func Perft(p *Position, depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		return uint64(p.CountLegal())
	}
	return perft(p, depth, make([]Move, 0, min(depth, 32)*MaxMoves))
}

// perft counts for a depth of 2 or more. free is scratch memory for lists of moves, shared by all levels of the
// recursion.
func perft(p *Position, depth int, free []Move) uint64 {
	moves := p.LegalMoves(free)
	free = moves[len(moves):]
	var next Position
	var n uint64
	if depth == 2 {
		for _, m := range moves {
			p.move(m, &next)
			n += uint64(next.CountLegal())
		}
		return n
	}
	for _, m := range moves {
		p.move(m, &next)
		n += perft(&next, depth-1, free)
	}
	return n
}

// Divide calls each with every legal move of p and the number of sequences of the given length, 1 or more, that begin with it. It ends
// early when each returns false.
func Divide(p *Position, depth int, each func(m Move, sequences uint64) bool) {
	var next Position
	for _, m := range p.LegalMoves(nil) {
		p.Make(m, &next)
		if !each(m, Perft(&next, depth-1)) {
			return
		}
	}
}
