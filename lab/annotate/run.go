package annotate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/lab/match/pgn"
	"tesla/lab/view"
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

// place is a position of a file: the number of its game and the moves before it.
type place struct{ game, ply int }

// open opens the journal and returns what it has.
func (f *File) open() (j *journal.Journal, have map[place]evaluation, err error) {
	input, err := journal.FileHash(f.cfg.In)
	if err != nil {
		return nil, nil, err
	}
	h := header{1, f.label, input, f.cfg.Limits.Nodes, f.cfg.Limits.Evals, f.cfg.Limits.MoveTime}
	file, err := os.OpenFile(f.cfg.Journal(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	if j, err = journal.Open(file, h, journalMark, h.check); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	have = map[place]evaluation{}
	err = j.Replay(func(line []byte) error {
		var e evaluation
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("not an evaluation: %w", err)
		}
		have[place{e.Game, e.Ply}] = e
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
	have     map[place]evaluation

	begun   time.Time
	done    int // positions, those of the journal included
	resumed int // of these
	total   int
}

// Run annotates the games and writes the files. It goes on with the journal of a run that was cut short.
func (f *File) Run(ctx context.Context, s search.Searcher, label Label) error {
	f.label = label
	j, have, err := f.open()
	if err != nil {
		return err
	}
	r := &run{File: f, searcher: s, journal: j, have: have, begun: time.Now(), total: f.searches()}
	if n := len(have); n > 0 {
		fmt.Fprintf(f.cfg.Err, "tesla: %s has %d of %d positions\n", f.cfg.Journal(), n, r.total)
	}
	err = r.games(ctx)
	if err = errors.Join(err, j.Close()); err != nil {
		return fmt.Errorf("%w; what was found is in %s: start again to go on", err, f.cfg.Journal())
	}
	if err := errors.Join(f.graphs(), f.write()); err != nil {
		return err
	}
	return f.tell()
}

// games searches and judges all games.
func (r *run) games(ctx context.Context) error {
	for number, g := range r.File.games {
		for k := range g.searches() {
			e, err := r.position(ctx, g, place{number, g.first + k})
			if err != nil {
				return err
			}
			g.evaluations = append(g.evaluations, e)
			r.done++
			if r.cfg.Live != nil {
				r.cfg.Live.Draw(r.text())
			}
		}
		if g.searches() == 0 {
			continue
		}
		g.conclude()
		if r.cfg.Live == nil {
			fmt.Fprintf(r.cfg.Err, "tesla: %s is done, %s\n", g.Name(), r.text())
		}
	}
	if r.cfg.Live != nil {
		r.cfg.Live.End()
	}
	return nil
}

// text is the progress in words.
func (r *run) text() string {
	text := fmt.Sprintf("%s %d of %d positions", view.Bar(r.done, r.total), r.done, r.total)
	if fresh := r.done - r.resumed; fresh > 0 {
		text += ", " + view.Clock(time.Since(r.begun)/time.Duration(fresh)*time.Duration(r.total-r.done)) + " left"
	}
	return text
}

// position is the evaluation of a position: from the journal, or by a search that the journal then keeps.
func (r *run) position(ctx context.Context, g *game, at place) (evaluation, error) {
	if e, ok := r.have[at]; ok {
		r.resumed++
		return e, nil
	}
	played := pgn.Line{Start: g.Start, Moves: g.Moves[:at.ply]}
	e, err := r.search(ctx, played.Game())
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return e, err
	}
	e.Game, e.Ply = at.game, at.ply
	return e, r.journal.Append(e)
}

// search searches a position. Where the game is over, by mate or as a draw that can be claimed, it knows the score.
func (r *run) search(ctx context.Context, g *board.Game) (e evaluation, err error) {
	switch g.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		return evaluation{CP: search.MatedIn(0)}, nil
	default:
		return evaluation{}, nil
	}
	limits := r.cfg.Limits
	limits.MultiPV = 2
	var second search.Info
	r.searcher.NewGame() // so that the result does not depend on the searches before
	found, err := r.searcher.Search(ctx, g, limits, func(i search.Info) {
		if i.MultiPV == 2 && i.Bound == search.Exact {
			second = i
			second.PV = slices.Clone(i.PV) // the searcher goes on writing there
		}
	})
	if err != nil {
		return e, err
	}
	e = evaluation{CP: found.Info.Score.Value(), Depth: found.Info.Depth, Line: words(g.Pos, found.Info.PV)}
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
