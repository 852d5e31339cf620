// Package puzzles finds positions of games that have one solution.
//
// Invariant: at each move of the solver the second move is worse by three standard deviations, as package explain states its loss.
// Where nothing is stated there is no puzzle.
package puzzles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"tesla/board"
	"tesla/internal/output"
	"tesla/lab/annotate"
	"tesla/lab/explain"
	"tesla/lab/journal"
	"tesla/lab/match/pgn"
	"tesla/lab/suite"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
	"tesla/search/sure"
)

// What a puzzle is, in expected points of the solver.
const (
	sigmas  = 3 / 1.645 // standard deviations by which the second move is worse, in halves of a 90 % interval
	clear   = 0.15      // that the second move loses at least: a blunder
	holds   = 0.45      // that the solution is worth at least: the position is not lost
	decided = 0.80      // that the second move is worth at most: the game is not won by others too
	slack   = 0.10      // by which the first search of a position may be off
	longest = 10        // moves of a solution
)

// Config says where puzzles are looked for, and where they go.
type Config struct {
	In, Out  string        // Out is a file in PGN; the one in EPD is beside it
	Limits   search.Limits // of each search: one of Nodes, Evals and MoveTime
	Label    annotate.Label
	Err      io.Writer      // gets what the user should know while the run goes on
	Progress *view.Progress // nil: none
}

// run is a run of a configuration.
type run struct {
	Config
	asked, unstated int // second moves that were asked about, and those of them whose loss nothing states
}

// Validate reports what is wrong with the configuration.
func (c *Config) Validate() error {
	if c.Out == "" {
		return errors.Join(errors.New("no --out, the file of the puzzles"), suite.OneLimit(&c.Limits))
	}
	return suite.OneLimit(&c.Limits)
}

// Move is a move of the solver, and why it is the only one.
type Move struct {
	Answer *explain.Answer `json:"answer"` // why not the second move
	Began  float64         `json:"began"`  // the value, in points, at the first report
	Nodes  int64           `json:"nodes"`  // after which the search held to the move, and its value was near the last one
	Depth  int             `json:"depth"`
}

// place is a position of a game, from 0.
type place struct {
	Game int `json:"game"`
	Ply  int `json:"ply"`
}

// finding is what was found at a place, and a record of the journal: the moves of the solver, or none.
type finding struct {
	place
	Moves []Move `json:"moves"`
}

type header struct {
	Version int `json:"tesla_puzzles"`
	annotate.Label
	Input    string        `json:"input"` // hash of the file that is read
	Nodes    int64         `json:"nodes,omitempty"`
	Evals    int64         `json:"evals,omitempty"`
	MoveTime time.Duration `json:"movetime_ns,omitempty"`
}

// Run looks for puzzles, writes the files and says what was found. It goes on with the journal of a run that was cut short.
func Run(ctx context.Context, cfg Config, by search.Searcher, print io.Writer) error {
	r := &run{Config: cfg}
	games, err := cfg.read()
	if err = errors.Join(err, output.Check(cfg.Out, isPGN), output.Check(cfg.epd(), isEPD)); err != nil {
		return err
	}
	input, err := journal.FileHash(cfg.In)
	if err != nil {
		return err
	}
	file := sweep.File{Path: cfg.Out + ".journal", Resume: true, Tell: func(text string) { fmt.Fprintf(cfg.Err, "tesla: %s\n", text) }}
	l := &cfg.Limits
	j, err := sweep.OpenJournal(file, header{1, cfg.Label, input, l.Nodes, l.Evals, l.MoveTime}, func(f *finding) (place, error) { return f.place, nil })
	if err != nil {
		return err
	}
	var found []finding
	for g, a := range games {
		for ply := range a.Moves {
			found = append(found, finding{place: place{g, ply}})
		}
	}
	all := &sweep.Sweep{Steps: len(found), What: "positions", Progress: cfg.Progress, Resumed: j.Resumed}
	err = all.Each(ctx, func(ctx context.Context, steps iter.Seq[int]) (err error) {
		s := &sweep.Searcher{Name: cfg.Label.Search, Open: func() (search.Searcher, error) { return by, nil }} // it stays the caller's
		for i := range steps {
			f := &found[i]
			if *f, err = j.Do(f.place, func() (finding, error) { return r.find(ctx, s, games[f.Game], f.place) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, j.Close()); err != nil {
		return fmt.Errorf("%w; what was found is in %s: start again to go on", err, file.Path)
	}
	if r.asked > 0 && r.unstated == r.asked {
		fmt.Fprintf(cfg.Err, "tesla: nothing is stated of the %d positions that may be puzzles: see the efforts in docs/sure.md\n", r.asked)
	}
	return cfg.write(distinct(games, found), len(found), file.Path, print)
}

// read reads the games. One that cannot be read is named, and the others count.
func (c *Config) read() (games []*pgn.Annotated, err error) {
	data, err := output.ReadRegular(c.In)
	if err != nil {
		return nil, err
	}
	for _, a := range pgn.ReadAnnotated(string(data)) {
		if a.Err != nil {
			fmt.Fprintf(c.Err, "tesla: %s: %s, %v; it is left out\n", c.In, a.Name(), a.Err)
			continue
		}
		games = append(games, a)
	}
	if len(games) == 0 {
		return nil, fmt.Errorf("%s: no game", c.In)
	}
	return games, nil
}

// find is the solution of a position, as long as one move solves it. A recapture is none at the beginning.
func (r *run) find(ctx context.Context, s *sweep.Searcher, a *pgn.Annotated, at place) (f finding, err error) {
	f.place = at
	played := pgn.Line{Start: a.Start, Moves: a.Moves[:at.Ply]}
	p := played.Game().Pos
	for len(f.Moves) < longest {
		m, line, err := r.only(ctx, s, &p)
		if err != nil || m == nil || len(f.Moves) == 0 && at.Ply > 0 && annotate.IsRecapture(a.Moves[at.Ply-1], line[0]) {
			return f, err
		}
		f.Moves = append(f.Moves, *m)
		if len(line) < 2 {
			break
		}
		p = p.After(line[0])
		p = p.After(line[1])
	}
	return f, nil
}

// only is the one move of a position that solves it, nil where there is none, and the line that begins with it.
func (r *run) only(ctx context.Context, s *sweep.Searcher, p *board.Position) (m *Move, line []board.Move, err error) {
	if p.CountLegal() < 2 || board.NewGame(*p).Outcome() != board.Ongoing {
		return nil, nil, nil
	}
	two, rival, least := r.Limits, board.NullMove, 0.0
	two.MultiPV = 2
	found, err := s.FromNothing(ctx, p, two, func(in search.Info) {
		if in.MultiPV == 2 && len(in.PV) > 0 {
			rival, least = in.PV[0], points(&in)
		}
	})
	if err != nil || rival == board.NullMove || rival == found.Best {
		return nil, nil, err
	}
	if best := points(&found.Info); best-least < clear-slack || best < holds-slack || least > decided+slack {
		return nil, nil, nil // the searches that judge would say no
	}
	w := &witness{Searcher: s, ctx: ctx}
	a, err := explain.Ask(ctx, w, r.Label.Search, board.NewGame(*p), rival, r.Limits)
	if err = errors.Join(err, w.err); err != nil {
		return nil, nil, err
	}
	if r.asked++; a.Loss == nil { // nothing is stated
		r.unstated++
	}
	if a.Loss == nil || w.line[0] != found.Best || *a.Loss < max(clear, sigmas*(*a.High-*a.Loss)) || a.Choice.Expected.Middle < holds ||
		a.Asked.Expected.Middle > decided {
		return nil, nil, nil
	}
	return &Move{a, w.points[0], w.held(), w.depth}, w.line, nil
}

func points(in *search.Info) float64 {
	cp := in.Score.Value()
	if search.IsDecided(cp) {
		return sure.Decided(cp).Middle
	}
	return sure.Points(cp)
}

// witness is a searcher that keeps how the first of its searches went. Its first error is err.
type witness struct {
	*sweep.Searcher
	ctx context.Context
	err error

	searches int
	line     []board.Move // that was found
	depth    int
	first    []board.Move // at each report, and with the last
	points   []float64
	nodes    []int64
}

// NewGame implements search.Searcher.
func (w *witness) NewGame() { w.err = cmp.Or(w.err, w.Searcher.NewGame(w.ctx)) }

// PonderHit implements search.Searcher.
func (w *witness) PonderHit() {}

// Search implements search.Searcher.
func (w *witness) Search(ctx context.Context, g *board.Game, l search.Limits, report func(search.Info)) (search.Result, error) {
	if w.err != nil {
		return search.Result{}, w.err
	}
	w.searches++
	see := func(in *search.Info) {
		if w.searches == 1 && in.MultiPV <= 1 && len(in.PV) > 0 {
			w.first, w.points, w.nodes = append(w.first, in.PV[0]), append(w.points, points(in)), append(w.nodes, in.Nodes)
			w.line, w.depth = append([]board.Move(nil), in.PV...), in.Depth
		}
	}
	r, err := w.Searcher.Search(ctx, g, l, func(in search.Info) {
		see(&in)
		report(in)
	})
	see(&r.Info)
	return r, err
}

// held is the number of nodes after which the search held to its move, with a value near the last one.
func (w *witness) held() (nodes int64) {
	last := len(w.first) - 1
	for k := last; k >= 0 && w.first[k] == w.line[0] && w.points[k] >= w.points[last]-slack; k-- {
		nodes = w.nodes[k]
	}
	return nodes
}
