package tt128

import (
	"math"
	"math/rand/v2"
	"testing"

	"tesla/board"
	"tesla/search"
)

// Sigma is half the width of the interval, in centipawns. It is Infinity where an end is open.
func (e Entry) Sigma() int {
	lower, upper := e.Lower(), e.Upper()
	if lower <= noLower || upper == Infinity {
		return Infinity
	}
	return (upper - lower) / 2
}

// randomEntry draws drafts and estimates with every form of interval.
func randomEntry(r *rand.Rand) Entry {
	m := board.Move(r.Uint32() & moveMask)
	if r.IntN(4) == 0 {
		m = board.NullMove
	}
	score := r.IntN(2*search.MateScore+1) - search.MateScore
	pv := r.IntN(4) == 0
	switch r.IntN(5) {
	case 0:
		return NewEstimate(score, r.IntN(2000), r.IntN(MaxEffort+1), m, pv)
	case 1:
		return NewDraft(score, Infinity, r.IntN(4), m, pv)
	case 2:
		return NewDraft(-Infinity, score, r.IntN(4), m, pv)
	case 3:
		return NewDraft(score, score, r.IntN(4), m, pv)
	}
	return NewDraft(score, min(score+r.IntN(500), search.MateScore), r.IntN(4), m, pv)
}

func TestFieldsSurvivePacking(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		lower, upper := r.IntN(2*Infinity+1)-Infinity, r.IntN(2*Infinity+1)-Infinity
		draft, m, pv := r.IntN(MaxDraft+1), board.Move(r.Uint32()&moveMask), r.IntN(2) == 0
		e := NewDraft(lower, upper, draft, m, pv)
		if e.Lower() != lower || e.Upper() != upper || e.Draft() != draft || e.Move() != m || e.PV() != pv ||
			e.Kind() != Draft || e.Effort() != 0 {
			t.Fatalf("NewDraft(%d, %d, %d, %#x, %v) = %#x does not read back", lower, upper, draft, m, pv, uint64(e))
		}
		value, sigma := r.IntN(2*maxEval+1)-maxEval, r.IntN(400)
		sigma = min(sigma, maxEval-max(value, -value))
		e = NewEstimate(value, sigma, draft, m, pv)
		if e.Midpoint() != value || e.Sigma() != sigma || e.Effort() != draft || e.Move() != m || e.PV() != pv ||
			e.Kind() != Estimate || e.Draft() != -1 {
			t.Fatalf("NewEstimate(%d, %d, %d, %#x, %v) = %#x does not read back", value, sigma, draft, m, pv, uint64(e))
		}
	}
}

func TestClamping(t *testing.T) {
	if e := NewDraft(-1<<20, 1<<20, 500, 0, false); e.Lower() != -Infinity || e.Upper() != Infinity || e.Draft() != MaxDraft {
		t.Errorf("draft out of range = [%d, %d] at %d", e.Lower(), e.Upper(), e.Draft())
	}
	if e := NewDraft(3, 3, -4, 0, false); e.Draft() != 0 {
		t.Errorf("negative draft = %d, want 0", e.Draft())
	}
	e := NewEstimate(1<<20, 300, 1000, 0, false)
	if e.Midpoint() != maxEval || e.Sigma() != 0 || e.Effort() != MaxEffort {
		t.Errorf("estimate out of range = %d +- %d at %d", e.Midpoint(), e.Sigma(), e.Effort())
	}
	if e := NewEstimate(maxEval-5, 300, -1, 0, false); e.Midpoint() != maxEval-5 || e.Sigma() != 5 || e.Effort() != 0 {
		t.Errorf("estimate near the end = %d +- %d at %d", e.Midpoint(), e.Sigma(), e.Effort())
	}
}

func TestBoundsAndCuts(t *testing.T) {
	const a, b = -20, 30
	for _, c := range []struct {
		name         string
		e            Entry
		bound        Bound
		draft, score int
		cuts         bool
		midpoint     int
	}{
		{"exact inside", NewDraft(7, 7, 5, 0, false), BoundExact, 5, 7, true, 7},
		{"exact, deeper asked", NewDraft(7, 7, 5, 0, false), BoundExact, 6, 0, false, 7},
		{"exact above", NewDraft(70, 70, 5, 0, false), BoundExact, 4, 70, true, 70},
		{"fail-high at beta", NewDraft(30, Infinity, 5, 0, false), BoundLower, 5, 30, true, 30},
		{"fail-high inside", NewDraft(29, Infinity, 5, 0, false), BoundLower, 5, 29, false, 29},
		{"fail-low at alpha", NewDraft(-Infinity, -20, 5, 0, false), BoundUpper, 5, -20, true, -20},
		{"fail-low inside", NewDraft(-Infinity, -19, 5, 0, false), BoundUpper, 5, -Infinity, false, -19},
		{"both, inside", NewDraft(-5, 5, 5, 0, false), BoundBoth, 5, -5, false, 0},
		{"both, above", NewDraft(31, 41, 5, 0, false), BoundBoth, 5, 31, true, 36},
		{"nothing known", NewDraft(-Infinity, Infinity, 5, 0, false), BoundNone, 5, -Infinity, false, 0},
		{"quiescence draft", NewDraft(40, Infinity, 0, 0, false), BoundLower, -3, 40, true, 40},
		{"estimate", NewEstimate(500, 10, 90, 0, false), BoundNone, 0, 0, false, 500},
		{"estimate, negative draft", NewEstimate(500, 10, 90, 0, false), BoundNone, -1, 0, false, 500},
	} {
		if got := c.e.Bound(); got != c.bound {
			t.Errorf("%s: Bound = %d, want %d", c.name, got, c.bound)
		}
		score, cuts := c.e.CutsAt(a, b, c.draft)
		if cuts != c.cuts || cuts && score != c.score {
			t.Errorf("%s: CutsAt = %d, %v, want %d, %v", c.name, score, cuts, c.score, c.cuts)
		}
		if got := c.e.Midpoint(); got != c.midpoint {
			t.Errorf("%s: Midpoint = %d, want %d", c.name, got, c.midpoint)
		}
	}
	if s := NewDraft(-5, 6, 5, 0, false).Sigma(); s != 5 {
		t.Errorf("Sigma of [-5, 6] = %d, want 5", s)
	}
	if s := NewDraft(-5, Infinity, 5, 0, false).Sigma(); s != Infinity {
		t.Errorf("Sigma of a fail-high = %d, want Infinity", s)
	}
}

func TestEstimatesNeverCut(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		e := NewEstimate(r.IntN(4000)-2000, r.IntN(300), r.IntN(128), 0, r.IntN(2) == 0)
		alpha := r.IntN(4000) - 2000
		if _, ok := e.CutsAt(alpha, alpha+1+r.IntN(100), r.IntN(130)-2); ok || e.Bound() != BoundNone {
			t.Fatalf("estimate %d +- %d cuts or has a bound", e.Midpoint(), e.Sigma())
		}
	}
}

func TestWindow(t *testing.T) {
	for _, c := range [][5]int{ // score, alpha, beta, lower, upper
		{10, 0, 5, 10, Infinity}, {5, 0, 5, 5, Infinity}, {4, 0, 5, 4, 4},
		{0, 0, 5, -Infinity, 0}, {-9, 0, 5, -Infinity, -9},
	} {
		if l, u := Window(c[0], c[1], c[2]); l != c[3] || u != c[4] {
			t.Errorf("Window(%d, %d, %d) = [%d, %d], want [%d, %d]", c[0], c[1], c[2], l, u, c[3], c[4])
		}
	}
}

func TestMergeTable(t *testing.T) {
	m, n := board.Move(0x111), board.Move(0x222)
	for _, c := range []struct {
		name               string
		older, newer, want Entry
	}{
		{"bounds meet", NewDraft(10, Infinity, 6, m, false), NewDraft(-Infinity, 30, 6, n, false), NewDraft(10, 30, 6, n, false)},
		{"bounds close", NewDraft(10, Infinity, 6, m, false), NewDraft(-Infinity, 10, 6, 0, false), NewDraft(10, 10, 6, m, false)},
		{"looser bound", NewDraft(10, Infinity, 6, m, false), NewDraft(5, Infinity, 6, n, false), NewDraft(10, Infinity, 6, n, false)},
		{"contradiction", NewDraft(10, Infinity, 6, m, true), NewDraft(-Infinity, 9, 6, 0, false), NewDraft(-Infinity, 9, 6, m, true)},
		{"deeper", NewDraft(10, Infinity, 6, m, true), NewDraft(-Infinity, 30, 7, 0, false), NewDraft(-Infinity, 30, 7, m, false)},
		{"shallower", NewDraft(10, 10, 6, m, false), NewDraft(-Infinity, 30, 5, n, false), NewDraft(-Infinity, 30, 5, n, false)},
		{"estimate on draft", NewDraft(10, 10, 6, m, false), NewEstimate(50, 9, 6, 0, false), NewEstimate(50, 9, 6, m, false)},
		{"draft on estimate", NewEstimate(50, 9, 6, m, true), NewDraft(-Infinity, 30, 6, 0, false), NewDraft(-Infinity, 30, 6, m, false)},
		{"estimates", NewEstimate(50, 9, 6, m, false), NewEstimate(55, 20, 6, n, false), NewEstimate(55, 20, 6, n, false)},
	} {
		if got := merge(c.older, c.newer); got != c.want {
			t.Errorf("%s: merged to [%d, %d] %+v, want [%d, %d]", c.name, got.Lower(), got.Upper(), got, c.want.Lower(), c.want.Upper())
		}
	}
}

func TestMergeProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 50000 {
		a, b := randomEntry(r), randomEntry(r)
		c := merge(a, b)
		if c.Depth() != b.Depth() || c.Kind() != b.Kind() {
			t.Fatalf("merge changed the newer depth %d to %d", b.Depth(), c.Depth())
		}
		if want := b.Move(); want != board.NullMove && c.Move() != want || want == board.NullMove && c.Move() != a.Move() {
			t.Fatalf("merge of moves %#x, %#x gave %#x", a.Move(), b.Move(), c.Move())
		}
		if c.Lower() > c.Upper() {
			t.Fatalf("merge gave an empty interval [%d, %d]", c.Lower(), c.Upper())
		}
		if c.Lower() < b.Lower() || c.Upper() > b.Upper() {
			t.Fatalf("merge lost what the newer entry knew: [%d, %d] of [%d, %d]", c.Lower(), c.Upper(), b.Lower(), b.Upper())
		}
		if merge(b, b) != b || merge(c, c) != c {
			t.Fatalf("merge with itself changed an entry")
		}
		same := a.Kind() == Draft && a.Depth() == b.Depth()
		overlap := max(a.Lower(), b.Lower()) <= min(a.Upper(), b.Upper())
		if same && overlap {
			if d := merge(b, a); d.Lower() != c.Lower() || d.Upper() != c.Upper() {
				t.Fatalf("merge of overlapping bounds depends on their order")
			}
		} else if c.Lower() != b.Lower() || c.Upper() != b.Upper() {
			t.Fatalf("merge did not take the newer interval")
		}
	}
}

func TestMateScores(t *testing.T) {
	for _, score := range []int{0, 250, -250, maxEval, -maxEval, Infinity, -Infinity} {
		if got := scoreToTable(score, 40); got != score || scoreFromTable(score, 40) != score {
			t.Errorf("scoreToTable(%d, 40) = %d, want it unchanged", score, got)
		}
	}
	// A mate 3 plies below a node at ply 10 is 13 from the root, and 3 from the node.
	if got := scoreToTable(search.MateIn(13), 10); got != search.MateIn(3) {
		t.Errorf("scoreToTable(search.MateIn(13), 10) = %d, want %d", got, search.MateIn(3))
	}
	if got := scoreFromTable(search.MatedIn(3), 4); got != search.MatedIn(7) {
		t.Errorf("scoreFromTable(search.MatedIn(3), 4) = %d, want %d", got, search.MatedIn(7))
	}
	if got := scoreToTable(search.TableWinIn(13), 10); got != search.TableWinIn(3) {
		t.Errorf("scoreToTable(search.TableWinIn(13), 10) = %d, want %d", got, search.TableWinIn(3))
	}
	const mostPlies = 256 // of a line from the root, and of the mate below it
	for ply := range mostPlies {
		for below := range mostPlies {
			for _, s := range []int{search.MateIn(ply + below), search.MatedIn(ply + below), search.TableWinIn(ply + below), -search.TableWinIn(ply + below)} {
				if got := scoreFromTable(scoreToTable(s, ply), ply); got != s {
					t.Fatalf("score %d at ply %d came back as %d", s, ply, got)
				}
			}
		}
	}
}

func TestEffort(t *testing.T) {
	for _, c := range []struct {
		n    int64
		want int
	}{{-1, 0}, {0, 0}, {1, 0}, {2, 4}, {3, 6}, {4, 8}, {1000, 39}, {1 << 20, 80}, {math.MaxInt64, MaxEffort}} {
		if got := EffortOf(c.n); got != c.want {
			t.Errorf("EffortOf(%d) = %d, want %d", c.n, got, c.want)
		}
	}
	for n := int64(1); n < 1<<30; n = n*9/7 + 1 {
		e := EffortOf(n)
		if Evaluations(e) > float64(n)*(1+1e-12) || Evaluations(e+1) <= float64(n) {
			t.Errorf("EffortOf(%d) = %d, which stands for %g", n, e, Evaluations(e))
		}
	}
}
