package alphabeta

import (
	"slices"
	"sync"
	"sync/atomic"

	"tesla/board"
)

// mtdf narrows the value of the root by null window searches of several threads at once, each with a beta of its own:
// MTD(f) (Plaat et al. 1996), in parallel. In Verify mode an iteration ends where the bounds meet.
type mtdf struct {
	alone
	central central
}

func newMTDF(threads int, o Options) *mtdf {
	m := &mtdf{}
	c := &m.central
	c.begun, c.threads, c.firstStep, c.mostTrust, c.adaptive = make(chan struct{}), max(threads, 1), o.Step, o.Trust, o.Adaptive
	if o.Verify {
		c.mostTrust = 0
	}
	return m
}

// central is what the threads know in common of an iteration.
type central struct {
	threads, firstStep, mostTrust int
	adaptive                      bool

	// Read without the lock, by threads that ask whether their search is still of use.
	iteration    atomic.Int64 // that runs, from 1 on; 0: none
	lower, upper atomic.Int64 // the value lies between them

	mu    sync.Mutex
	begun chan struct{} // closed when an iteration begins
	count int64         // of iterations
	depth int
	last  int // guess of the iteration before
	roots []board.Move
	guess int   // of the value: the newest bound
	trust int   // the iteration ends where the bounds are no further apart
	step  int   // between betas; doubles while bounds move the same way
	trend int   // 1: the newest bound is a lower one; -1: an upper one; 0: there is none
	betas []int // to be searched, the next one first
	busy  []int // that are searched
	line  Line  // of the newest lower bound
}

func (m *mtdf) begin(*running) { m.central.last = 0 }

func (m *mtdf) iterate(x *running, depth, guess int) (Line, bool) {
	c, t := &m.central, x.threads[0]
	c.begin(depth, guess, t.roots)
	c.work(t)
	c.mu.Lock()
	defer c.mu.Unlock()
	line := c.line
	line.Depth, line.SelDepth = depth, t.selDepth
	if c.iteration.Swap(0) != 0 { // stopped
		return line, false
	}
	if len(line.PV) == 0 { // all bounds were upper ones: the table has the best of the bad moves
		line.Score, line.PV = c.guess, t.principal(nil)
	}
	return line, len(line.PV) > 0
}

func (m *mtdf) help(x *running, t *Thread, _ int) {
	c := &m.central
	for !t.ended {
		c.mu.Lock()
		begun := c.begun
		c.mu.Unlock()
		c.work(t)
		select {
		case <-begun:
		case <-x.quit:
			return
		}
	}
}

// begin begins an iteration.
func (c *central) begin(depth, guess int, roots []board.Move) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if c.trust = c.mostTrust; c.adaptive {
		c.trust = min(c.trust, max(2, (guess-c.last)/2, (c.last-guess)/2))
	}
	c.depth, c.guess, c.last, c.step, c.trend, c.roots, c.line, c.busy = depth, guess, guess, c.firstStep, 0, roots, Line{}, c.busy[:0]
	c.lower.Store(-infinite)
	c.upper.Store(infinite)
	c.generate()
	c.iteration.Store(c.count)
	close(c.begun)
	c.begun = make(chan struct{})
}

// work searches betas until the iteration is done or the search ends.
func (c *central) work(t *Thread) {
	for !t.ended && c.take(t) {
		v := t.search(0, t.rootDepth, t.beta-1, t.beta, false)
		if t.stopped {
			t.stopped = t.ended
			v = noValue
		}
		c.put(t, v)
		t.iteration = 0
	}
}

// stale tells whether what the thread searches is not needed any more.
func (c *central) stale(t *Thread) bool {
	return c.iteration.Load() != t.iteration || int64(t.beta) <= c.lower.Load() || int64(t.beta) > c.upper.Load()
}

// take gives the thread a beta; false where no iteration runs.
func (c *central) take(t *Thread) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.iteration.Load()
	if it == 0 {
		return false
	}
	if len(c.betas) == 0 {
		c.generate()
	}
	t.beta, c.betas = c.betas[0], c.betas[1:]
	c.busy = append(c.busy, t.beta)
	t.central, t.iteration, t.rootDepth, t.roots = c, it, c.depth, c.roots
	t.rootLine = t.rootLine[:0]
	return true
}

// noValue is what a search that was stopped has.
const noValue = 2 * infinite

// put notes what a search with the thread's beta found.
func (c *central) put(t *Thread, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.iteration.Load() != t.iteration {
		return
	}
	if i := slices.Index(c.busy, t.beta); i >= 0 {
		c.busy = slices.Delete(c.busy, i, i+1)
	}
	lower, upper := int(c.lower.Load()), int(c.upper.Load())
	switch {
	case v == noValue:
		return
	case v >= t.beta && v > lower:
		lower = v
		c.move(1, v)
		c.lower.Store(int64(v))
		c.line = Line{Score: v, PV: t.principal(t.rootLine)}
	case v < t.beta && v < upper:
		upper = v
		c.move(-1, v)
		c.upper.Store(int64(v))
	default:
		return
	}
	if upper-lower <= c.trust {
		c.iteration.Store(0)
		return
	}
	c.generate()
}

// move notes the way in which a bound went.
func (c *central) move(way, bound int) {
	if c.trend == way {
		c.step *= 2
	} else {
		c.step = c.firstStep
	}
	c.trend, c.guess = way, bound
}

// generate lists betas for all threads: around the guess at first, then beyond the newest bound, or evenly between the
// bounds where these are near. Such as are being searched are left out, if others remain.
func (c *central) generate() {
	lower, upper := int(c.lower.Load()), int(c.upper.Load())
	c.betas = c.betas[:0]
	n := c.threads
	gap := upper - lower
	for i := 1; i <= 2*n && len(c.betas) < n; i++ {
		var beta int
		switch {
		case (n+1)*c.step >= gap:
			beta = lower + max(i*gap/(n+1), 1)
		case c.trend == 0:
			beta = c.guess + (i/2)*c.step*(1-2*(i&1))
		default:
			beta = c.guess + c.trend*i*c.step
		}
		if beta = max(lower+1, min(beta, upper)); !slices.Contains(c.busy, beta) && !slices.Contains(c.betas, beta) {
			c.betas = append(c.betas, beta)
		}
	}
	if len(c.betas) == 0 {
		c.betas = append(c.betas, lower+(gap+1)/2)
	}
}

// principal is a line that begins with known and goes on with the table's moves.
func (t *Thread) principal(known []board.Move) []board.Move {
	return t.table.Line(&t.pos[0], known, maxPly)
}
