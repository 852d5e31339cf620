package alphabeta

import (
	"testing"

	"tesla/board"
	"tesla/search"
	"tesla/tt128"
)

// quiesceAt is the quiescence value of a position with an open window.
func quiesceAt(t *testing.T, fen string) (*Thread, int) {
	t.Helper()
	th := threadAt(t, Mode{}, fen)
	return th, th.quiesce(0, 0, -infinite, infinite)
}

// The side to move may stand pat: outside check the value is no less than the static one, and the table stores it.
func TestQuiescenceStandsPat(t *testing.T) {
	th := exactThread(t, middleGame)
	th.mode = Mode{}
	for _, p := range randomPositions(t, 60, 9) {
		th.begin(&p, nil)
		th.table.Clear()
		if p.InCheck() || p.InsufficientMaterial() {
			continue
		}
		stand := th.static(0)
		v := th.quiesce(0, 0, -infinite, infinite)
		if v < stand {
			t.Errorf("%s: %d, static value %d", p.FEN(false), v, stand)
		}
		if e, ok := th.table.Probe(p.Key, 0); !ok || e.Lower() != v || e.Upper() != v || e.Draft() != 0 {
			t.Errorf("%s: the table has [%d, %d], want %d", p.FEN(false), e.Lower(), e.Upper(), v)
		}
		nodes := th.nodes
		th.table.Clear()
		if v := th.quiesce(0, 0, -infinite, stand); v != stand || th.nodes != nodes {
			t.Errorf("%s: a static value of beta is searched: %d after %d nodes", p.FEN(false), v, th.nodes-nodes)
		}
	}
}

// Captures that win are played and captures that lose are not; a promotion counts as a capture.
func TestQuiescenceCaptures(t *testing.T) {
	for name, c := range map[string]struct {
		fen   string
		move  string // the first move of the line; empty: none
		least int    // gain over the static value
	}{
		"hanging queen":       {"4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100},
		"defended pawn":       {"4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1", "", 0},
		"promotion":           {"1q5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", 100},
		"quiet position":      {positions[0], "", 0},
		"capture to win back": {"4k3/8/8/3r4/4P3/8/8/3RK3 w - - 0 1", "e4d5", 100},
	} {
		th, v := quiesceAt(t, c.fen)
		first := ""
		if f := &th.frames[0]; f.length > 0 {
			first = th.pos[0].UCI(f.pv[0], false)
		}
		if c.move == "e4d5" && first == "d1d5" { // the rook may take as well
			first = c.move
		}
		if stand := th.static(0); first != c.move || v < stand+c.least {
			t.Errorf("%s: %q, value %d, static %d", name, first, v, stand)
		}
	}
}

// In check the side to move has to move; it may be mated. Mates count from the root.
func TestQuiescenceEvades(t *testing.T) {
	if _, v := quiesceAt(t, "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"); v != search.MatedIn(0) {
		t.Errorf("mated: %d", v)
	}
	th := threadAt(t, Mode{}, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
	th.push(0, moveOf(t, &th.pos[0], "a1a8"))
	if v := th.quiesce(1, 0, -infinite, infinite); v != search.MatedIn(1) {
		t.Errorf("mated a ply from the root: %d", v)
	}
	// The only evasion is quiet: the king leaves the first rank's corner.
	if th, v := quiesceAt(t, "7k/8/8/8/8/8/8/r6K w - - 0 1"); search.IsMate(v) || th.frames[0].length == 0 {
		t.Errorf("an evasion: %d, %d moves", v, th.frames[0].length)
	}
	// Below evasionPlies a check is not noticed: standing pat is allowed.
	th = threadAt(t, Mode{}, "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
	if v := th.quiesce(0, evasionPlies, -infinite, infinite); search.IsMate(v) {
		t.Errorf("a check is noticed at ply %d", evasionPlies)
	}
}

// The first ply of a quiescence search tries quiet moves that give check, and no later one does.
func TestQuiescenceChecks(t *testing.T) {
	const mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
	if _, v := quiesceAt(t, mate); v != search.MateIn(1) {
		t.Errorf("a mate by a quiet check: %d", v)
	}
	if v := threadAt(t, Mode{}, mate).quiesce(0, 1, -infinite, infinite); search.IsMate(v) {
		t.Errorf("a quiet check at the second ply: %d", v)
	}
}

// Behind the first two moves only forcing ones are tried: a third capture is not, unless it takes what has just moved.
func TestQuiescenceForcing(t *testing.T) {
	th := threadAt(t, Mode{}, "4k3/8/8/2p1p1p1/8/3N3B/8/4K3 b - - 0 1")
	th.push(0, moveOf(t, &th.pos[0], "g5g4"))
	for move, want := range map[string]bool{"d3e5": false, "d3c5": false, "h3g4": true} {
		if got := th.forcing(1, moveOf(t, &th.pos[1], move)); got != want {
			t.Errorf("%s: %v, want %v", move, got, want)
		}
	}
}

// What ends a quiescence search before any move.
func TestQuiescenceEnds(t *testing.T) {
	if _, v := quiesceAt(t, "4k3/8/8/8/8/8/8/4KB2 w - - 0 1"); v != 0 {
		t.Errorf("a bishop alone: %d", v)
	}
	hanging := "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"
	th := threadAt(t, Mode{}, hanging)
	if v := th.quiesce(0, quietPlies, -infinite, infinite); v != th.static(0) || th.nodes != 0 {
		t.Errorf("at the last ply: %d after %d nodes", v, th.nodes)
	}
	th = exactThread(t, hanging)
	if v := th.quiesce(0, 0, -infinite, infinite); v != th.stack.Value(&th.pos[0]) || th.nodes != 0 {
		t.Errorf("in Verify mode: %d after %d nodes", v, th.nodes)
	}
	th = threadAt(t, Mode{}, hanging)
	th.table.Store(th.pos[0].Key, 0, tt128.NewDraft(777, tt128.Infinity, 0, board.NullMove, false))
	if v := th.quiesce(0, 0, 700, 701); v != 777 || th.nodes != 0 {
		t.Errorf("the table's bound: %d after %d nodes", v, th.nodes)
	}
	th = threadAt(t, Mode{}, hanging)
	th.table.Store(th.pos[0].Key, 0, tt128.NewDraft(-50, -50, 0, board.NullMove, false))
	if th.quiesce(0, 0, -infinite, infinite); th.nodes == 0 {
		t.Error("the table cuts where the window is open")
	}
	th = threadAt(t, Mode{}, hanging)
	if th.stop, th.stopped = nil, true; th.quiesce(0, 0, -infinite, infinite) != 0 || th.nodes != 0 {
		t.Error("a stopped search goes on")
	}
}

// A capture that cannot reach alpha is left out, and the value says how near it could have come.
func TestDeltaPruning(t *testing.T) {
	th := threadAt(t, Mode{}, "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
	stand, m := th.static(0), moveOf(t, &th.pos[0], "e4d5")
	most := stand + th.pos[0].Gain(m) + deltaMargin
	if v := th.quiesce(0, 0, most, most+1); v != most || th.nodes != 0 {
		t.Errorf("%d after %d nodes, want %d", v, th.nodes, most)
	}
	th.table.Clear()
	if th.quiesce(0, 0, most-1, most); th.nodes == 0 {
		t.Error("a capture that may reach beta is left out")
	}
}

// better takes the table's bound that contradicts the static value, but no mate and no estimate.
func TestBetter(t *testing.T) {
	th := exactThread(t, middleGame)
	const static = 50
	for name, c := range map[string]struct {
		entry tt128.Entry
		want  int
	}{
		"lower bound above":  {tt128.NewDraft(80, tt128.Infinity, 3, 0, false), 80},
		"lower bound below":  {tt128.NewDraft(20, tt128.Infinity, 3, 0, false), static},
		"upper bound below":  {tt128.NewDraft(-tt128.Infinity, 10, 3, 0, false), 10},
		"upper bound above":  {tt128.NewDraft(-tt128.Infinity, 90, 3, 0, false), static},
		"exact":              {tt128.NewDraft(-7, -7, 3, 0, false), -7},
		"mate":               {tt128.NewDraft(search.MateIn(3), tt128.Infinity, 3, 0, false), static},
		"mated":              {tt128.NewDraft(-tt128.Infinity, search.MatedIn(3), 3, 0, false), static},
		"estimate":           {tt128.NewEstimate(300, 10, 40, 0, false), static},
		"no entry, no bound": {tt128.NewDraft(-tt128.Infinity, tt128.Infinity, 0, 0, false), static},
	} {
		if got := th.better(c.entry, static); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
