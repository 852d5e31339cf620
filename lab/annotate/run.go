package annotate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/pgn"
	"tesla/lab/sweep"
	"tesla/search"
	"tesla/search/sure"
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

func (f *File) open() (*sweep.Journal[ask, evaluation], error) {
	input, err := journal.FileHash(f.cfg.In)
	if err != nil {
		return nil, err
	}
	tell := func(text string) { fmt.Fprintf(f.cfg.Err, "tesla: %s\n", text) }
	return sweep.OpenJournal(sweep.File{Path: f.cfg.Journal(), Resume: true, Tell: tell},
		header{2, f.label, input, f.cfg.Limits.Nodes, f.cfg.Limits.Evals, f.cfg.Limits.MoveTime},
		func(e *evaluation) (ask, error) { return e.ask, nil })
}

// run is a run that goes on.
type run struct {
	*File
	searcher *sweep.Searcher
	journal  *sweep.Journal[ask, evaluation]
	states   bool     // the searcher states how sure it is, and marks can be written by that
	gap      sure.Gap // then: how two of its values differ

	done   int // positions, those of the journal included
	total  int
	asked  int     // searches, those of the journal included
	effort float64 // of these, in limits of a position
}

// Run annotates the games and writes the files. It goes on with the journal of a run that was cut short. The searcher stays the
// caller's, who may not call it after an error that wraps watchdog.ErrHang.
func (f *File) Run(ctx context.Context, s search.Searcher, label Label) error {
	f.label = label
	j, err := f.open()
	if err != nil {
		return err
	}
	by := &sweep.Searcher{Name: label.Search, Open: func() (search.Searcher, error) { return s, nil }}
	r := &run{File: f, searcher: by, journal: j, total: f.searches()}
	of, can := s.(interface{ StatesSureness() bool })
	r.gap, r.states = sure.GapOf(label.Search)
	if r.states = r.states && r.gap.Marks && can && of.StatesSureness(); !r.states {
		fmt.Fprintf(f.cfg.Err, "tesla: marks come from the scores alone: nothing was fitted that says how sure %s is with these settings (tesla annotate --help)\n", label.Search)
	}
	r.cfg.Progress.Begin()
	err = r.games(ctx)
	if err = errors.Join(err, j.Close()); err != nil {
		return fmt.Errorf("%w; what was found is in %s: start again to go on", err, f.cfg.Journal())
	}
	if err := errors.Join(f.graphs(), f.write()); err != nil {
		return err
	}
	return f.tell(r.asked, r.effort)
}

func (r *run) games(ctx context.Context) error {
	for number, g := range r.File.games {
		err := r.search(ctx, g, number)
		if err != nil {
			return err
		}
		if g.searches() == 0 {
			continue
		}
		g.conclude()
		if r.cfg.Progress == nil {
			fmt.Fprintf(r.cfg.Err, "tesla: %s is done, %d of %d positions\n", g.Name(), r.done, r.total)
		}
	}
	r.cfg.Progress.End()
	moves, unstated := 0, 0
	for _, g := range r.File.games {
		moves += g.white.Moves + g.black.Moves
		unstated += g.unstated
	}
	if unstated > 0 {
		fmt.Fprintf(r.cfg.Err, "tesla: %d of %d moves are judged by the scores alone: next to them is a search that is too short, or a position of endgame tables\n",
			unstated, moves)
	}
	return nil
}

func (r *run) search(ctx context.Context, g *game, number int) error {
	if r.states {
		return r.doubts(ctx, g, number)
	}
	for k := range g.searches() {
		e, err := r.position(ctx, g, ask{Game: number, Ply: g.first + k, Lines: 2})
		if err != nil {
			return err
		}
		g.evaluations = append(g.evaluations, e)
		r.step()
	}
	return nil
}

func (r *run) step() {
	r.done++
	r.show()
}

// show draws the progress by the effort that was spent.
func (r *run) show() {
	r.cfg.Progress.Draw(min(int(r.effort), r.total), r.total, "positions", "")
}

// position is the evaluation of a position: from the journal, or by a search that the journal then keeps.
func (r *run) position(ctx context.Context, g *game, what ask) (evaluation, error) {
	r.asked++
	r.effort += effort(what.Level)
	e, err := r.journal.Do(what, func() (evaluation, error) { return r.evaluate(ctx, g, what) })
	if r.journal.Resumed() {
		r.cfg.Progress.Skip(int(r.effort))
	}
	return e, err
}

// at is the game at the position of a search.
func (g *game) at(what ask) (*board.Game, error) {
	played := pgn.Line{Start: g.Start, Moves: g.Moves[:what.Ply]}
	at := played.Game()
	if what.Move != "" {
		m, err := at.Pos.ParseMove(what.Move)
		if err != nil {
			return nil, err
		}
		at.Play(m)
	}
	return at, nil
}

func (r *run) limits(what ask) search.Limits {
	l := r.cfg.Limits
	of := func(n int64) int64 { return int64(math.Ceil(float64(n) * effort(what.Level))) }
	l.Nodes, l.Evals, l.MoveTime, l.MultiPV = of(l.Nodes), of(l.Evals), time.Duration(of(int64(l.MoveTime))), what.Lines
	return l
}

// evaluate searches a position. Where the game is over, by mate or as a draw that can be claimed, it knows the score.
func (r *run) evaluate(ctx context.Context, in *game, what ask) (e evaluation, err error) {
	g, err := in.at(what)
	if err != nil {
		return e, err
	}
	e.ask = what
	switch g.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		lost := sure.Decided(search.MatedIn(0))
		e.CP, e.Points = search.MatedIn(0), &lost
		return e, nil
	default:
		e.Points = &sure.Value{Middle: 0.5}
		return e, nil
	}
	var second search.Info
	var watch sure.Watch
	tell := func(i search.Info) {
		if i.MultiPV == 2 && i.Bound == search.Exact {
			second = i
			second.PV = slices.Clone(i.PV) // the searcher goes on writing there
		}
		if i.MultiPV <= 1 {
			watch.See(&i)
		}
	}
	if err := r.searcher.NewGame(ctx); err != nil { // so that the result does not depend on the searches before
		return e, err
	}
	found, err := r.searcher.Search(ctx, g, r.limits(what), tell)
	if err != nil {
		return e, err
	}
	e.CP, e.Depth, e.Line = found.Info.Score.Value(), found.Info.Depth, words(g.Pos, found.Info.PV)
	if len(second.PV) > 0 && second.PV[0] != found.Best {
		cp := second.Score.Value()
		e.Second, e.SecondLine = &cp, words(g.Pos, second.PV)
	}
	if v, ok := watch.At(e.CP); ok && what.Lines == 1 {
		e.Points = &v
	}
	return e, nil
}

// words is a line in UCI form, castling as king takes rook.
func words(p board.Position, line []board.Move) (all []string) {
	for at, m := range p.Along(line) {
		all = append(all, at.UCI(m, true))
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
