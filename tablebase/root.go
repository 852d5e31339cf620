package tablebase

import (
	"cmp"
	"context"
	"slices"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase/gaviota"
	"tesla/tablebase/syzygy"
)

// RootMove is a legal move of the position that is searched, as the tables rank it.
type RootMove struct {
	Move board.Move
	Rank int          // a higher one is better
	CP   int          // score for the side to move, on the scale of package search
	Open bool         // tables leave open whether the fifty-move rule ends the game first: CP says nothing
	PV   []board.Move // Move and the line after it to mate, or to the next capture or pawn move; empty where no table shows it
}

// Root is what the tables know of the position that is searched.
type Root struct {
	Moves []RootMove // all legal moves, the best first; empty: the tables do not know the position
	Exact bool       // distances rank the moves: a search need not probe below the root to make progress
}

// The ranks of moves. Less than rankStep separates the moves of a class, by distances. In the class of known mates all
// lines end in time by the fifty-move rule.
const (
	rankStep = 1 << 20
	mateRank = 4 * rankStep // a win with a known mate
	winRank  = 3 * rankStep
	openRank = 2 * rankStep // a win that the fifty-move rule may make a draw
	heldRank = rankStep     // a win that the fifty-move rule makes a draw
)

// Root ranks the moves of a position. It reads what the caches lack. When ctx ends it returns what it knows by then, and
// what it has begun to read is read to its end in the background. lines is the number of moves whose lines to mate are
// wanted, among those that are allowed; nil allows all.
func (b *Prober) Root(ctx context.Context, g *board.Game, allowed []board.Move, lines int) Root {
	if g.Pos.Castling != 0 || g.Pos.Occupied().Count() > b.root {
		return Root{}
	}
	found, of := make(chan Root, 4), rooted{b, g.Clone(), allowed, lines}
	b.tables.reading.work.Go(func() {
		defer close(found)
		of.rank(ctx, found)
	})
	var known Root
	for more := true; more; {
		var r Root
		select {
		case r, more = <-found:
			if more {
				known = r
			}
		case <-ctx.Done():
			more = false
		}
	}
	b.tables.hits.Add(int64(len(known.Moves)))
	return known
}

// rooted is a position whose moves are ranked.
type rooted struct {
	*Prober
	game    *board.Game
	allowed []board.Move
	lines   int
}

func (r rooted) allows(m board.Move) bool {
	return len(r.allowed) == 0 || slices.Contains(r.allowed, m)
}

// rank ranks the moves by distances to a capture or pawn move, else by values; and then by mates, where Gaviota tables
// know them, which takes longer: their blocks are compressed. Where these leave open whether a mate comes in time, moves
// are tried out at last.
func (r rooted) rank(ctx context.Context, found chan<- Root) {
	var root Root
	if root.Moves, root.Exact = r.byDistance(); !root.Exact {
		root.Moves = r.byValue()
	}
	root.sort()
	found <- root
	if root.Exact {
		root.Moves = slices.Clone(root.Moves)
		r.addLines(ctx, &root)
		found <- root
	}
	tables, _ := r.tables.gaviota.Found()
	if tables == 0 {
		return
	}
	for _, probes := range []int{0, proofProbes} {
		if r.tables.reading.ending.Load() || ctx.Err() != nil {
			return
		}
		by := r.byMate(root.Moves, r.tables.mates(ctx, !r.rules.FiftyMoves, probes))
		if by.moves == nil {
			return
		}
		all := Root{Moves: by.moves, Exact: root.Exact || by.all && !by.unsure}
		all.sort()
		if found <- all; !by.unsure {
			return
		}
	}
}

// sort brings the best moves to the front.
func (r *Root) sort() {
	slices.SortStableFunc(r.Moves, func(a, b RootMove) int { return cmp.Compare(b.Rank, a.Rank) })
}

// after makes a move, and reports whether it draws at once: by the third occurrence of a position, or by the fifty-move
// rule.
func (r rooted) after(m board.Move) (next board.Position, drawn bool) {
	r.game.Pos.Make(m, &next)
	return next, r.game.Repeats([]board.Position{r.game.Pos, next}, 1) > 0 || next.Halfmove >= 100 && next.HasLegalMove()
}

// byDistance ranks all moves by DTZ; false where the tables do not know it of all.
func (r rooted) byDistance() ([]RootMove, bool) {
	ranked, err := r.tables.syzygy.Rank(&r.game.Pos)
	if err != nil {
		r.tables.trouble(err)
		return nil, false
	}
	own, err := r.tables.syzygy.DTZ(&r.game.Pos, syzygy.Hard)
	if err != nil { // captures may tell of all moves where no table has the position
		r.tables.trouble(err)
		own = 0
	}
	var moves []RootMove
	for _, m := range ranked {
		x := RootMove{Move: m.Move}
		if _, drawn := r.after(m.Move); !drawn {
			x = r.ofDistance(m, own)
		}
		moves = append(moves, x)
	}
	return moves, true
}

// ofDistance is a move as its DTZ ranks it, where the halfmove clock stands as it does. No win comes sooner than the
// position's own DTZ says: either may be one ply too short.
func (r rooted) ofDistance(m syzygy.RootMove, own int) RootMove {
	x := RootMove{Move: m.Move}
	sign, plies := cmp.Compare(m.DTZ, 0), max(m.DTZ, -m.DTZ)
	if sign == 0 {
		return x
	}
	when := inTime
	if r.rules.FiftyMoves {
		when = timeOf(r.game.Pos.Halfmove, max(plies, own))
	}
	switch when {
	case inTime:
		x.Rank, x.CP = sign*(winRank-plies), sign*search.TableWinIn(plies)
	case unsure:
		x.Rank, x.Open = sign*(openRank-plies), true
	case late:
		x.Rank, x.CP = sign*(heldRank-plies), r.scoreOf(syzygy.WDL(sign))
	}
	return x
}

// addLines gives the moves that a search may choose from, and that win or lose in time, the line to the next capture or
// pawn move. Its length is the distance: what the ranks say may be one ply too short.
func (r rooted) addLines(ctx context.Context, root *Root) {
	for _, m := range root.Restrict(r.allowed, r.lines) {
		if !search.IsTable(m.CP) {
			return
		}
		line, err := r.toZeroing(ctx, m.Move)
		if r.tables.trouble(err); line == nil {
			return
		}
		x := &root.Moves[slices.IndexFunc(root.Moves, func(x RootMove) bool { return x.Move == m.Move })]
		x.PV, x.CP = line, cmp.Compare(x.CP, 0)*search.TableWinIn(len(line))
	}
}

// toZeroing is the line that begins with a move and ends with a capture or pawn move, or with mate. Both sides play by DTZ.
// It is nil where it takes longer than the fifty-move rule allows, or than there is time for.
func (r rooted) toZeroing(ctx context.Context, m board.Move) (line []board.Move, err error) {
	most := limit
	if r.rules.FiftyMoves {
		most -= int(r.game.Pos.Halfmove)
	}
	for at := r.game.Pos; len(line) < most && ctx.Err() == nil; {
		next := at.After(m)
		if line = append(line, m); next.Halfmove == 0 {
			return line, nil
		}
		if at = next; !at.HasLegalMove() {
			return line, nil
		}
		if m, err = r.byDTZ(&at); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// byDTZ is the best move by DTZ: where no table has the position, a capture that wins.
func (r rooted) byDTZ(p *board.Position) (board.Move, error) {
	moves, err := r.tables.syzygy.Rank(p)
	if err == nil {
		return moves[0].Move, nil
	}
	for _, m := range p.LegalMoves(nil) {
		next := p.After(m)
		if v, errAfter := r.tables.syzygy.WDL(&next, syzygy.Hard); m.IsCapture() && errAfter == nil && v == syzygy.Loss {
			return m, nil
		}
	}
	return board.NullMove, err
}

// byValue ranks all moves by the values alone; nil where the tables do not know them of all. They are values at a clock of
// 0: after a move without a capture or pawn move they leave open whether a win comes in time.
func (r rooted) byValue() (moves []RootMove) {
	for _, m := range r.game.Pos.LegalMoves(nil) {
		x := RootMove{Move: m}
		if next, drawn := r.after(m); !drawn {
			v, err := r.tables.WDL(&next, syzygy.Hard)
			if err != nil {
				r.tables.trouble(err)
				return nil
			}
			x.CP = search.Towards(r.scoreOf(v))
			x.Rank = x.CP * heldRank
			if search.IsTable(x.CP) {
				x.Rank = cmp.Compare(x.CP, 0) * winRank
				x.Open = r.rules.FiftyMoves && next.Halfmove > 0
			}
		}
		moves = append(moves, x)
	}
	return moves
}

// mating is a move that wins or loses by mate.
type mating struct {
	at    int // in the list of moves
	value gaviota.Value
	next  board.Position
}

// mated is moves as mates rank them.
type mated struct {
	moves  []RootMove // nil: no mate is known
	all    bool       // mates rank all moves: Syzygy tables do not know them
	unsure bool       // whether some mate comes in time was left open
}

// byMate ranks moves by DTM: those that win, or all where all lose. known are the moves as Syzygy tables rank them.
func (r rooted) byMate(known []RootMove, m *mates) (by mated) {
	if by.moves, by.all = slices.Clone(known), known == nil; by.all {
		for _, m := range r.game.Pos.LegalMoves(nil) {
			by.moves = append(by.moves, RootMove{Move: m})
		}
	}
	var wins, losses []mating
	for i := range by.moves {
		next, drawn := r.after(by.moves[i].Move)
		if rank := by.moves[i].Rank; drawn || !by.all && rank < openRank-rankStep/2 && rank > rankStep/2-openRank {
			continue
		}
		v, err := m.DTM(&next, gaviota.Hard)
		if r.tables.trouble(err); err != nil && by.all {
			return mated{}
		}
		if v = v.Before(); err == nil && v.Result == gaviota.Win {
			wins = append(wins, mating{i, v, next})
		} else if err == nil && v.Result == gaviota.Loss {
			losses = append(losses, mating{i, v, next})
		}
	}
	if len(losses) < len(by.moves) && !by.all {
		losses = nil
	}
	slices.SortStableFunc(wins, func(a, b mating) int { return cmp.Compare(a.value.Plies, b.value.Plies) })
	slices.SortStableFunc(losses, func(a, b mating) int { return cmp.Compare(b.value.Plies, a.value.Plies) })
	lines := 0
	for _, one := range append(wins, losses...) {
		x := &by.moves[one.at]
		by.unsure = r.setMate(x, &one, m, lines < r.lines && r.allows(x.Move), by.all) == unsure || by.unsure
		if search.IsMate(x.CP) {
			lines++
		}
	}
	return by
}

// setMate gives a move the rank, the score and, if it is wanted, the line of its mate, where that comes in time by the
// fifty-move rule and the tables show the whole line. alone tells that nothing else ranks the move.
func (r rooted) setMate(x *RootMove, one *mating, m *mates, wanted, alone bool) timing {
	sign, plies := int(one.value.Result), one.value.Plies
	after := gaviota.Value{Result: -one.value.Result, Plies: plies - 1}
	when, whole := m.timing(&one.next, after), true
	var pv []board.Move
	if wanted && when == inTime {
		line, err := m.line(&one.next, after)
		r.tables.trouble(err)
		if whole = err == nil && len(line) == plies-1; whole {
			pv = append([]board.Move{x.Move}, line...)
		}
	}
	left := x.Open
	x.Open = x.Open && when == unsure
	switch {
	case when == inTime && whole:
		x.Rank, x.CP, x.PV = sign*(mateRank-plies), sign*search.MateIn(plies), pv
	case !alone && !left:
	case when == inTime:
		x.Rank, x.CP = sign*(winRank-plies), sign*search.TableWinIn(plies)
	case when == unsure:
		x.Rank, x.Open = sign*(openRank-plies), true
	default:
		x.Rank, x.CP = sign*(heldRank-plies), r.scoreOf(syzygy.WDL(sign))
	}
	return when
}

// Restrict returns the moves that a search may choose from: the allowed ones of the best rank, and of further ranks
// until there are as many as lines. Of known mates it returns no more than lines.
func (r *Root) Restrict(allowed []board.Move, lines int) (moves []RootMove) {
	for _, m := range r.Moves {
		if len(allowed) > 0 && !slices.Contains(allowed, m.Move) {
			continue
		}
		if last := len(moves) - 1; len(moves) >= lines && (moves[last].Rank != m.Rank || search.IsMate(m.CP)) {
			break
		}
		moves = append(moves, m)
	}
	return moves
}
