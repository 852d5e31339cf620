package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tesla/bestfirst"
	"tesla/board"
	"tesla/search"
)

func analyzeCommand() *cobra.Command {
	c := &cobra.Command{Use: "analyze", Short: "search one position and show how the search goes", Args: cobra.NoArgs}
	set := settingsFlags(c, "search", "search-options", "backend", "weights", "threads", "hash")
	fen := fenFlag(c)
	chess960 := c.Flags().Bool("chess960", false, "write castling as king takes rook")
	moveTime := c.Flags().Duration("movetime", 5*time.Second, "time to think")
	evals := c.Flags().Int64("evals", 0, "limit of evaluations, in place of the time")
	multiPV := c.Flags().Int("multipv", 1, "principal variations to show")
	tree := c.Flags().String("tree", "", "write the tree of bestfirst here: JSON, a line a move, or for Graphviz where the name ends in .dot")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if err := checkSettings(set); err != nil {
			return err
		}
		if *moveTime <= 0 || *evals < 0 || *multiPV < 1 {
			return usage("analyze: --movetime and --multipv must be positive, --evals not negative")
		}
		pos, err := parseFEN(*fen)
		if err != nil {
			return err
		}
		if !pos.HasLegalMove() {
			return usage("--fen: the game is over here, %s", board.NewGame(pos).Outcome())
		}
		lim := search.Limits{Evals: *evals, MultiPV: *multiPV}
		if *evals == 0 {
			lim.MoveTime = *moveTime
		}
		e := &engine{}
		defer func() { err = errors.Join(err, e.Close()) }()
		set.VerboseMoveStats = true
		s, notes, err := e.open(*set)
		tellNotes(c, notes)
		if err != nil {
			return err
		}
		write := func() error { return nil }
		if *tree != "" { // before the search: what cannot be done is to be told at once
			t, ok := s.(*bestfirst.Searcher)
			if !ok {
				return usage("--tree: %s has no tree that can be written: want bestfirst", set.Search)
			}
			out, err := os.Create(*tree)
			if err != nil {
				return fmt.Errorf("--tree: %w", err)
			}
			write = func() error { return writeTree(t, out, *chess960) }
		}
		ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt)
		defer stop()
		v := newView(c.OutOrStdout(), &pos, *chess960)
		res, err := s.Search(ctx, board.NewGame(pos), lim, v.report)
		if err != nil {
			return err
		}
		v.end(res)
		return write()
	}
	return c
}

// writeTree writes the tree of the last search, for Graphviz or as JSON by the file's name, and closes the file.
func writeTree(s *bestfirst.Searcher, out *os.File, chess960 bool) error {
	b, write := bufio.NewWriter(out), s.WriteTree
	if filepath.Ext(out.Name()) == ".dot" {
		write = s.WriteDot
	}
	return errors.Join(write(b, chess960), b.Flush(), out.Close())
}

// view shows a search: a panel that is redrawn on a terminal, plain lines elsewhere.
type view struct {
	out      io.Writer
	width    int // columns of the terminal; 0: no terminal
	pos      *board.Position
	chess960 bool
	lines    map[int]string // by rank
	batches  string
	moves    []string
	drawn    int // lines of the panel on the screen
	at       time.Time
}

func newView(out io.Writer, pos *board.Position, chess960 bool) *view {
	v := &view{out: out, pos: pos, chess960: chess960, lines: map[int]string{}}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			v.width = w
		}
	}
	return v
}

func (v *view) report(in search.Info) {
	switch {
	case in.Text != "":
		v.batches = in.Text
		if v.width == 0 {
			fmt.Fprintln(v.out, in.Text)
		}
	case in.Roots != nil:
		v.moves = v.rootTable(in.Roots)
	default:
		v.lines[max(1, in.MultiPV)] = v.line(&in)
		if v.width == 0 {
			fmt.Fprintln(v.out, v.lines[max(1, in.MultiPV)])
		}
	}
	const every = 50 * time.Millisecond // redrawing more often than this cannot be read
	if v.width > 0 && time.Since(v.at) > every {
		v.draw()
	}
}

// line is one principal variation with its facts.
func (v *view) line(in *search.Info) string {
	score := fmt.Sprintf("%+.2f", float64(in.Score.CP)/100)
	if in.Score.Mate != 0 {
		score = fmt.Sprintf("#%d", in.Score.Mate)
	}
	p, words := *v.pos, []string(nil)
	for _, m := range in.PV {
		if !p.IsLegal(m) {
			break
		}
		words = append(words, p.UCI(m, v.chess960))
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	return fmt.Sprintf("%6.2fs %8d evals %7d/s  depth %2d/%-2d  %7s  wdl %3d %3d %3d  %s", in.Time.Seconds(), in.Evals, in.NPS,
		in.Depth, in.SelDepth, score, in.WDL[0]/10, in.WDL[1]/10, in.WDL[2]/10, strings.Join(words, " "))
}

// rootTable lists the root moves, the best first.
func (v *view) rootTable(roots []search.RootMove) []string {
	table := []string{"move        n   prior        q   sigma"}
	for i := len(roots) - 1; i >= 0; i-- {
		r := &roots[i]
		table = append(table, fmt.Sprintf("%-6s %6d  %5.1f%%  %+7.4f  %.4f", v.pos.UCI(r.Move, v.chess960), r.N, 100*r.Policy, r.Q, r.Sigma))
	}
	return table
}

// draw replaces the panel on the terminal.
func (v *view) draw() {
	v.at = time.Now()
	ranks := make([]int, 0, len(v.lines))
	for rank := range v.lines {
		ranks = append(ranks, rank)
	}
	sort.Ints(ranks)
	panel := make([]string, 0, len(ranks)+1)
	for _, rank := range ranks {
		panel = append(panel, v.lines[rank])
	}
	panel = append(panel, v.batches)
	var b strings.Builder
	if v.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.drawn)
	}
	for _, text := range panel {
		fmt.Fprintf(&b, "\x1b[2K%s\n", text[:min(len(text), max(0, v.width-1))])
	}
	v.drawn = len(panel)
	io.WriteString(v.out, b.String())
}

// end shows the last state, the root moves and the choice.
func (v *view) end(res search.Result) {
	if v.width > 0 {
		v.draw()
	}
	const most = 11 // with the heading
	for _, text := range v.moves[:min(most, len(v.moves))] {
		fmt.Fprintln(v.out, text)
	}
	fmt.Fprintln(v.out, "best "+v.pos.UCI(res.Best, v.chess960))
}
