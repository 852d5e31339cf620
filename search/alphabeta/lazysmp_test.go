package alphabeta

import (
	"context"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// Each option that makes threads differ is heeded by the second thread alone.
func TestDiversity(t *testing.T) {
	p := boardtest.Position(t, middleGame)
	at := func(options string) *Thread {
		o := DefaultOptions()
		if err := o.Set("offsets=off " + options); err != nil {
			t.Fatal(err)
		}
		s := newDriver(t, "lazysmp", 2, o)
		s.threads[0].history.butterfly[0][0] = 7
		s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 1}, nil)
		if first := s.threads[0]; first.noise != nil || first.widen != 0 {
			t.Errorf("%s: the first thread differs", options)
		}
		return s.threads[1]
	}
	if same := at(""); same.noise != nil || same.widen != 0 || same.history.butterfly[0][0] != 0 {
		t.Error("the second thread differs though it should not, or does not keep its own history")
	}
	if at("histories=off").history.butterfly[0][0] != 7 {
		t.Error("the history was not copied")
	}
	if at("windows=on").widen == 0 {
		t.Error("windows are not wider")
	}
	noisy := at("noise=5")
	noisy.begin(&p, nil)
	value := noisy.static(0)
	noisy.noise = nil
	if d := value - noisy.static(0); d == 0 || d < -5 || d > 5 {
		t.Errorf("noise of %d", d)
	}
}

// Noise is the same each time for a position, differs by seed, covers its range and no more, and has no bias.
func TestNoise(t *testing.T) {
	a, b := noise{most: 3, seed: 1}, noise{most: 3, seed: 2}
	var seen [7]int
	sum, differ := 0, 0
	const n = 20000
	for i := range uint64(n) {
		key := (i + 1) * 0xbf58476d1ce4e5b9
		v := a.of(key)
		if v < -3 || v > 3 || v != a.of(key) {
			t.Fatalf("key %x: %d and %d", key, v, a.of(key))
		}
		seen[v+3]++
		sum += v
		if v != b.of(key) {
			differ++
		}
	}
	for i, count := range seen {
		if count < n/7*8/10 || count > n/7*12/10 {
			t.Errorf("%d: %d of %d", i-3, count, n)
		}
	}
	if sum > n/20 || sum < -n/20 || differ < n/2 {
		t.Errorf("sum %d, %d of %d differ by the seed", sum, differ, n)
	}
}

// A helper is a depth ahead of the first thread if its number is odd, and ends the search with the last depth.
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		offsets              bool
		number, first, asked int
		skipped              bool // the helper leaves out the first depths
	}{
		{true, 1, 3, 4, true}, {true, 2, 3, 4, true}, {true, 1, 4, 4, true}, {false, 1, 3, 4, false},
	} {
		d := &lazySMP{options: Options{Offsets: c.offsets}}
		th := threadAt(t, Mode{}, middleGame)
		x := &running{Searcher: &Searcher{threads: []*Thread{th, th, th}}, limits: search.Limits{Depth: c.asked}, quit: make(chan struct{}), ranking: ranking{lines: 1}}
		d.begin(x)
		d.first.Store(int64(c.first))
		d.help(x, th, c.number)
		if got := d.found[c.number]; got.Depth != c.asked || !x.ended.Load() {
			t.Errorf("%+v: depth %d, ended %t", c, got.Depth, x.ended.Load())
		}
		full := threadAt(t, Mode{}, middleGame)
		full.Deepen(&th.pos[0], c.asked, 0, nil)
		if (th.nodes != full.nodes) != c.skipped {
			t.Errorf("%+v: %d nodes, and %d for all depths", c, th.nodes, full.nodes)
		}
	}
}

// A mate is chosen, else the deepest line, then the best.
func TestChoose(t *testing.T) {
	const a, b = board.Move(1), board.Move(2)
	line := func(depth, score int, m board.Move) Line {
		return Line{Depth: depth, Score: score, PV: []board.Move{m}}
	}
	for _, c := range []struct {
		best Line
		rest []Line
		want board.Move
	}{
		{line(9, 10, a), []Line{line(10, 5, b)}, b},
		{line(9, 10, a), []Line{line(9, 15, b)}, b},
		{line(9, 10, a), []Line{line(8, 50, b), {}}, a},
		{Line{}, []Line{line(3, 0, b)}, b},
		{line(9, search.MateIn(3), a), []Line{line(10, 700, b)}, a},
		{line(9, search.MateIn(5), a), []Line{line(8, search.MateIn(3), b)}, b},
		{Line{Depth: 9, Score: 15, Bound: search.Lower, PV: []board.Move{a}}, []Line{line(9, 10, b)}, b}, // searched to its end
		{Line{Depth: 10, Score: 15, Bound: search.Lower, PV: []board.Move{a}}, []Line{line(9, 10, b)}, a},
		{line(9, 700, a), []Line{line(8, search.MateIn(5), b), line(9, 700, a)}, b},
	} {
		d := &lazySMP{found: c.rest}
		if got := d.choose(c.best); got.PV[0] != c.want {
			t.Errorf("%+v and %+v: %+v", c.best, c.rest, got)
		}
	}
}
