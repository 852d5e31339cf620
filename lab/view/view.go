// Package view shows a search as it goes: a panel that is redrawn on a terminal, plain lines elsewhere.
package view

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"tesla/board"
	"tesla/search"
)

// View shows one search. Its methods may be called by several goroutines.
type View struct {
	out      io.Writer
	title    string
	pos      *board.Position
	chess960 bool
	screen   *screen // nil: no terminal

	mu      sync.Mutex // guards what follows
	lines   []search.Info
	batches search.Batches
	text    string            // what the searcher said last
	roots   []search.RootMove // at the end, worst first
	sigma   float64           // of the best move; 0: unknown
}

// New makes a view of a search from a position. The title says what searches.
func New(out io.Writer, title string, pos *board.Position, chess960 bool) *View {
	return &View{out: out, title: title, pos: pos, chess960: chess960, screen: screenOn(out)}
}

// Watch has the view show the batches of a searcher that tells of them, instead of its line of text. The function that it
// returns ends that.
func (v *View) Watch(s search.Searcher) (end func()) {
	watcher, ok := search.As[search.Watcher](s)
	if !ok {
		return func() {}
	}
	watcher.Watch(1, v.snapshot)
	return func() { watcher.Watch(0, nil) }
}

func (v *View) snapshot(in search.Snapshot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.batches = in.Batches
	if len(in.Roots) > 0 {
		v.sigma = in.Roots[0].Sigma
	}
}

// Report shows a report of the search.
func (v *View) Report(in search.Info) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case in.Text != "":
		v.text = in.Text
	case in.Roots != nil:
		v.roots = in.Roots
	case len(in.PV) > 0:
		rank := max(1, in.MultiPV)
		in.PV = append([]board.Move(nil), in.PV...)
		if rank <= len(v.lines) {
			v.lines[rank-1] = in
		} else {
			v.lines = append(v.lines, in)
		}
		if v.screen == nil {
			fmt.Fprintln(v.out, v.plain(&in))
		}
	}
	if v.screen != nil && v.screen.due(time.Now()) {
		v.screen.draw(v.panel())
	}
}

// scoreText is a score for the side to move, in pawns or in moves to mate.
func scoreText(s search.Score) string {
	if s.Mate != 0 {
		return fmt.Sprintf("#%d", s.Mate)
	}
	return fmt.Sprintf("%+.2f", float64(s.CP)/100)
}

// plain is one principal variation with its facts, where there is no terminal.
func (v *View) plain(in *search.Info) string {
	var words []string
	for at, m := range v.pos.Along(in.PV) {
		words = append(words, at.UCI(m, v.chess960))
	}
	sureness := ""
	if in.Sure.Best > 0 {
		sureness = fmt.Sprintf("sure %2.0f %%  ", 100*in.Sure.Best)
	}
	return fmt.Sprintf("%6.2fs %8d evals %7.0f/s %9d nodes %8d/s  depth %2d/%-2d  %7s  wdl %3d %3d %3d  %s%s", in.Time.Seconds(),
		in.Evals, in.EvalRate(), in.Nodes, in.NPS, in.Depth, in.SelDepth, scoreText(in.Shown()), in.WDL[0]/10, in.WDL[1]/10, in.WDL[2]/10,
		sureness, strings.Join(words, " "))
}

// batchText says in words how batches were filled. It is empty where the net evaluates positions one at a time.
func batchText(b *search.Batches) string {
	if b.Count == 0 || b.Size <= 1 {
		return ""
	}
	return fmt.Sprintf("Batches: %.1f of %d leaves; net idle %.0f %%, promoter busy %.0f %%", b.Mean, b.Size, 100*b.Idle,
		100*b.Promoting)
}

// footnote is the small line under the panel.
func (v *View) footnote() string {
	if v.batches.Count > 0 {
		return batchText(&v.batches)
	}
	return v.text
}

// statesBehind reports whether the search states of some root move how probable it is that the first is better.
func (v *View) statesBehind() bool {
	return slices.ContainsFunc(v.roots, func(r search.RootMove) bool { return r.Behind > 0 })
}

// rootTable lists the root moves, the best first, where there is no terminal.
func (v *View) rootTable() []string {
	table := []string{"move        n   prior        q   sigma"}
	behind := v.statesBehind()
	if behind {
		table[0] += "  behind"
	}
	for i := len(v.roots) - 1; i >= 0; i-- {
		r := &v.roots[i]
		table = append(table, fmt.Sprintf("%-6s %6d  %5.1f%%  %+7.4f  %.4f", v.pos.UCI(r.Move, v.chess960), r.N, 100*r.Policy, r.Q, r.Sigma))
		if behind && r.Behind > 0 {
			table[len(table)-1] += fmt.Sprintf("  %4.0f %%", 100*r.Behind)
		}
	}
	return table
}

// End shows the last state, the root moves and the choice; on a terminal also what to do next.
func (v *View) End(res search.Result, next []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.screen != nil {
		v.screen.draw(v.panel())
		for _, text := range append(v.ending(res.Best), next...) {
			fmt.Fprintln(v.out, text)
		}
		return
	}
	if text := v.footnote(); text != "" {
		fmt.Fprintln(v.out, text)
	}
	const most = 11 // with the heading
	if len(v.roots) > 0 {
		table := v.rootTable()
		for _, text := range table[:min(most, len(table))] {
			fmt.Fprintln(v.out, text)
		}
	}
	fmt.Fprintln(v.out, "best "+v.pos.UCI(res.Best, v.chess960))
}
