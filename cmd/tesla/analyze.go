package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/board"
	"tesla/engine"
	"tesla/internal/output"
	"tesla/lab/view"
	"tesla/search"
)

type analyzeOptions struct {
	positionFlags
	set      engine.Settings
	moveTime time.Duration
	evals    int64
	multiPV  int
	tree     string
}

func analyzeCommand() *cobra.Command {
	return command(&cobra.Command{Use: "analyze", Short: "search one position and show how the search goes",
		Example: "  tesla analyze --movetime 10s --fen \"r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10\"\n" +
			"  tesla analyze --search puct --backend cpu --evals 5000 --multipv 3\n" +
			"  tesla analyze --evals 2000 --tree tree.dot && dot -Tsvg tree.dot >tree.svg"}, &analyzeOptions{set: defaultSettings()})
}

func (o *analyzeOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	o.add(f)
	f.DurationVar(&o.moveTime, "movetime", 5*time.Second, "time to think")
	numberFlag(f, &o.evals, "evals", 1, "limit of evaluations, in place of the time")
	o.multiPV = 1
	numberFlag(f, &o.multiPV, "multipv", 1, "principal variations to show")
	f.StringVar(&o.tree, "tree", "", "write the tree of bestfirst or puct to this file: JSON, a line for each move, or for Graphviz if the name ends in .dot")
}

func (o *analyzeOptions) Validate([]string) error {
	if o.moveTime <= 0 {
		return fmt.Errorf("--movetime %v: it must be positive", o.moveTime)
	}
	if o.tree != "" && o.set.Search == engine.AutoSearch {
		o.set.Search = "bestfirst"
	}
	if o.tree != "" && !engine.HasTree(o.set.Search) {
		return fmt.Errorf("--tree: %s has no tree that can be written: want bestfirst or puct", o.set.Search)
	}
	if err := o.parse(); err != nil {
		return err
	}
	if !o.position.HasLegalMove() {
		return fmt.Errorf("--fen: the game is over here, %s", board.NewGame(o.position).Outcome())
	}
	return o.set.Validate()
}

func (o *analyzeOptions) Run(c *cobra.Command) (err error) {
	lim := search.Limits{Evals: o.evals, MultiPV: o.multiPV}
	if o.evals == 0 {
		lim.MoveTime = o.moveTime
	}
	o.set.VerboseMoveStats = true
	s, notes, err := engine.Open(o.set)
	tellNotes(c, append(o.repairs, notes...))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if o.tree != "" { // before the search, so that an error is reported at once
		if err := output.Check(o.tree, isTree); err != nil {
			return fmt.Errorf("--tree: %w", err)
		}
	}
	if tables := s.Tables(); tables != nil {
		if known, err := tables.Probe(&o.position); err == nil { // else they do not know it
			fmt.Fprintln(c.OutOrStdout(), "tables:", &known)
		}
	}
	v := view.New(c.OutOrStdout(), &o.position, o.chess960)
	res, err := s.Search(c.Context(), board.NewGame(o.position), lim, v.Report)
	if err != nil {
		return err
	}
	v.End(res)
	if o.tree != "" {
		err = o.writeTree(s)
	}
	return errors.Join(err, c.Context().Err())
}

// isTree recognizes what writeTree wrote.
var isTree = output.Begins(`{"ply":0,`, "digraph tree {")

// writeTree writes the tree of the last search, for Graphviz or as JSON by the file's name.
func (o *analyzeOptions) writeTree(s *engine.Searcher) error {
	of, ok := search.As[search.Watcher](s)
	if !ok {
		return fmt.Errorf("--tree: %s has no tree", s.Name())
	}
	tree, ok := of.Snapshot(math.MaxInt)
	if !ok {
		return errors.New("--tree: the search has left no tree")
	}
	write := view.WriteTree
	if filepath.Ext(o.tree) == ".dot" {
		write = view.WriteDot
	}
	return output.Write(o.tree, isTree, func(w io.Writer) error { return write(w, &tree, &o.position, o.chess960) })
}
