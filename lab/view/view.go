// Package view shows a search as it goes: a panel that is redrawn on a terminal, plain lines elsewhere.
package view

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"time"

	"golang.org/x/term"

	"tesla/board"
	"tesla/internal/output"
	"tesla/search"
)

// View shows one search.
type View struct {
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

// New makes a view of searches from a position.
func New(out io.Writer, pos *board.Position, chess960 bool) *View {
	v := &View{out: out, pos: pos, chess960: chess960, lines: map[int]string{}}
	if f := output.Terminal(out); f != nil && term.IsTerminal(int(f.Fd())) {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			v.width = w
		}
	}
	return v
}

// Report shows a report of the search.
func (v *View) Report(in search.Info) {
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
func (v *View) line(in *search.Info) string {
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
func (v *View) rootTable(roots []search.RootMove) []string {
	table := []string{"move        n   prior        q   sigma"}
	for i := len(roots) - 1; i >= 0; i-- {
		r := &roots[i]
		table = append(table, fmt.Sprintf("%-6s %6d  %5.1f%%  %+7.4f  %.4f", v.pos.UCI(r.Move, v.chess960), r.N, 100*r.Policy, r.Q, r.Sigma))
	}
	return table
}

// draw replaces the panel on the terminal.
func (v *View) draw() {
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

// End shows the last state, the root moves and the choice.
func (v *View) End(res search.Result) {
	if v.width > 0 {
		v.draw()
	}
	const most = 11 // with the heading
	for _, text := range v.moves[:min(most, len(v.moves))] {
		fmt.Fprintln(v.out, text)
	}
	fmt.Fprintln(v.out, "best "+v.pos.UCI(res.Best, v.chess960))
}
