// Package explain says why a search does not play a move: the move's refutation, what it loses, how probable it is that it is
// as good, what the search spent on it, and what would change the verdict.
//
// Invariant: each statement is a fact of a search that was made, or a probability that was fitted (package search/sure). Where
// nothing was fitted there is no probability.
package explain

import (
	"context"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/search/sure"
)

// Line is a move with what follows it by a search, and what it is worth to the side that makes it.
type Line struct {
	Move     string    `json:"move"` // standard algebraic notation, as all moves here
	UCI      string    `json:"uci"`
	Line     []string  `json:"line"` // the move is its first
	CP       int       `json:"cp"`   // mates lie beyond 31,000
	Expected *Interval `json:"expected,omitempty"`
	Nodes    int64     `json:"nodes"` // of the search that gave it
	Evals    int64     `json:"evals"`

	moves  []board.Move
	value  sure.Value
	stated bool
}

// Interval is a 90 % interval of expected points.
type Interval struct {
	Middle float64 `json:"middle"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Turn is what would most likely change the verdict, by the change model of a tree.
type Turn struct {
	Line   []string `json:"line"`             // where the search would look next; its first move is the root's
	By     float64  `json:"by"`               // expected points by which the root's move must rise, or fall where negative
	Error  float64  `json:"error"`            // expected points by which its value is likely to be off, by the change model
	Behind float64  `json:"behind,omitempty"` // probability that the move is no better than the choice; 0: not stated
	Evals  int64    `json:"evals"`            // that would double those spent on it
}

// Answer is why a move is not played.
type Answer struct {
	FEN    string   `json:"fen"`
	Search string   `json:"search"`
	Choice Line     `json:"choice"`
	Best   float64  `json:"best,omitempty"`  // probability that no move is better than the choice by more than 0.02 points, as last stated
	Asked  *Line    `json:"asked,omitempty"` // the move asked for; nil: it is the choice
	Loss   *float64 `json:"loss,omitempty"`  // expected points that it loses; 0: none, or it is better
	Low    *float64 `json:"loss_low,omitempty"`
	High   *float64 `json:"loss_high,omitempty"`   // the 90 % interval of the loss
	AsGood *float64 `json:"as_good,omitempty"`     // probability that it loses less than 0.02 points
	Spent  *int64   `json:"evals_spent,omitempty"` // evaluations of the first search on it, where that is a tree
	Turn   *Turn    `json:"turn,omitempty"`

	before board.Position
}

// Ask says why a legal move of a position is not played, by a search of the position and one of the position after the move,
// each with the limits.
func Ask(ctx context.Context, s search.Searcher, name string, g *board.Game, m board.Move, limits search.Limits) (*Answer, error) {
	a := &Answer{FEN: g.Pos.FEN(false), Search: name, before: g.Pos}
	found, watch, roots, err := searched(ctx, s, g, limits)
	if err != nil {
		return nil, err
	}
	a.Choice = line(&g.Pos, &found, found.PV)
	if a.Choice.value, a.Choice.stated = watch.At(found.Score.Value()); a.Choice.stated {
		a.Choice.interval()
	}
	held, _ := watch.Held(&found)
	a.Best = held.Best
	a.turn(s, roots)
	if m == found.PV[0] {
		return a, nil
	}
	for i := range roots {
		if roots[i].Move == m {
			a.Spent = &roots[i].N
		}
	}
	if err := a.ask(ctx, s, g, m, limits); err != nil {
		return nil, err
	}
	a.lose()
	return a, nil
}

// searched searches a position from nothing. It returns the last report, what was stated of the value, and the root moves of a
// tree.
func searched(ctx context.Context, s search.Searcher, g *board.Game, limits search.Limits) (last search.Info, watch sure.Watch, roots []search.RootMove, err error) {
	s.NewGame()
	found, err := s.Search(ctx, g, limits, func(in search.Info) {
		if len(in.Roots) > 0 {
			roots = in.Roots
		} else if in.Text == "" && in.Current == board.NullMove {
			watch.See(&in)
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	return found.Info, watch, roots, err
}

// Chess960 writes castling as king takes rook.
func (a *Answer) Chess960() {
	a.FEN = a.before.FEN(true)
	for _, l := range []*Line{&a.Choice, a.Asked} {
		if l != nil {
			l.UCI = a.before.UCI(l.moves[0], true)
		}
	}
}

// line is a line of a search from a position.
func line(p *board.Position, in *search.Info, moves []board.Move) Line {
	return Line{Move: pgn.SAN(p, moves[0]), UCI: p.UCI(moves[0], false), Line: sans(*p, moves), CP: in.Shown().Value(), Nodes: in.Nodes, Evals: in.Evals,
		moves: moves}
}

// sans are moves in standard algebraic notation, up to the first that is illegal.
func sans(p board.Position, moves []board.Move) (all []string) {
	for at, m := range p.Along(moves) {
		all = append(all, pgn.SAN(at, m))
	}
	return all
}

func (l *Line) interval() {
	low, high := l.value.Interval()
	l.Expected = &Interval{l.value.Middle, low, high}
}

// ask searches the position after the move.
func (a *Answer) ask(ctx context.Context, s search.Searcher, g *board.Game, m board.Move, limits search.Limits) error {
	after := g.Clone()
	after.Play(m)
	moves := []board.Move{m}
	var in search.Info
	var watch sure.Watch
	switch after.Outcome() {
	case board.Ongoing:
		var err error
		if in, watch, _, err = searched(ctx, s, after, limits); err != nil {
			return err
		}
		moves = append(moves, in.PV...)
	case board.Checkmate:
		in.Score = search.ScoreFromCP(search.MatedIn(0))
	}
	l := line(&g.Pos, &in, moves)
	if l.value, l.stated = watch.At(in.Score.Value()); after.Outcome() == board.Ongoing || l.stated {
		l.value = l.value.Towards()
	} else { // a draw
		l.value, l.stated = sure.Value{Middle: 0.5}, true
	}
	if l.CP = search.Towards(l.CP); l.stated {
		l.interval()
	}
	a.Asked = &l
	return nil
}

// lose compares the move with the choice, where both are stated.
func (a *Answer) lose() {
	gap, fitted := sure.GapOf(a.Search)
	if !fitted || !a.Asked.stated || !a.Choice.stated {
		return
	}
	loss, _ := gap.Loss(a.Asked.value, a.Choice.value)
	loss = max(0, loss)
	low, high := gap.LossInterval(a.Asked.value, a.Choice.value)
	good := 1 - gap.Below(a.Asked.value, a.Choice.value, sure.Within)
	a.Loss, a.Low, a.High, a.AsGood = &loss, &low, &high, &good
}

// turn is what would change the verdict, where the searcher knows.
func (a *Answer) turn(s search.Searcher, roots []search.RootMove) {
	critic, ok := search.As[search.Critic](s)
	if !ok {
		return
	}
	c, ok := critic.Critical()
	if !ok || search.IsDecided(a.Choice.CP) { // no evaluation overturns what is proven
		return
	}
	a.Turn = &Turn{Line: sans(a.before, c.Line), By: c.Gap / 2, Error: c.Error / 2, Evals: c.N}
	for i := range roots {
		if roots[i].Move == c.Line[0] {
			a.Turn.Behind = roots[i].Behind
		}
	}
}
