package alphabeta

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// betas is the driver of mtdf with one thread, and a row of a table for each depth: the guess, and each beta with the bound
// that its search returned.
type betas struct {
	*mtdf
	rows strings.Builder
}

func (d *betas) iterate(x *running, depth, guess int) (Line, bool) {
	c, w := &d.central, d.workers[0]
	c.begin(depth, guess, w.roots)
	searches := []string{}
	for c.take(w) {
		v := w.search(0, w.rootDepth, w.beta-1, w.beta, false)
		sign := "≤"
		if v >= w.beta {
			sign = "≥"
		}
		searches = append(searches, fmt.Sprintf("%d: %s %d", w.beta, sign, v))
		c.put(w, v)
	}
	line, whole := c.result()
	fmt.Fprintf(&d.rows, "| %d | %d | %s | %d to %d |\n", depth, guess, strings.Join(searches, ", "), c.lower.Load(), c.upper.Load())
	line.Depth = depth
	return line, whole
}

// The tables of betas in docs/mtdf.md are those of searches.
func TestMTDFPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/mtdf.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fen := range []string{
		"r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10",
		"3r1k2/4npp1/1ppr3p/p6P/P2PPPP1/1NR5/5K2/2R5 w - - 0 1",
	} {
		o := Options{Step: 16, Trust: 16}
		d := &betas{mtdf: newMTDF(1, o)}
		s, err := newSearcher(d, net(t), table(t), 1, o)
		if err != nil {
			t.Fatal(err)
		}
		p := boardtest.Position(t, fen)
		if _, err := s.Search(t.Context(), board.NewGame(p), search.Limits{Depth: 12}, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), fen) || !strings.Contains(string(page), d.rows.String()) {
			t.Errorf("docs/mtdf.md lacks the table of %s, which is now\n%s", fen, d.rows.String())
		}
	}
}
