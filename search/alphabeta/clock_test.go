package alphabeta

import (
	"context"
	"math"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/internal/slow"
	"tesla/search"
)

// The factor falls with the effort of the best move and with its stability, and rises while its score falls.
func TestPace(t *testing.T) {
	const a, b = board.Move(1), board.Move(2)
	th := exactThread(t, middleGame)
	th.nodes = 1000
	factor := func(p *pace, m board.Move, score int, effort int64) float64 {
		th.effort[m] = effort
		return p.factor(&Line{Score: score, PV: []board.Move{m}}, th)
	}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %.4f, want %.4f", name, got, want)
		}
	}
	var p pace
	near("first depth", factor(&p, a, 20, 0), effortBase*stableBase)
	near("stable for a depth", factor(&p, a, 20, 0), effortBase*(stableBase-stableSlope))
	near("all the effort", factor(&p, a, 20, 1000), (effortBase-effortSlope)*(stableBase-2*stableSlope))
	for range 10 {
		factor(&p, a, 20, 1000)
	}
	near("stable for long", factor(&p, a, 20, 0), effortBase*(stableBase-stableMost*stableSlope))
	near("another best move", factor(&p, b, 20, 0), effortBase*stableBase)
	near("falls by 10", factor(&p, b, 10, 0), effortBase*(stableBase-stableSlope)*(1+10*fallSlope))
	near("falls far", factor(&p, b, -900, 0), effortBase*(stableBase-2*stableSlope)*(1+fallMost*fallSlope))
	near("rises far", factor(&p, b, 5000, 0), effortBase*(stableBase-3*stableSlope)*(1-fallMost*fallSlope))
	near("no line", p.factor(&Line{}, th), 1)
}

func TestExpired(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		budget search.Budget
		counts bool
		at     time.Duration
		want   bool
	}{
		"before the hard end": {search.Budget{Soft: 4 * s, Hard: 5 * s}, true, 5*s - 1, false},
		"at the hard end":     {search.Budget{Soft: 4 * s, Hard: 5 * s}, true, 5 * s, true},
		"thrice the soft end": {search.Budget{Soft: s, Hard: 9 * s}, true, overrun * s, true},
		"before that":         {search.Budget{Soft: s, Hard: 9 * s}, true, overrun*s - 1, false},
		"no budget":           {search.Budget{}, true, 100 * s, false},
		"pondering, infinite": {search.Budget{Soft: s, Hard: s}, false, 100 * s, false},
	} {
		var hand handClock
		var k clock
		k.begin(hand.now, c.budget, c.counts)
		if hand.at = c.at; k.expired() != c.want || k.elapsed() != c.at {
			t.Errorf("%s: expired %t after %v", name, k.expired(), k.elapsed())
		}
	}
}

func TestEnough(t *testing.T) {
	const s = time.Second
	budget := search.Budget{Soft: 2 * s, Hard: 6 * s}
	for name, c := range map[string]struct {
		limits search.Limits
		budget search.Budget
		counts bool
		score  int
		roots  int
		at     time.Duration
		factor float64
		want   bool
	}{
		"early":               {search.Limits{}, budget, true, 0, 20, s, 1, false},
		"at the soft end":     {search.Limits{}, budget, true, 0, 20, 2 * s, 1, true},
		"the factor is large": {search.Limits{}, budget, true, 0, 20, 2 * s, 1.5, false},
		"the factor is small": {search.Limits{}, budget, true, 0, 20, s, 0.5, true},
		"one legal move":      {search.Limits{}, budget, true, 0, 1, 0, 1, true},
		"a fixed time":        {search.Limits{}, search.Budget{Soft: 2 * s, Hard: 2 * s}, true, 0, 1, 2*s - 1, 0.1, false},
		"no clock":            {search.Limits{}, search.Budget{}, true, 0, 1, 9 * s, 1, false},
		"infinite":            {search.Limits{Infinite: true}, budget, false, 0, 1, 9 * s, 1, false},
		"mate in 2 is enough": {search.Limits{Mate: 2}, search.Budget{}, true, search.MateIn(3), 20, 0, 1, true},
		"mate in 3 is not":    {search.Limits{Mate: 2}, search.Budget{}, true, search.MateIn(5), 20, 0, 1, false},
		"being mated is too":  {search.Limits{Mate: 2}, search.Budget{}, true, search.MatedIn(4), 20, 0, 1, true},
		"mated in 3 is not":   {search.Limits{Mate: 2}, search.Budget{}, true, search.MatedIn(6), 20, 0, 1, false},
	} {
		var hand handClock
		x := &running{limits: c.limits}
		x.clock.begin(hand.now, c.budget, c.counts)
		hand.at = c.at
		if got := x.enough(c.score, c.roots, c.factor); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// PonderHit restarts the clock, which counts from then on unless the search is infinite. Nodes before it are not of its time.
func TestDue(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	for _, infinite := range []bool{false, true} {
		var hand handClock
		s := &Searcher{ponders: make(chan struct{}, 1)}
		x := &running{Searcher: s, ctx: ctx, limits: search.Limits{Ponder: true, Infinite: infinite}, quit: make(chan struct{})}
		x.clock.begin(hand.now, search.Budget{Soft: time.Second, Hard: time.Second}, false)
		if hand.at = time.Hour; x.over() {
			t.Error("a pondering search ends by the clock")
		}
		x.nodes.Store(1000)
		s.PonderHit()
		s.PonderHit() // once is enough, and a second one does not block
		if x.over() || x.elapsed() != 0 {
			t.Errorf("ends at the move of the opponent, %v after its beginning", x.elapsed())
		}
		hand.at += time.Second / 2
		x.nodes.Store(1050)
		if rate := x.rate(x.elapsed()); rate != 100 {
			t.Errorf("%d nodes a second, want 100", rate)
		}
		s.PonderHit() // a session repeats one that may have come before the search listened
		if x.over() || x.elapsed() != time.Second/2 {
			t.Errorf("a second ponderhit: %v after the first one, not half a second", x.elapsed())
		}
		if hand.at += time.Second / 2; x.over() == infinite {
			t.Errorf("infinite %t: a second later over %t", infinite, !infinite)
		}
		if !infinite {
			select {
			case <-x.quit:
			default:
				t.Error("the helpers are not stopped")
			}
		}
	}
	cancel()
	x := &running{Searcher: &Searcher{}, ctx: ctx, quit: make(chan struct{})}
	if !x.over() || !x.ended.Load() {
		t.Error("a cancelled search goes on")
	}
	if x.end(); !x.over() { // a second end is none
		t.Error("an ended search goes on")
	}
}

// A search that has nothing left to do waits: a pondering one for PonderHit, an infinite one until it is cancelled.
func TestPark(t *testing.T) {
	for _, infinite := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		ponders, done := make(chan struct{}), make(chan struct{})
		x := &running{Searcher: &Searcher{ponders: ponders}, ctx: ctx, limits: search.Limits{Ponder: true, Infinite: infinite}}
		go func() { x.park(); close(done) }()
		ponders <- struct{}{} // is received only where the search waits
		if infinite {
			select {
			case ponders <- struct{}{}:
			case <-done:
				t.Error("an infinite search ends at PonderHit")
			}
			cancel()
		}
		<-done
		cancel()
	}
	x := &running{}
	x.counts.Store(true)
	x.park() // a search by the clock does not wait
}

// Searches on a clock that goes on by a millisecond a reading end when it says so, for each driver.
func TestSearchEndsByTheClock(t *testing.T) {
	slow.Test(t)
	const ms = time.Millisecond
	for _, name := range Names {
		for what, limits := range map[string]search.Limits{
			"a fixed time": {MoveTime: 40 * ms},
			"a game":       {HasClock: true, Time: [2]time.Duration{600 * ms, time.Hour}},
		} {
			c := &stepClock{step: ms}
			s := newDriver(t, name, 1, DefaultOptions())
			s.now = c.now
			p := boardtest.Position(t, middleGame)
			res, err := s.Search(context.Background(), board.NewGame(p), limits, nil)
			b := limits.Budget(&p)
			if read := time.Duration(c.reads.Load()) * ms; err != nil || !p.IsLegal(res.Best) || read > b.Hard+5*ms || limits.MoveTime > 0 && read < b.Hard {
				t.Errorf("%s, %s: %v after %v, budget %v, %v", name, what, res.Best, read, b, err)
			}
		}
	}
}

// One legal move is played after one depth where a clock runs, and searched on where a time is fixed.
func TestOnlyMove(t *testing.T) {
	const fen = "7k/8/8/8/8/8/1r6/K7 w - - 0 1" // the king may only take
	at := func(limits search.Limits) int {
		s := newDriver(t, "lazysmp", 1, DefaultOptions())
		s.now = (&stepClock{step: time.Millisecond}).now
		res, _ := s.Search(context.Background(), board.NewGame(boardtest.Position(t, fen)), limits, nil)
		return res.Info.Depth
	}
	if depth := at(search.Limits{HasClock: true, Time: [2]time.Duration{time.Minute, time.Minute}}); depth != 1 {
		t.Errorf("by the clock: depth %d", depth)
	}
	if depth := at(search.Limits{MoveTime: time.Second}); depth <= 1 {
		t.Errorf("a fixed time: depth %d", depth)
	}
}

// A pondering search starts its clock at PonderHit, and then ends.
func TestPonder(t *testing.T) {
	c := &stepClock{step: time.Millisecond}
	s := newDriver(t, "lazysmp", 1, DefaultOptions())
	s.now = c.now
	hit := int64(0)
	limits := search.Limits{Ponder: true, MoveTime: 30 * time.Millisecond}
	p := boardtest.Position(t, middleGame)
	_, err := s.Search(context.Background(), board.NewGame(p), limits, func(i search.Info) {
		if i.Depth == 6 && hit == 0 {
			hit = c.reads.Load()
			s.PonderHit()
		}
	})
	if after := c.reads.Load() - hit; err != nil || hit == 0 || after < 30 || after > 36 {
		t.Errorf("ends %d ms after PonderHit at %d, %v", after, hit, err)
	}
	// A hit that came after a search does not count for the next one.
	s.PonderHit()
	ctx, cancel := context.WithCancel(context.Background())
	depth := 0
	s.Search(ctx, board.NewGame(p), limits, func(i search.Info) {
		if depth = max(depth, i.Depth); depth == 9 {
			cancel()
		}
	})
	if cancel(); depth < 9 {
		t.Errorf("an old PonderHit ends the search at depth %d", depth)
	}
}
