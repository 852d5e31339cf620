package view

import (
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/search"
)

const middlegame = "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10"

// terminal is a screen that keeps what it was sent.
func terminal(columns, rows int, colour bool) (*screen, *strings.Builder) {
	var out strings.Builder
	return &screen{out: &out, size: func() (int, int) { return columns, rows }, colour: colour}, &out
}

// report is one of a search whose leaves are deepened: many nodes for each evaluation.
func report(t *testing.T, p *board.Position, line string) search.Info {
	t.Helper()
	in := search.Info{Depth: 9, SelDepth: 23, Score: search.Score{CP: -41}, WDL: [3]int{300, 320, 380}, Evals: 1254, Nodes: 3198503, NPS: 367644,
		Time: 8700 * time.Millisecond}
	at := *p
	for _, word := range strings.Fields(line) {
		m, err := at.ParseMove(word)
		if err != nil {
			t.Fatal(err)
		}
		in.PV = append(in.PV, m)
		at = at.After(m)
	}
	return in
}

const principal = "c8e6 d1b3 c6a5 b3c2 a5c4 e3g5 h7h6 g5f6 e7f6 d4e6 f7e6 a1d1"

// last is what a terminal shows after all that was written to it.
func last(text string) string {
	if i := strings.LastIndex(text, "A\r"); i >= 0 {
		text = text[i+2:]
	}
	return strings.NewReplacer("\x1b[K", "", "\x1b[J", "").Replace(text)
}

func TestPanel(t *testing.T) {
	p, err := board.ParseFEN(middlegame)
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{55, 73, 74, 80, 120} {
		s, out := terminal(columns, 50, false)
		v := &View{out: out, title: "bestfirst, net eut-s on cpu", pos: &p, screen: s}
		v.snapshot(search.Snapshot{Batches: search.Batches{Count: 40, Size: 8, Mean: 7.8, Idle: 0.02, Promoting: 0.03},
			Roots: []search.RootMove{{Sigma: 0.05}}})
		in := report(t, &p, principal)
		in.Sure = search.Sureness{Best: 0.87, Stays: 0.934, Low: 0.4, High: 0.52}
		v.Report(in)
		v.roots = []search.RootMove{{Move: in.PV[1], Behind: 0.83}, {Move: in.PV[0]}}
		v.End(search.Result{Best: v.lines[0].PV[0]}, []string{"next"})
		shown := last(out.String())
		for _, want := range []string{"  8  r . b q . r k .", "     a b c d e f g h", "Move 10, Black to move", "-0.41 +- 0.35, points 0.40 to 0.52",
			"best 87 %, stays first 93 %", "  83 %", "win 30 %, draw 32 %, loss 38 %",
			"1,254          144 a second", "3,198,503      367,644 a second", "10... Be6 11. Qb3 Na5", "7.8 of 8 leaves; net", "Best move: 10... Be6", "next"} {
			if !strings.Contains(shown, want) {
				t.Errorf("%d columns: no %q in\n%s", columns, want, shown)
			}
		}
		for _, row := range strings.Split(shown, "\n") {
			if visible(row) >= columns {
				t.Errorf("%d columns: %d in %q", columns, visible(row), row)
			}
		}
		if strings.Contains(out.String(), "\x1b[1m") {
			t.Errorf("colours where none are wanted: %q", out)
		}
		if beside := strings.Contains(shown, "b q . r k .   bestfirst"); beside != (columns >= leastBeside) {
			t.Errorf("%d columns: facts beside the board: %v", columns, beside)
		}
	}
}

// A terminal that is lower than the panel is never asked to go above its first row, and a panel does not shrink while its
// line becomes shorter.
func TestPanelHeight(t *testing.T) {
	p, err := board.ParseFEN(middlegame)
	if err != nil {
		t.Fatal(err)
	}
	s, out := terminal(80, 10, true)
	v := &View{out: out, pos: &p, screen: s}
	v.Report(report(t, &p, principal))
	if s.drawn != 9 {
		t.Errorf("%d rows on a terminal of 10", s.drawn)
	}
	s, out = terminal(60, 40, true)
	v = &View{out: out, pos: &p, screen: s}
	v.Report(report(t, &p, principal))
	before := s.drawn
	s.at = time.Time{}
	v.Report(report(t, &p, "c8e6"))
	if s.drawn != before {
		t.Errorf("%d rows, then %d", before, s.drawn)
	}
	if !strings.Contains(out.String(), "\x1b[1;31m-0.41") {
		t.Errorf("a bad score is not red: %q", out)
	}
}

// Batches of one leaf mean nothing, and are not told.
func TestSingleLeaves(t *testing.T) {
	if text := batchText(&search.Batches{Count: 334, Size: 1, Mean: 1, Idle: 0.99}); text != "" {
		t.Error(text)
	}
}

// Elsewhere the lines are plain: evaluations and nodes have each their own rate.
func TestPlain(t *testing.T) {
	p, err := board.ParseFEN(middlegame)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	v := New(&out, "title", &p, false)
	v.Report(report(t, &p, "c8e6 d1b3"))
	v.End(search.Result{Best: v.lines[0].PV[0]}, []string{"next"})
	want := "  8.70s     1254 evals     144/s   3198503 nodes   367644/s  depth  9/23    -0.41  wdl  30  32  38  c8e6 d1b3\nbest c8e6\n"
	if out.String() != want {
		t.Errorf("%q\nwant %q", out.String(), want)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234: "-1,234", -123: "-123", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// A line of progress tells the time left from the time of those that are done. Where there is no terminal it is nil and silent.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := &Progress{line: &Line{To: &out, Columns: func() int { return 120 }}, began: time.Now().Add(-30 * time.Second)}
	p.Draw(0, 40, "positions", "")
	p.Draw(10, 40, "positions", "4 solved")
	p.Skip(8)
	p.Draw(8, 40, "positions", "")
	p.Draw(10, 40, "positions", "")
	p.End()
	const want = "\r\x1b[K[--------------------] 0 of 40 positions\r\x1b[K[#####---------------] 10 of 40 positions, 1:30 left, 4 solved" +
		"\r\x1b[K[####----------------] 8 of 40 positions\r\x1b[K[#####---------------] 10 of 40 positions, 7:30 left\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	none := ProgressOn(&out)
	if none != nil {
		t.Error("a builder counts as a terminal")
	}
	none.Skip(1)
	none.Draw(1, 2, "positions", "")
	none.End()
	if out.String() != want {
		t.Error("progress is told where there is no terminal")
	}
}
