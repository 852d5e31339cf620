package tablebase

import (
	"cmp"
	"context"
	"slices"

	"tesla/board"
	"tesla/gaviota"
	"tesla/search"
	"tesla/syzygy"
)

// RootMove is a legal move of the position that is searched, as the tables rank it.
type RootMove struct {
	Move board.Move
	Rank int          // a higher one is better
	CP   int          // score for the side to move, on the scale of package search
	PV   []board.Move // Move and the line to mate after it, where Gaviota tables show that; else empty
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
	heldRank = rankStep // a win that the fifty-move rule makes a draw
)

// Root ranks the moves of a position. It reads what the caches lack. When ctx ends it returns what it knows by then, and
// what it has begun to read is read to its end in the background. lines is the number of moves whose lines to mate are
// wanted, among those that are allowed; nil allows all.
func (b *Prober) Root(ctx context.Context, g *board.Game, allowed []board.Move, lines int) Root {
	if g.Pos.Castling != 0 || g.Pos.Occupied().Count() > b.root {
		return Root{}
	}
	found, of := make(chan Root, 2), rooted{b, g.Clone(), allowed, lines}
	b.tables.reading.work.Go(func() {
		defer close(found)
		of.rank(found)
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

// allows tells whether a move may be played.
func (r rooted) allows(m board.Move) bool {
	return len(r.allowed) == 0 || slices.Contains(r.allowed, m)
}

// rank ranks the moves by distances to a capture or pawn move, else by values; and then by mates, where Gaviota tables
// know them, which takes longer: their blocks are compressed.
func (r rooted) rank(found chan<- Root) {
	var root Root
	if root.Moves, root.Exact = r.byDistance(); !root.Exact {
		root.Moves = r.byValue()
	}
	root.sort()
	found <- root
	tables, _ := r.tables.gaviota.Found()
	if tables == 0 || r.tables.reading.ending.Load() {
		return
	}
	if moves, all := r.byMate(root.Moves); moves != nil {
		root.Moves, root.Exact = moves, root.Exact || all
		root.sort()
		found <- root
	}
}

// sort brings the best moves to the front.
func (r *Root) sort() {
	slices.SortStableFunc(r.Moves, func(a, b RootMove) int { return cmp.Compare(b.Rank, a.Rank) })
}

// after makes a move, and tells whether it draws at once: by the third occurrence of a position, or by the fifty-move
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
	var moves []RootMove
	for _, m := range ranked {
		x := RootMove{Move: m.Move}
		if _, drawn := r.after(m.Move); !drawn {
			x.Rank, x.CP = r.ofDistance(m.DTZ)
		}
		moves = append(moves, x)
	}
	return moves, true
}

// ofDistance is the rank and the score of a move by its DTZ, where the halfmove clock stands as it does.
func (r rooted) ofDistance(dtz int) (rank, cp int) {
	plies := max(dtz, -dtz)
	inTime := !r.rules.FiftyMoves || plies <= 100 && plies+int(r.game.Pos.Halfmove) <= 100
	switch {
	case dtz == 0:
		return 0, 0
	case dtz > 0 && inTime:
		return winRank - plies, search.TableWinIn(plies)
	case dtz > 0:
		return heldRank - plies, r.scoreOf(syzygy.CursedWin)
	case inTime:
		return plies - winRank, -search.TableWinIn(plies)
	}
	return plies - heldRank, r.scoreOf(syzygy.BlessedLoss)
}

// byValue ranks all moves by the values alone; nil where the tables do not know them of all.
func (r rooted) byValue() (moves []RootMove) {
	for _, m := range r.game.Pos.LegalMoves(nil) {
		x := RootMove{Move: m}
		if next, drawn := r.after(m); !drawn {
			v, err := r.tables.WDL(&next, true)
			if err != nil {
				r.tables.trouble(err)
				return nil
			}
			x.CP = search.Towards(r.scoreOf(v))
			x.Rank = x.CP * heldRank
			if search.IsTable(x.CP) {
				x.Rank = cmp.Compare(x.CP, 0) * winRank
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

// byMate ranks moves by DTM: those that win, or all where all lose. known are the moves as Syzygy tables rank them; where
// they do not, all tells that the mates rank all moves, without regard to the fifty-move rule. It returns nil where no
// mate is known.
func (r rooted) byMate(known []RootMove) (moves []RootMove, all bool) {
	moves, all = slices.Clone(known), known == nil
	if all {
		for _, m := range r.game.Pos.LegalMoves(nil) {
			moves = append(moves, RootMove{Move: m})
		}
	}
	var wins, losses []mating
	for i := range moves {
		next, drawn := r.after(moves[i].Move)
		if drawn || !all && moves[i].Rank < winRank-rankStep && moves[i].Rank > rankStep-winRank {
			continue
		}
		v, err := r.tables.gaviota.DTM(&next, true)
		if r.tables.trouble(err); err != nil && all {
			return nil, false
		}
		if v = v.Before(); err == nil && v.Result == gaviota.Win {
			wins = append(wins, mating{i, v, next})
		} else if err == nil && v.Result == gaviota.Loss {
			losses = append(losses, mating{i, v, next})
		}
	}
	if len(losses) < len(moves) && !all {
		losses = nil
	}
	slices.SortStableFunc(wins, func(a, b mating) int { return cmp.Compare(a.value.Plies, b.value.Plies) })
	slices.SortStableFunc(losses, func(a, b mating) int { return cmp.Compare(b.value.Plies, a.value.Plies) })
	lines := 0
	for _, m := range append(wins, losses...) {
		x := &moves[m.at]
		r.setMate(x, &m, lines < r.lines && r.allows(x.Move), all)
		if len(x.PV) > 0 {
			lines++
		}
	}
	return moves, all
}

// setMate gives a move the rank, the score and, if it is wanted, the line of its mate, where the fifty-move rule lets
// that come and the tables show the whole line. alone tells that nothing else ranks the move.
func (r rooted) setMate(x *RootMove, m *mating, wanted, alone bool) {
	sign, plies := int(m.value.Result), m.value.Plies
	safe := !r.rules.FiftyMoves || int(r.game.Pos.Halfmove)+plies <= 100
	whole := true
	if wanted || !safe {
		after, drawn, err := r.tables.line(&m.next, gaviota.Value{Result: -m.value.Result, Plies: plies - 1})
		r.tables.trouble(err)
		if whole = err == nil && len(after) == plies-1; whole && wanted {
			x.PV = append([]board.Move{x.Move}, after...)
		}
		safe = safe || whole && !drawn
	}
	switch {
	case safe && whole:
		x.Rank, x.CP = sign*(mateRank-plies), sign*search.MateIn(plies)
		return
	case alone && safe:
		x.Rank, x.CP = sign*(winRank-plies), sign*search.TableWinIn(plies)
	case alone: // perhaps another line is in time, but no table says so
		x.Rank, x.CP = sign*(heldRank-plies), r.scoreOf(syzygy.WDL(sign))
	}
	x.PV = nil
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
