package alphabeta

import (
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tt128"
)

func TestFarAbove(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	for name, c := range map[string]struct {
		depth       int
		improving   bool
		value, beta int
		want        bool
	}{
		"just far enough":           {depth: 3, value: 3 * reverseMargin, want: true},
		"a centipawn short":         {depth: 3, value: 3*reverseMargin - 1},
		"improving needs less":      {depth: 3, improving: true, value: 2 * reverseMargin, want: true},
		"too deep":                  {depth: reverseDepth + 1, value: 5000},
		"value of a mate":           {depth: 1, value: search.MateIn(5), beta: 100},
		"beta of being mated":       {depth: 1, value: 0, beta: search.MatedIn(4)},
		"deepest depth that may do": {depth: reverseDepth, value: reverseDepth * reverseMargin, want: true},
	} {
		n := node{depth: c.depth, improving: c.improving, beta: c.beta}
		if got := th.farAbove(&n, c.value); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestMobile(t *testing.T) {
	for fen, want := range map[string]bool{
		"4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1":          false,
		"4k3/8/8/8/8/8/PPP5/N3K3 w - - 0 1":         false,
		"4k3/8/8/8/8/8/PPP5/NB2K3 w - - 0 1":        true,
		"4k3/8/8/8/8/8/PPP5/R3K3 w - - 0 1":         true,
		"4k3/8/8/8/8/8/PPP5/Q3K3 w - - 0 1":         true,
		"q3k3/8/8/8/8/8/PPP5/4K3 w - - 0 1":         false, // the queen is the opponent's
		"r3k3/ppp5/8/8/8/8/8/4K3 b - - 0 1":         true,
		"4k3/ppp5/8/8/8/8/8/Q3K3 b - - 0 1":         false,
		"rnbqkbnr/pppppppp/8/8/8/8/8/4K3 w - - 0 1": false,
	} {
		p := boardtest.Position(t, fen)
		if got := mobile(&p); got != want {
			t.Errorf("%s: mobile %t", fen, got)
		}
	}
}

// A side that is a queen up may pass and still be above beta; without a condition of the null move it is not tried.
func TestNullMove(t *testing.T) {
	const ahead, zugzwang = "4k3/pppp4/8/8/8/8/PPPP4/Q3K3 w - - 0 1", "4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1"
	const beta, value = 100, 600
	for name, c := range map[string]struct {
		fen    string
		change func(*Thread, *node, *int)
		want   bool
	}{
		"ahead":               {ahead, func(*Thread, *node, *int) {}, true},
		"verified":            {ahead, func(_ *Thread, n *node, _ *int) { n.depth = verificationDepth }, true},
		"too shallow":         {ahead, func(_ *Thread, n *node, _ *int) { n.depth = nullDepth - 1 }, false},
		"value below beta":    {ahead, func(_ *Thread, _ *node, v *int) { *v = beta - 1 }, false},
		"static value":        {ahead, func(t *Thread, n *node, _ *int) { t.frames[0].static = beta + nullAbove - nullAbovePly*n.depth - 1 }, false},
		"being mated":         {ahead, func(_ *Thread, n *node, _ *int) { n.beta = search.MatedIn(10) }, false},
		"verification runs":   {ahead, func(t *Thread, _ *node, _ *int) { t.nullFrom = 1 }, false},
		"pawns only":          {zugzwang, func(*Thread, *node, *int) {}, false},
		"beta too high to be": {ahead, func(_ *Thread, n *node, v *int) { n.beta, *v = 4000, 4000 }, false},
	} {
		th := threadAt(t, Mode{}, c.fen)
		th.frames[0].static = value
		n, v := node{depth: 5, alpha: beta - 1, beta: beta}, value
		c.change(th, &n, &v)
		if n.beta == 4000 {
			th.frames[0].static = 4000
		}
		before := th.nullFrom
		got, ok := th.nullMove(&n, v)
		if ok != c.want || ok && (got < n.beta || search.IsMate(got)) || th.nullFrom != before {
			t.Errorf("%s: %d, %t; nullFrom %d", name, got, ok, th.nullFrom)
		}
	}
	// No two null moves follow each other.
	th := threadAt(t, Mode{}, ahead)
	th.push(0, board.NullMove)
	th.push(1, moveOf(t, &th.pos[1], "d7d6"))
	th.frames[2].static = value
	if _, ok := th.nullMove(&node{ply: 2, depth: 5, beta: beta}, value); !ok {
		t.Error("no null move after the opponent's move")
	}
	th.frames[1].move = board.NullMove
	if _, ok := th.nullMove(&node{ply: 2, depth: 5, beta: beta}, value); ok {
		t.Error("a null move after a null move")
	}
}

// What is pruned, and what keeps a move from being pruned.
func TestPrunes(t *testing.T) {
	// The queen takes a defended pawn, and loses 800; a rook moves to a square where a pawn takes it, and loses 500.
	const fen = "4k3/8/2p5/3p4/8/8/3Q4/R3K3 w - - 0 1"
	const hopeless = 3000 // alpha far above the static value
	losing, sound := "d2d5", "a1a2"
	type change func(*Thread, *node)
	for name, c := range map[string]struct {
		move   string
		score  int32
		mode   Mode
		change change
		want   bool
	}{
		"losing capture":          {losing, -1, Mode{}, nil, true},
		"too deep for SEE":        {losing, -1, Mode{}, func(_ *Thread, n *node) { n.depth = 9 }, false},
		"plain":                   {losing, -1, Mode{Plain: true}, nil, false},
		"capture of a good class": {losing, 1, Mode{}, nil, false},
		"at the root":             {losing, -1, Mode{}, func(_ *Thread, n *node) { n.ply = 0 }, false},
		"while being mated":       {losing, -1, Mode{}, func(_ *Thread, n *node) { n.best = search.MatedIn(3) }, false},

		"hopeless quiet move":   {sound, 0, Mode{}, func(_ *Thread, n *node) { n.alpha = hopeless }, true},
		"plain: hopeless":       {sound, 0, Mode{Plain: true}, func(_ *Thread, n *node) { n.alpha = hopeless }, false},
		"not hopeless":          {sound, 0, Mode{}, nil, false},
		"killer":                {sound, killerOrder, Mode{}, func(_ *Thread, n *node) { n.alpha = hopeless }, true},
		"gives check":           {"a1a8", 0, Mode{}, func(_ *Thread, n *node) { n.alpha = hopeless }, false},
		"too deep for futility": {sound, 0, Mode{}, func(_ *Thread, n *node) { n.alpha, n.depth = hopeless, futilityDepth+3 }, false},
		"evasion":               {sound, 0, Mode{}, func(_ *Thread, n *node) { n.alpha, n.inCheck = hopeless, true }, false},

		"late move":             {sound, 0, Mode{}, func(_ *Thread, n *node) { n.tried = lateMoves(1, false) }, true},
		"improving allows more": {sound, 0, Mode{}, func(_ *Thread, n *node) { n.tried, n.improving = lateMoves(1, false), true }, false},
		"late at a great depth": {sound, 0, Mode{}, func(_ *Thread, n *node) { n.tried, n.depth = 200, lateDepth+1 }, false},

		"quiet move to a defended square": {"d2f4", 0, Mode{}, func(th *Thread, n *node) {
			th.pos[n.ply] = boardtest.Position(t, "4k3/8/8/4p3/8/8/3Q4/R3K3 w - - 0 1")
		}, true},
		"quiet move that loses nothing": {sound, 0, Mode{}, nil, false},
	} {
		th := threadAt(t, c.mode, fen)
		th.pos[1] = th.pos[0]
		n := node{ply: 1, depth: 1, tried: 1, best: 0, alpha: 0, beta: 1}
		if c.change != nil {
			c.change(th, &n)
		}
		p := &th.pos[n.ply]
		th.frames[n.ply].static = 100
		k := th.pick(p, n.ply, board.NullMove)
		k.generate()
		if got := th.prunes(&n, &k, moveOf(t, p, c.move), c.score); got != c.want {
			t.Errorf("%s: pruned %t", name, got)
		}
		if len(k.moves) < len(p.LegalMoves(nil)) != (name == "late move") {
			t.Errorf("%s: %d moves are left", name, len(k.moves))
		}
	}
}

// Each circumstance changes the reduction by a ply in its direction.
func TestLateReduction(t *testing.T) {
	const fen = "4k3/8/2p5/3p4/8/8/3Q4/R3K3 w - - 0 1"
	base := node{depth: 12, tried: 20, improving: true}
	plain := reduction(12, 21)
	for name, c := range map[string]struct {
		move   string
		score  int32
		change func(*Thread, *node)
		want   int
	}{
		"plain":          {"a1a2", 0, nil, plain},
		"cut node":       {"a1a2", 0, func(_ *Thread, n *node) { n.cut = true }, plain + 1},
		"on a PV":        {"a1a2", 0, func(_ *Thread, n *node) { n.onPV = true }, plain - 1},
		"not improving":  {"a1a2", 0, func(_ *Thread, n *node) { n.improving = false }, plain + 1},
		"gives check":    {"a1a8", 0, nil, plain - 1},
		"killer":         {"a1a2", killerOrder, nil, plain - 1},
		"good history":   {"a1a2", (reductionMiddle + reductionHistory + 1) / 2, nil, plain - 1},
		"bad history":    {"a1a2", -(2*reductionHistory - reductionMiddle + 1) / 2, nil, plain + 2},
		"losing capture": {"d2d5", badOrder, nil, plain},
		"good capture":   {"d2d5", captureOrder, nil, 0},
		"first moves":    {"a1a2", 0, func(_ *Thread, n *node) { n.tried = reductionMoves - 1 }, 0},
		"shallow":        {"a1a2", 0, func(_ *Thread, n *node) { n.depth = reductionDepth - 1 }, 0},
		"plain mode":     {"a1a2", 0, func(th *Thread, _ *node) { th.mode.Plain = true }, 0},
		"to depth 1":     {"a1a2", -4 * butterflyMax, func(_ *Thread, n *node) { n.depth = 3 }, 1},
		"never extended": {"a1a2", 4 * butterflyMax, func(_ *Thread, n *node) { n.depth = 3 }, 0},
	} {
		th := threadAt(t, Mode{}, fen)
		n := base
		if c.change != nil {
			c.change(th, &n)
		}
		m := moveOf(t, &th.pos[0], c.move)
		if c.score < killerOrder && c.score > badOrder { // a history, by the squares, which counts twice
			th.history.butterfly[side(&th.pos[0])][m&4095] = int16(c.score)
		}
		th.push(0, m)
		if got := th.lateReduction(&n, m, c.score, n.depth-1); got != c.want {
			t.Errorf("%s: %d plies, want %d", name, got, c.want)
		}
	}
}

func TestReductionTables(t *testing.T) {
	for d := 1; d < 70; d++ {
		for m := 1; m < 70; m++ {
			if r := reduction(d, m); r < reduction(d-1, m) && d > 1 || r < reduction(d, m-1) && m > 1 || r < 0 || r >= 64 {
				t.Fatalf("depth %d, move %d: %d", d, m, r)
			}
		}
	}
	for d := 1; d < lateDepth; d++ {
		if lateMoves(d, true) <= lateMoves(d, false) || lateMoves(d+1, false) <= lateMoves(d, false) {
			t.Errorf("depth %d: %d moves, %d where improving", d, lateMoves(d, false), lateMoves(d, true))
		}
	}
}

// The only move that does not lose a queen is singular; among moves that all win the table's is not, and the node is
// cut.
func TestSingular(t *testing.T) {
	const depth = 8
	recapture, winning := "3q2k1/5ppp/8/8/8/8/5PPP/3Q2K1 w - - 0 1", "6k1/5pp1/7p/8/8/8/R4PPP/6K1 w - - 0 1"
	at := func(fen, text string, value int, n node) (*Thread, int, int, bool) {
		th := threadAt(t, Mode{}, fen)
		th.rootDepth = 20
		n.depth, n.entry = depth, tt128.NewDraft(value, tt128.Infinity, depth-1, 0, false)
		th.frames[0].killers[0] = 77
		ext, v, ok := th.singular(&n, moveOf(t, &th.pos[0], text))
		if th.frames[0].excluded != board.NullMove || th.frames[0].killers[0] != 77 {
			t.Errorf("%s: left behind: excluded %v, killers %v", fen, th.frames[0].excluded, th.frames[0].killers)
		}
		return th, ext, v, ok
	}
	if _, ext, _, ok := at(recapture, "d1d8", 900, node{alpha: 0, beta: 1}); !ok || ext != 2 {
		t.Errorf("the only good move: %d plies, %t", ext, ok)
	}
	if _, ext, _, ok := at(recapture, "d1d8", 900, node{alpha: -500, beta: 500, pv: true}); !ok || ext != 1 {
		t.Errorf("the same on the PV: %d plies, %t", ext, ok)
	}
	if _, _, v, ok := at(winning, "a2a7", 300, node{alpha: 99, beta: 100}); ok || v < 100 {
		t.Errorf("one of many: value %d, extension %t", v, ok)
	}
	if th, ext, _, ok := at(recapture, "d1d8", search.MateIn(5), node{alpha: 0, beta: 1}); !ok || ext != 0 || th.nodes != 0 {
		t.Errorf("a mate is searched: %d plies, %d nodes", ext, th.nodes)
	}
	th := threadAt(t, Mode{}, recapture)
	for name, n := range map[string]node{
		"shallow":    {depth: singularDepth - 1, entry: tt128.NewDraft(900, tt128.Infinity, singularDepth, 0, false)},
		"old entry":  {depth: depth, entry: tt128.NewDraft(900, tt128.Infinity, depth-singularDraft-1, 0, false)},
		"upper only": {depth: depth, entry: tt128.NewDraft(-tt128.Infinity, 900, depth, 0, false)},
		"estimate":   {depth: depth, entry: tt128.NewEstimate(900, 10, 50, 0, false)},
	} {
		if ext, _, ok := th.singular(&n, moveOf(t, &th.pos[0], "d1d8")); ext != 0 || !ok || th.nodes != 0 {
			t.Errorf("%s: %d plies, %d nodes", name, ext, th.nodes)
		}
	}
}
