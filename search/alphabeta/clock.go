package alphabeta

import (
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/search"
)

// The soft budget times a factor is the last moment to begin another depth. The factor falls with the share of the
// nodes that the best move took and with the depths for which it has been the best, and rises while its score falls.
const (
	effortBase  = 1.9  // the factor at no share of the nodes
	effortSlope = 1.6  // less for all of them
	stableBase  = 1.2  // the factor when the best move has just changed
	stableSlope = 0.08 // less for each depth since, of
	stableMost  = 6    // at most
	fallSlope   = 0.012
	fallMost    = 50 // centipawns
	overrun     = 3  // a depth that was begun may last until this times the soft budget
)

// clock is the time that a search may take. Any thread may read it.
type clock struct {
	now     func() time.Time
	started atomic.Pointer[time.Time]
	budget  search.Budget
	counts  atomic.Bool // the budget limits the search: it does not ponder and is not infinite
	hit     atomic.Bool // a ponderhit came: a session may repeat it, and only the first one counts
}

func (c *clock) begin(now func() time.Time, budget search.Budget, counts bool) {
	c.now, c.budget = now, budget
	c.start()
	c.counts.Store(counts)
}

// start makes this moment the beginning.
func (c *clock) start() {
	now := c.now()
	c.started.Store(&now)
}

func (c *clock) elapsed() time.Duration { return c.now().Sub(*c.started.Load()) }

// expired reports whether a depth that was begun must be cut short.
func (c *clock) expired() bool {
	return c.counts.Load() && c.budget.Hard > 0 && c.elapsed() >= min(c.budget.Hard, overrun*c.budget.Soft)
}

// pace is what the clock takes into account of the depths so far.
type pace struct {
	best    board.Move
	stable  int // depths since the best move changed
	average int // of the score; later depths count more
}

// factor is what the soft budget is multiplied by after another depth.
func (p *pace) factor(line *Line, t *Thread) float64 {
	if len(line.PV) == 0 || t.nodes == 0 {
		return 1
	}
	if p.stable++; line.PV[0] != p.best {
		if p.best == board.NullMove {
			p.average = line.Score
		}
		p.best, p.stable = line.PV[0], 0
	}
	f := effortBase - effortSlope*float64(t.effort[p.best])/float64(t.nodes)
	f *= stableBase - stableSlope*float64(min(p.stable, stableMost))
	f *= 1 + fallSlope*float64(max(-fallMost, min(fallMost, p.average-line.Score)))
	p.average = (p.average + line.Score) / 2
	return f
}

// over reports whether the search must end now. All threads ask, because only one of them may be awake.
func (x *running) over() bool {
	if x.ended.Load() {
		return true
	}
	if x.due() {
		x.end()
		return true
	}
	return false
}

func (x *running) due() bool {
	select {
	case <-x.ctx.Done():
		return true
	case <-x.ponders:
		if !x.hit.Swap(true) {
			x.ahead.Store(x.nodes.Load())
			x.start()
			x.counts.Store(!x.limits.Infinite)
		}
	default:
	}
	return x.expired()
}

// rate is the number of nodes a second since the clock started. Those before a ponderhit are not of that time.
func (x *running) rate(spent time.Duration) int64 {
	if spent <= 0 {
		return 0
	}
	return int64(float64(x.nodes.Load()-x.ahead.Load()) / spent.Seconds())
}

// enough reports whether another depth is not worth beginning.
func (x *running) enough(score, roots int, factor float64) bool {
	if x.limits.MateFound(search.ScoreFromCP(score)) {
		return true
	}
	if !x.counts.Load() || x.budget.Soft <= 0 || x.budget.Soft >= x.budget.Hard { // no clock, or a fixed time
		return false
	}
	return roots == 1 || x.elapsed() >= time.Duration(factor*float64(x.budget.Soft))
}

// park keeps an infinite or pondering search that has nothing left to do until it is stopped.
func (x *running) park() {
	for !x.counts.Load() {
		select {
		case <-x.ctx.Done():
			return
		case <-x.ponders:
			if !x.limits.Infinite {
				return
			}
		}
	}
}
