package search

import (
	"math"
	"testing"
	"time"

	"tesla/board"
)

func TestScoreScale(t *testing.T) {
	for cp := -2500; cp <= 2500; cp += 7 {
		if got := QToCP(CPToQ(cp)); got != cp {
			t.Errorf("QToCP(CPToQ(%d)) = %d", cp, got)
		}
		logistic := 2/(1+math.Exp(-float64(cp)/350)) - 1
		if d := CPToQ(cp) - logistic; math.Abs(d) > 1e-12 {
			t.Errorf("CPToQ(%d) is %g off the logistic form", cp, d)
		}
	}
	for q, want := range map[float64]int{1: MaxCP, -1: -MaxCP, 2: MaxCP, 0: 0, math.NaN(): 0} {
		if got := QToCP(q); got != want {
			t.Errorf("QToCP(%g) = %d, want %d", q, got, want)
		}
	}
}

func TestScoreFromCP(t *testing.T) {
	for _, c := range []struct{ cp, mate int }{
		{MateScore - 1, 1}, {MateScore - 2, 1}, {MateScore - 3, 2}, {MateScore - 5, 3},
		{-MateScore + 2, -1}, {-MateScore + 4, -2}, {-MateScore, -1}, {MaxCP, 0}, {-31, 0},
	} {
		if got := ScoreFromCP(c.cp).Mate; got != c.mate {
			t.Errorf("ScoreFromCP(%d).Mate = %d, want %d", c.cp, got, c.mate)
		}
	}
}

// TestMateScores checks that a mate keeps its distance from the table to the report, and stays apart from other scores.
func TestMateScores(t *testing.T) {
	for plies := range maxMatePlies + 1 {
		mates, mated := MateIn(plies), MatedIn(plies)
		if !IsMate(mates) || !IsMate(mated) || mates != -mated {
			t.Fatalf("in %d plies: %d and %d", plies, mates, mated)
		}
		if plies > 0 && plies%2 == 1 && ScoreFromCP(mates).Value() != mates || plies%2 == 0 && plies > 0 && ScoreFromCP(mated).Value() != mated {
			t.Fatalf("in %d plies: %v and %v do not read back", plies, ScoreFromCP(mates), ScoreFromCP(mated))
		}
		if plies > 0 && (Towards(MateIn(plies-1)) != mated || Towards(MatedIn(plies-1)) != mates) {
			t.Fatalf("a ply before %d: %d and %d", plies, Towards(MateIn(plies-1)), Towards(MatedIn(plies-1)))
		}
	}
	for _, cp := range []int{0, MaxCP, -MaxCP, Proven - 1, 1 - Proven} {
		if IsMate(cp) || Towards(cp) != -cp || ScoreFromCP(cp).Mate != 0 {
			t.Errorf("%d is taken for a mate: %d, %v", cp, Towards(cp), ScoreFromCP(cp))
		}
	}
}

// TestTableScores checks that wins by tables lie between mates and all other scores, keep their distances, are reported
// below 20,000 and are never taken for mates.
func TestTableScores(t *testing.T) {
	for plies := range maxMatePlies {
		win := TableWinIn(plies)
		report := ScoreFromCP(win)
		if win <= MaxCP || win >= Proven || !IsTable(win) || !IsTable(-win) || !IsDecided(-win) || IsMate(win) || Plies(-win) != plies {
			t.Fatalf("in %d plies: %d", plies, win)
		}
		if report != (Score{CP: 20000 - plies}) || ScoreFromCP(-win) != (Score{CP: plies - 20000}) || report.Value() != win ||
			report.WDL(1) != [3]int{1000, 0, 0} || ScoreFromCP(-win).WDL(1) != [3]int{0, 0, 1000} {
			t.Fatalf("in %d plies: %+v, %+v", plies, report, ScoreFromCP(-win))
		}
		if plies > 0 && (Towards(TableWinIn(plies-1)) != -win || Towards(-TableWinIn(plies-1)) != win) {
			t.Fatalf("a ply before %d: %d", plies, Towards(TableWinIn(plies-1)))
		}
	}
	for _, cp := range []int{0, MaxCP, MateScore - 1, Proven} {
		if IsTable(cp) || IsTable(-cp) || IsDecided(cp) != (cp >= Proven) || ScoreFromCP(cp).IsTable() {
			t.Errorf("%d is taken for a win by tables", cp)
		}
	}
}

func TestLate(t *testing.T) {
	l := Limits{HasClock: true, Time: [2]time.Duration{time.Second, time.Second}, MoveTime: 100 * time.Millisecond}
	l.Late(60*time.Millisecond, time.Millisecond)
	if l.Time[0] != 940*time.Millisecond || l.MoveTime != 40*time.Millisecond || l.Time[1] != time.Second {
		t.Errorf("%+v", l)
	}
	if l.Late(time.Minute, 5*time.Millisecond); l.Time[0] != time.Millisecond || l.MoveTime != 5*time.Millisecond {
		t.Errorf("%+v", l)
	}
}

func TestWDL(t *testing.T) {
	for _, c := range [][3]float64{{0.3333, 0.3334, 0.3333}, {0.9995, 0, 0.0005}, {0, 0, 0}, {math.NaN(), 0, 0},
		{1, 1, 1}, {0.5, 0, 0.5}, {-1, 2, 0}} {
		got := WDL(c[0], c[1], c[2])
		if got[0]+got[1]+got[2] != 1000 || min(got[0], got[1], got[2]) < 0 {
			t.Errorf("WDL(%v) = %v", c, got)
		}
	}
}

// TestClockNeverRunsOut plays whole games that use every hard budget whole, and pay a true overhead on top.
func TestClockNeverRunsOut(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		time, inc time.Duration
		moves     int // to each control; 0: none
		overhead  time.Duration
	}{
		{2 * time.Second, 20 * ms, 0, 2 * ms}, {time.Second, 0, 0, ms}, {time.Second, 10 * ms, 0, 2 * ms},
		{10 * time.Second, 100 * ms, 0, 9 * ms}, {time.Minute, 0, 40, 9 * ms}, {5 * time.Second, 0, 1, 9 * ms},
		{100 * ms, 20 * ms, 0, 5 * ms}, {2 * time.Hour, 30 * time.Second, 40, 10 * ms},
	} {
		for _, hard := range []bool{false, true} {
			left := c.time
			for move := 1; move <= 150; move++ {
				l := Limits{Time: [2]time.Duration{left, left}, Inc: [2]time.Duration{c.inc, c.inc}, HasClock: true,
					MoveOverhead: 10 * ms}
				if c.moves > 0 {
					l.MovesToGo = c.moves - (move-1)%c.moves
				}
				b := l.Budget(&board.Position{Fullmove: uint16(move)})
				if b.Soft <= 0 || b.Hard < b.Soft {
					t.Fatalf("%v+%v move %d: %+v", c.time, c.inc, move, b)
				}
				used := b.Soft
				if hard {
					used = b.Hard
				}
				left -= used + c.overhead
				if left <= 0 && (c.inc > 0 || c.moves > 0 || move < 100) {
					t.Fatalf("%v+%v/%d: time lost at move %d (hard %v)", c.time, c.inc, c.moves, move, hard)
				}
				left += c.inc
				if c.moves > 0 && move%c.moves == 0 {
					left += c.time
				}
			}
		}
	}
}

func TestBudgetKinds(t *testing.T) {
	pos := &board.Position{Fullmove: 1}
	for name, c := range map[string]struct {
		lim  Limits
		want Budget
	}{
		"infinite":                {Limits{Infinite: true, MoveTime: time.Second}, Budget{}},
		"nodes":                   {Limits{Nodes: 5}, Budget{}},
		"nothing":                 {Limits{}, Budget{}},
		"movetime":                {Limits{MoveTime: 100 * time.Millisecond, MoveOverhead: 10 * time.Millisecond}, Budget{90 * time.Millisecond, 90 * time.Millisecond}},
		"tiny movetime":           {Limits{MoveTime: 1, MoveOverhead: 10 * time.Millisecond}, Budget{minThink, minThink}},
		"only the opponent":       {Limits{Time: [2]time.Duration{0, time.Minute}}, Budget{DefaultThink, DefaultThink}},
		"opponent and nodes":      {Limits{Time: [2]time.Duration{0, time.Minute}, Nodes: 5}, Budget{}},
		"no time left":            {Limits{HasClock: true}, Budget{minThink, minThink}},
		"clock below zero":        {Limits{HasClock: true, Time: [2]time.Duration{-time.Second, 0}, MoveOverhead: 10 * time.Millisecond}, Budget{minThink, minThink}},
		"movetime within a clock": {Limits{HasClock: true, Time: [2]time.Duration{time.Hour, 0}, MoveTime: time.Second}, Budget{time.Second, time.Second}},
	} {
		if got := c.lim.Budget(pos); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestShown checks what of a score is stretched.
func TestShown(t *testing.T) {
	for _, c := range []struct {
		score, want int
		stretch     float64
	}{
		{100, 100, 0}, {100, 113, 1.125}, {-100, -113, 1.125}, {0, 0, 1.5}, {9000, MaxCP, 1.25}, {-9000, -MaxCP, 1.25},
		{MateIn(5), MateIn(5), 1.25}, {MatedIn(4), MatedIn(4), 1.25}, {TableWinIn(7), TableWinIn(7), 1.25}, {-TableWinIn(7), -TableWinIn(7), 1.25},
	} {
		in := Info{Score: ScoreFromCP(c.score), Sure: Sureness{Stretch: c.stretch}}
		if got := in.Shown(); got != ScoreFromCP(c.want) || in.Score != ScoreFromCP(c.score) {
			t.Errorf("%d stretched by %v: %+v, want %+v", c.score, c.stretch, got, ScoreFromCP(c.want))
		}
	}
}
