package alphabeta

import (
	"testing"

	"tesla/board"
)

// A history moves towards the sign of its bonus and stays within its bounds.
func TestLearn(t *testing.T) {
	for _, plus := range []int{1, bonusMost, butterflyMax} {
		h := int16(0)
		for range 2000 {
			before := h
			if learn(&h, plus, butterflyMax); h < before || h > butterflyMax {
				t.Fatalf("%d after %d by a bonus of %d", h, before, plus)
			}
		}
		high := h
		for range 5000 {
			before := h
			if learn(&h, -plus, butterflyMax); h > before || h < -butterflyMax {
				t.Fatalf("%d after %d by a bonus of %d", h, before, -plus)
			}
		}
		if high <= 0 || h >= 0 {
			t.Errorf("bonus %d: ends at %d and %d", plus, high, h)
		}
	}
	near, far := int16(butterflyMax-100), int16(0)
	learn(&near, 1000, butterflyMax)
	learn(&far, 1000, butterflyMax)
	if near-(butterflyMax-100) >= far {
		t.Errorf("a history near its end moves by %d, one far from it by %d", near-(butterflyMax-100), far)
	}
}

func TestBonus(t *testing.T) {
	for depth, want := range map[int]int{1: -55, 2: 263, 4: 971, 7: bonusMost, 60: bonusMost} {
		if got := bonus(depth); got != want {
			t.Errorf("depth %d: %d, want %d", depth, got, want)
		}
	}
}

// A cut rewards its move and punishes the moves before it. A capture that cuts says nothing against quiet moves.
func TestReward(t *testing.T) {
	const fen = "4k3/8/8/3p1p2/4P3/8/8/R3K2R w KQ - 0 1"
	for name, c := range map[string]struct {
		cut                string
		quiet, takes       int // signs of the histories of the losers a1a2 and e4f5
		cutQuiet, cutTakes bool
	}{
		"quiet move": {"a1a3", -1, -1, true, false},
		"capture":    {"e4d5", 0, -1, false, true},
	} {
		th := threadAt(t, Mode{}, fen)
		p := &th.pos[0]
		cut, quiet, takes := moveOf(t, p, c.cut), moveOf(t, p, "a1a2"), moveOf(t, p, "e4f5")
		n := node{depth: 5, tried: 3}
		n.losers[0], n.losers[1], n.losers[2] = quiet, takes, moveOf(t, p, "h1h2") // the third is the cut's place
		th.reward(&n, cut)
		of := func(m board.Move) int { return int(th.history.butterfly[0][m&4095]) }
		if sign(of(quiet)) != c.quiet || sign(int(*th.captureOf(takes))) != c.takes {
			t.Errorf("%s: losers have %d and %d", name, of(quiet), *th.captureOf(takes))
		}
		if (of(cut) > 0) != c.cutQuiet || (*th.captureOf(cut) > 0) != c.cutTakes {
			t.Errorf("%s: the cut has %d and %d", name, of(cut), *th.captureOf(cut))
		}
		if of(moveOf(t, p, "h1h2")) != 0 {
			t.Errorf("%s: a move that was not tried is punished", name)
		}
		if (th.frames[0].killers[0] == cut) != c.cutQuiet {
			t.Errorf("%s: killers %v", name, th.frames[0].killers)
		}
	}
}

func sign(v int) int { return min(1, max(-1, v)) }

// The last two quiet moves that cut are killers, each once.
func TestKillers(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	p := &th.pos[0]
	a, b, c := moveOf(t, p, "a2a3"), moveOf(t, p, "h2h3"), moveOf(t, p, "b2b3")
	for _, m := range []board.Move{a, b, b, c} {
		th.reward(&node{depth: 3, tried: 1}, m)
	}
	if got, want := th.frames[0].killers, [2]board.Move{c, b}; got != want {
		t.Errorf("killers %v, want %v", got, want)
	}
}

// Histories by squares and by the moves before add up.
func TestQuietHistory(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	first := moveOf(t, &th.pos[0], "a2a3")
	th.push(0, first)
	p := &th.pos[1]
	m := moveOf(t, p, "h7h6")
	th.learnQuiet(p, 1, m, 1000)
	order := func() int32 {
		h := th.quietHistory(p, 1)
		return h.of(m)
	}
	both := order()
	squares := &th.history.butterfly[side(p)][m&4095]
	*squares = 0
	if continuation := order(); continuation != 2000 || both != 4000 { // both count twice in the order of moves
		t.Errorf("both %d, continuation %d", both, continuation)
	}
	th.setMove(0, moveOf(t, &th.pos[0], "h2h3"))
	if got := order(); got != 0 {
		t.Errorf("after another move the continuation history is %d", got)
	}
	th.setMove(0, board.NullMove)
	if got := order(); got != 0 {
		t.Errorf("after a null move the continuation history is %d", got)
	}
}

// A quiet move's history rises where the static value is better for its side than the one before, and falls where it is
// worse. Captures and null moves learn nothing.
func TestLearnStatic(t *testing.T) {
	for name, c := range map[string]struct {
		move          string
		before, after int
		want          int
	}{
		"better":      {"a2a3", 10, -30, 1},
		"worse":       {"a2a3", 10, 30, -1},
		"after check": {"a2a3", infinite, 30, 0},
		"a null move": {"", 10, -30, 0},
	} {
		th := threadAt(t, Mode{}, middleGame)
		m := board.NullMove
		if c.move != "" {
			m = moveOf(t, &th.pos[0], c.move)
		}
		th.push(0, m)
		th.frames[0].static, th.frames[1].static = c.before, c.after
		th.learnStatic(1)
		if got := th.history.butterfly[side(&th.pos[0])][m&4095]; sign(int(got)) != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// A move of the table that cuts is rewarded, one that fails low is punished, and a first move that it refutes is, too.
func TestLearnTable(t *testing.T) {
	for value, want := range map[int]int{50: 1, -50: -1} {
		th := threadAt(t, Mode{}, middleGame)
		first := moveOf(t, &th.pos[0], "a2a3")
		th.push(0, first)
		m := moveOf(t, &th.pos[1], "h7h6")
		th.learnTable(&node{ply: 1, depth: 5, beta: 10}, m, value)
		if got := th.history.butterfly[side(&th.pos[1])][m&4095]; sign(int(got)) != want {
			t.Errorf("value %d: %d", value, got)
		}
		if got := th.continuedHistory(0, first); got != 0 {
			t.Errorf("value %d: a first move without a move before it has %d", value, got)
		}
		th.learnTable(&node{ply: 1, depth: 5, beta: 10}, moveOf(t, &th.pos[0], "a2a3"), value) // not legal here: nothing
	}
}

// Corrections move the static value towards what search found, by at most half of four entries' bound, and only where
// the structure is the same.
func TestCorrection(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	plain := th.static(0)
	th.correct(0, 4, 100)
	once := th.static(0) - plain
	if once <= 0 || once > 100 {
		t.Errorf("one search that found 100 more corrects by %d", once)
	}
	th.Forget()
	th.correct(0, 12, 100)
	if deep := th.static(0) - plain; deep <= once {
		t.Errorf("a deep search corrects by %d, a shallow one by %d", deep, once)
	}
	for range 1000 {
		th.correct(0, 20, 5000)
	}
	if most := th.static(0) - plain; most > 4*correctionMax/32 || most < 4*correctionMax/32*9/10 {
		t.Errorf("corrected by %d, want at most %d and nearly that", most, 4*correctionMax/32)
	}
	for range 2000 {
		th.correct(0, 20, -5000)
	}
	if least := th.static(0) - plain; least >= 0 || least < -4*correctionMax/32 {
		t.Errorf("corrected by %d", least)
	}
	if th.mode.Verify = true; th.static(0) != plain {
		t.Error("corrects in an exact search")
	}
	th.mode.Verify = false
	th.push(0, moveOf(t, &th.pos[0], "c4d5"))
	if th.correction(1) != 0 {
		t.Errorf("another structure, seen from the other side, is corrected by %d", th.correction(1))
	}
}

func TestMoveBefore(t *testing.T) {
	th := threadAt(t, Mode{}, middleGame)
	first := moveOf(t, &th.pos[0], "a2a3")
	th.push(0, first)
	th.push(1, board.NullMove)
	for _, c := range []struct {
		ply, back int
		want      board.Move
	}{{0, 1, board.NullMove}, {1, 1, first}, {1, 2, board.NullMove}, {2, 1, board.NullMove}, {2, 2, first}} {
		if got := th.moveBefore(c.ply, c.back); got != c.want {
			t.Errorf("%d before ply %d: %v, want %v", c.back, c.ply, got, c.want)
		}
	}
	th.Forget()
	if *th.history != (history{}) {
		t.Error("Forget leaves histories")
	}
}
