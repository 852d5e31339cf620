package alphabeta

import (
	"cmp"
	"sync"
	"sync/atomic"

	"tesla/search"
)

// lazySMP is the driver whose threads search the same position and share only the table: a thread finds there what the
// others have searched. (No paper; Stockfish has searched so since 2015.)
type lazySMP struct {
	solo
	options Options
	first   atomic.Int64 // the depth that the first thread searches

	mu    sync.Mutex
	found []Line // the last depth that each helper completed, by its number
}

func (d *lazySMP) begin(x *running) {
	d.first.Store(0)
	d.found = make([]Line, len(x.threads))
	for i, t := range x.threads[1:] {
		if !d.options.Histories {
			*t.history = *x.threads[0].history
		}
		if d.options.Windows {
			t.widen = windowStep * (i%windowSteps + 1)
		}
		if d.options.Noise > 0 {
			t.noise = noise{most: d.options.Noise, seed: uint64(i + 1)}.of
		}
	}
}

// noise is a number for each position, from -most to most, that depends on the position's key and the seed only.
type noise struct {
	most int
	seed uint64
}

func (n noise) of(key uint64) int {
	const golden = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio
	return int((key^n.seed)*golden>>33)%(2*n.most+1) - n.most
}

func (d *lazySMP) iterate(x *running, depth, guess int) (Line, bool) {
	d.first.Store(int64(depth))
	return d.solo.iterate(x, depth, guess)
}

// How much wider the windows of helpers are, in centipawns: one to windowSteps steps.
const (
	windowStep  = 6
	windowSteps = 3
)

// help searches as the first thread does, except for what the options change. The thread that first completes the last
// depth that was asked for ends the search.
func (d *lazySMP) help(x *running, t *Thread, number int) {
	most, score := x.mostDepth(), 0
	for depth := 1; depth <= most && !t.stopped; depth++ {
		if d.options.Offsets {
			depth = min(most, max(depth, int(d.first.Load())+number%2))
		}
		line, ok := t.iterate(depth, score)
		if !ok {
			return
		}
		score = line.Score
		d.mu.Lock()
		d.found[number] = line
		d.mu.Unlock()
		if depth == x.limits.Depth && x.lines == 1 {
			x.end()
		}
	}
}

// choose takes the shortest mate. Without one it takes the deepest line, of these one whose depth was searched to its end,
// and of these the one with the highest score.
func (d *lazySMP) choose(best Line) Line {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := []Line{best}
	for _, l := range d.found {
		if len(l.PV) > 0 {
			lines = append(lines, l)
		}
	}
	better := func(a, b *Line) bool {
		if max(a.Score, b.Score) >= search.Decided {
			return a.Score > b.Score
		}
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), -cmp.Compare(a.Bound, b.Bound), cmp.Compare(a.Score, b.Score)) > 0
	}
	for i := range lines {
		if len(best.PV) == 0 || better(&lines[i], &best) {
			best = lines[i]
		}
	}
	return best
}
