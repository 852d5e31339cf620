package annotate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/pgn"
	"tesla/lab/sweep"
	"tesla/search"
)

// header is the first line of the journal.
type header struct {
	Version int `json:"tesla_annotate"`
	Label
	Input    string        `json:"input"` // hash of the file that is read
	Nodes    int64         `json:"nodes,omitempty"`
	Evals    int64         `json:"evals,omitempty"`
	MoveTime time.Duration `json:"movetime_ns,omitempty"`
}

// place is a position of a file: the number of its game and the moves before it.
type place struct{ game, ply int }

// open opens the journal.
func (f *File) open() (*sweep.Journal[place, evaluation], error) {
	input, err := journal.FileHash(f.cfg.In)
	if err != nil {
		return nil, err
	}
	h := header{1, f.label, input, f.cfg.Limits.Nodes, f.cfg.Limits.Evals, f.cfg.Limits.MoveTime}
	return sweep.OpenJournal(sweep.File{Path: f.cfg.Journal(), Resume: true}, h, func(e *evaluation) (place, error) { return place{e.Game, e.Ply}, nil })
}

// Run annotates the games and writes the files. It goes on with the journal of a run that was cut short.
func (f *File) Run(ctx context.Context, s search.Searcher, label Label) error {
	f.label = label
	j, err := f.open()
	if err != nil {
		return err
	}
	if err = errors.Join(f.evaluate(ctx, s, j), j.Close()); err != nil {
		return fmt.Errorf("%w; what was found is in %s: start again to go on", err, f.cfg.Journal())
	}
	if err := errors.Join(f.graphs(), f.write()); err != nil {
		return err
	}
	return f.tell()
}

// evaluate searches and judges all games.
func (f *File) evaluate(ctx context.Context, by search.Searcher, j *sweep.Journal[place, evaluation]) error {
	var places []place
	for number, g := range f.games {
		for k := range g.searches() {
			places = append(places, place{number, g.first + k})
		}
	}
	s := &sweep.Searcher{Open: func() (search.Searcher, error) { return by, nil }} // its owner closes it
	all := &sweep.Sweep{Steps: len(places), What: "positions", Progress: f.cfg.Progress, Resumed: j.Resumed}
	return all.Each(ctx, func(ctx context.Context, steps iter.Seq[int]) error {
		for i := range steps {
			at := places[i]
			g := f.games[at.game]
			e, err := j.Do(at, func() (evaluation, error) { return f.search(ctx, s, g, at) })
			if err != nil {
				return err
			}
			if g.evaluations = append(g.evaluations, e); len(g.evaluations) < g.searches() {
				continue
			}
			g.conclude()
			if f.cfg.Progress == nil {
				fmt.Fprintf(f.cfg.Err, "tesla: %s is done, %d of %d positions\n", g.Name(), i+1, len(places))
			}
		}
		return nil
	})
}

// search searches a position. Where the game is over, by mate or as a draw that can be claimed, it knows the score.
func (f *File) search(ctx context.Context, s *sweep.Searcher, of *game, at place) (e evaluation, err error) {
	e.Game, e.Ply = at.game, at.ply
	played := pgn.Line{Start: of.Start, Moves: of.Moves[:at.ply]}
	g := played.Game()
	switch g.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		e.CP = search.MatedIn(0)
		return e, nil
	default:
		return e, nil
	}
	limits := f.cfg.Limits
	limits.MultiPV = 2
	var second search.Info
	if err := s.NewGame(ctx); err != nil { // the result does not depend on the searches before
		return e, err
	}
	found, err := s.Search(ctx, g, limits, func(i search.Info) {
		if i.MultiPV == 2 && i.Bound == search.Exact {
			second = i
			second.PV = slices.Clone(i.PV) // the searcher goes on writing there
		}
	})
	if err != nil {
		return e, err
	}
	e.CP, e.Depth, e.Line = found.Info.Score.Value(), found.Info.Depth, words(g.Pos, found.Info.PV)
	if len(second.PV) > 0 && second.PV[0] != found.Best {
		cp := second.Score.Value()
		e.Second, e.SecondLine = &cp, words(g.Pos, second.PV)
	}
	return e, nil
}

// words is a line in UCI form, castling as king takes rook.
func words(p board.Position, line []board.Move) (all []string) {
	for _, m := range line {
		all = append(all, p.UCI(m, true))
		p = pgn.After(&p, m)
	}
	return all
}

// by says how the games were judged.
func (f *File) by() string {
	l := &f.cfg.Limits
	limit := fmt.Sprintf("%v a move", l.MoveTime)
	if l.Nodes > 0 {
		limit = fmt.Sprintf("%d nodes a move", l.Nodes)
	} else if l.Evals > 0 {
		limit = fmt.Sprintf("%d evaluations a move", l.Evals)
	}
	return strings.Join([]string{f.label.Search, limit}, ", ")
}
