package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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
	set    engine.Settings
	limits search.Limits
	tree   string
}

// analyzeTime is for a search without another limit.
const analyzeTime = 5 * time.Second

func analyzeCommand() *cobra.Command {
	return command(&cobra.Command{Use: "analyze [FEN]", Short: "search one position and show how the search goes", Aliases: []string{"analyse"},
		Example: "  tesla analyze --movetime 10s \"r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10\"\n" +
			"  tesla analyze --search puct --backend cpu --evals 5000 --multipv 3\n" +
			"  tesla analyze --sure 0.95 --movetime 10s\n" +
			"  tesla analyze --evals 2000 --tree tree.dot && dot -Tsvg tree.dot >tree.svg"}, &analyzeOptions{set: defaultSettings()})
}

func (o *analyzeOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "search", "search-options", "backend", "weights", "threads", "hash")
	o.add(f)
	timeFlag(f, &o.limits.MoveTime, "movetime", "time to think (default 5s, without another limit)")
	numberFlag(f, &o.limits.Depth, "depth", 1, "limit of depth, plies")
	numberFlag(f, &o.limits.Nodes, "nodes", 1, "limit of nodes")
	numberFlag(f, &o.limits.Evals, "evals", 1, "limit of evaluations")
	sureFlag(f, &o.limits.Sure, "end when the first move is the best one with this probability")
	o.limits.MultiPV = 1
	numberFlag(f, &o.limits.MultiPV, "multipv", 1, "principal variations to show")
	f.StringVar(&o.tree, "tree", "", "write the tree of bestfirst or puct to this file: JSON, a line for each move, or for Graphviz if the name ends in .dot")
}

func (o *analyzeOptions) Validate(args []string) error {
	l := &o.limits
	if l.Sure > 0 && l.MultiPV > 1 {
		return errors.New("--sure: not with --multipv, which has several principal variations")
	}
	if l.MoveTime == 0 && l.Sure == 0 && l.Depth == 0 && l.Nodes == 0 && l.Evals == 0 {
		l.MoveTime = analyzeTime
	}
	if o.tree != "" && o.set.Search == engine.AutoSearch {
		o.set.Search = "bestfirst"
	}
	if o.tree != "" && !engine.HasTree(o.set.Search) {
		return fmt.Errorf("--tree: no tree of %s: want bestfirst or puct", o.set.Search)
	}
	if err := o.parse(args); err != nil {
		return err
	}
	if !o.position.HasLegalMove() {
		return fmt.Errorf("%s: the game is over here, %s", o.source, board.NewGame(o.position).Outcome())
	}
	return o.set.Validate()
}

func (o *analyzeOptions) Run(c *cobra.Command) (err error) {
	o.set.VerboseMoveStats = true
	s, err := openSearcher(c, o.set, o.repairs...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if o.limits.Sure > 0 && !s.StatesSureness() {
		return notFitted(s.Name(), s.Backend().ModelName)
	}
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
	v := view.New(c.OutOrStdout(), titleOf(s, o.set.Threads), &o.position, o.chess960)
	defer v.Watch(s)()
	res, err := s.Search(c.Context(), board.NewGame(o.position), o.limits, v.Report)
	if err != nil {
		return err
	}
	v.End(res, whatNext())
	if found := res.Info.Sure.Best; found < o.limits.Sure {
		fmt.Fprintf(c.OutOrStdout(), "not as sure as asked: %s\n", sureness(found))
	}
	if o.tree != "" {
		err = o.writeTree(s)
	}
	return errors.Join(err, c.Context().Err())
}

// notFitted is the error of --sure with a searcher that states nothing.
func notFitted(search, net string) error {
	return fmt.Errorf("--sure: no fit to %s on net %s with these options, see docs/sure.md", search, net)
}

// sureness is the probability that a search ends with, in words.
func sureness(best float64) string {
	if best == 0 {
		return "nothing is stated at this effort"
	}
	return fmt.Sprintf("%.2f", best)
}

// titleOf says what searches.
func titleOf(s *engine.Searcher, threads int) string {
	on, net := s.Backend().Name, s.Backend().ModelName
	if net != on {
		on = net + " on " + on
	}
	return fmt.Sprintf("%s, net %s, threads %d", s.Name(), on, threads)
}

// whatNext says what else the program does, for people at a terminal.
func whatNext() []string {
	name, path := os.Args[0], os.Args[0]
	if full, err := os.Executable(); err == nil {
		path = full
	}
	return []string{"", "  Next:", "    " + name + " web --open    the same in the browser with its tree, and games",
		"    in a GUI: add " + path + " as a UCI engine"}
}

// isTree recognizes what writeTree wrote.
var isTree = output.Begins(`{"ply":0,`, "digraph tree {")

// writeTree writes the tree of the last search, for Graphviz or as JSON by the file's name.
func (o *analyzeOptions) writeTree(s *engine.Searcher) error {
	of, ok := search.As[search.Watcher](s)
	if !ok {
		return fmt.Errorf("--tree: no tree of %s", s.Name())
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
