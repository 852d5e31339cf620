package annotate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/pgn"
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

// mark begins the header of every journal of annotations.
const journalMark = `{"tesla_annotate":`

// check compares the header of a journal with that of this run.
func (h header) check(line []byte) error {
	var there header
	if err := json.Unmarshal(line, &there); err != nil || there.Version != h.Version {
		return journal.ErrHeader
	}
	all, err := journal.Differences(there, h)
	if err != nil || len(all) == 0 {
		return err
	}
	return fmt.Errorf("it is of another run: %v; go on with that one, or remove the file", all[0])
}

// open opens the journal and returns what it has.
func (f *File) open() (j *journal.Journal, have map[ask]evaluation, err error) {
	input, err := journal.FileHash(f.cfg.In)
	if err != nil {
		return nil, nil, err
	}
	h := header{2, f.label, input, f.cfg.Limits.Nodes, f.cfg.Limits.Evals, f.cfg.Limits.MoveTime}
	file, err := os.OpenFile(f.cfg.Journal(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	if j, err = journal.Open(file, h, journalMark, h.check); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	have = map[ask]evaluation{}
	err = j.Replay(func(line []byte) error {
		var e evaluation
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("not an evaluation: %w", err)
		}
		have[e.ask] = e
		return nil
	})
	if err != nil {
		return nil, nil, errors.Join(err, j.Close())
	}
	return j, have, nil
}

// run is a run that goes on.
type run struct {
	*File
	searcher search.Searcher
	journal  *journal.Journal
	have     map[ask]evaluation
	states   bool     // the searcher states how sure it is, and marks can be written by that
	gap      sure.Gap // then: how two of its values differ

	done   int // positions, those of the journal included
	total  int
	asked  int     // searches, those of the journal included
	effort float64 // of these, in limits of a position
}

// Run annotates the games and writes the files. It goes on with the journal of a run that was cut short.
func (f *File) Run(ctx context.Context, s search.Searcher, label Label) error {
	f.label = label
	j, have, err := f.open()
	if err != nil {
		return err
	}
	r := &run{File: f, searcher: s, journal: j, have: have, total: f.searches()}
	gap, fitted := sure.GapOf(label.Search)
	of, can := s.(interface{ StatesSureness() bool })
	if r.gap, r.states = gap, fitted && gap.Marks && can && of.StatesSureness(); !r.states {
		fmt.Fprintf(f.cfg.Err, "tesla: how sure marks of %s with these settings are was not fitted: they are by the scores alone (tesla annotate --help)\n", label.Search)
	}
	if n := len(have); n > 0 {
		fmt.Fprintf(f.cfg.Err, "tesla: %s has %d searches\n", f.cfg.Journal(), n)
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

// games searches and judges all games.
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
	return nil
}

// search searches the positions of a game.
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

// step counts a position.
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
	if e, ok := r.have[what]; ok {
		r.cfg.Progress.Skip(int(r.effort))
		return e, nil
	}
	played := pgn.Line{Start: g.Start, Moves: g.Moves[:what.Ply]}
	at := played.Game()
	if what.Move != "" {
		m, err := at.Pos.ParseMove(what.Move)
		if err != nil {
			return evaluation{}, err
		}
		at.Play(m)
	}
	e, err := r.evaluate(ctx, at, what)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return e, err
	}
	e.ask = what
	return e, r.journal.Append(e)
}

// limits are those of a search.
func (r *run) limits(what ask) search.Limits {
	l := r.cfg.Limits
	of := func(n int64) int64 { return int64(math.Ceil(float64(n) * effort(what.Level))) }
	l.Nodes, l.Evals, l.MoveTime, l.MultiPV = of(l.Nodes), of(l.Evals), time.Duration(of(int64(l.MoveTime))), what.Lines
	return l
}

// evaluate searches a position. Where the game is over, by mate or as a draw that can be claimed, it knows the score.
func (r *run) evaluate(ctx context.Context, g *board.Game, what ask) (e evaluation, err error) {
	switch g.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		lost := sure.Decided(search.MatedIn(0))
		return evaluation{CP: search.MatedIn(0), Points: &lost}, nil
	default:
		return evaluation{Points: &sure.Value{Middle: 0.5}}, nil
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
	r.searcher.NewGame() // so that the result does not depend on the searches before
	found, err := r.searcher.Search(ctx, g, r.limits(what), tell)
	if err != nil {
		return e, err
	}
	e = evaluation{CP: found.Info.Score.Value(), Depth: found.Info.Depth, Line: words(g.Pos, found.Info.PV)}
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
