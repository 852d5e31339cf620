package alphabeta

import (
	"slices"
	"sync"
	"sync/atomic"

	"tesla/board"
	"tesla/search"
)

// mtdf is the driver that narrows the value of the root by null window searches: MTD(f) (Plaat, Schaeffer, Pijls and De
// Bruin 1996). Several threads search at once, each with a beta of its own. In Verify mode an iteration ends where the
// bounds meet; else it ends where they are as near as the trust. Bounds that are decided scores have to meet: there a
// centipawn is a ply. Null windows find no line, so a mate is searched once more for it (confirm).
type mtdf struct {
	central central
	workers []*worker // one for each thread
}

// central is what the threads know in common of an iteration.
type central struct {
	threads   int
	firstStep int
	trust     int // the iteration ends where the bounds are no further apart

	// Threads that ask whether their search is useless read these without the lock.
	iteration    atomic.Int64 // the number of the iteration that runs, from 1 on; 0: none
	lower, upper atomic.Int64 // the value lies between them

	mu    sync.Mutex
	begun chan struct{} // is closed when an iteration begins
	count int64         // iterations so far
	depth int
	roots []board.Move
	guess int   // the newest bound, or at first the value a depth before
	step  int   // between betas; it doubles while bounds move in the same direction
	trend int   // 1: the newest bound is a lower one; -1: it is an upper one; 0: there is none
	betas []int // to be searched, the next one first
	busy  []int // being searched
	line  Line  // of the newest lower bound
}

// worker is a Thread that searches betas.
type worker struct {
	*Thread
	central   *central
	iteration int64
	beta      int
}

func newMTDF(threads int, o Options) *mtdf {
	d := &mtdf{}
	c := &d.central
	c.begun, c.threads = make(chan struct{}), max(threads, 1)
	c.firstStep, c.trust = o.Step, o.Trust
	if o.Verify {
		c.trust = 0
	}
	return d
}

func (d *mtdf) begin(x *running) {
	d.workers = d.workers[:0]
	for _, t := range x.threads {
		w := &worker{Thread: t, central: &d.central}
		t.useless = w.stale
		d.workers = append(d.workers, w)
	}
}

func (d *mtdf) iterate(x *running, depth, guess int) (Line, bool) {
	c, t := &d.central, x.threads[0]
	c.begin(depth, guess, t.roots)
	d.workers[0].work()
	line, whole := c.result()
	if whole && search.IsDecided(line.Score) {
		if won, ok := t.confirm(depth, line.Score); ok {
			line = won
		} else {
			whole = false
		}
	}
	line.Depth, line.SelDepth = depth, t.selDepth
	return line, whole
}

// result ends the iteration. It returns the line of the newest lower bound, and false if the search was stopped. If all
// bounds were upper ones, the line is empty, and the score is the least that a root can have.
func (c *central) result() (Line, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := c.line
	if len(line.PV) == 0 {
		line.Score = leastScore
	}
	return line, c.iteration.Swap(0) == 0
}

// confirm searches a mate that null windows have found, with a window around its score, so that the search gives its
// whole line. Where that does not find the same score, the window is open. It returns false when the search was stopped.
func (t *Thread) confirm(depth, score int) (Line, bool) {
	useless := t.useless
	t.useless = nil
	defer func() { t.useless = useless }()
	t.rootLine = t.rootLine[:0]
	if v := t.search(0, max(depth, search.Plies(score)), score-1, score+1, false); v != score && !t.stopped {
		t.rootLine = t.rootLine[:0]
		t.search(0, depth, -infinite, infinite, false)
	}
	return Line{Score: t.rootScore, PV: slices.Clone(t.rootLine)}, !t.stopped && len(t.rootLine) > 0
}

func (d *mtdf) choose(best Line) Line { return best }

func (d *mtdf) help(x *running, t *Thread, number int) {
	c := &d.central
	for !t.ended {
		c.mu.Lock()
		begun := c.begun
		c.mu.Unlock()
		d.workers[number].work()
		select {
		case <-begun:
		case <-x.quit:
			return
		}
	}
}

// A root with a legal move is mated by the opponent's first move at worst, and mates with its own first move at best.
var (
	leastScore = search.MatedIn(2)
	mostScore  = search.MateIn(1)
)

// begin begins an iteration.
func (c *central) begin(depth, guess int, roots []board.Move) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	c.depth, c.guess, c.roots = depth, guess, roots
	c.step, c.trend, c.line, c.busy = c.firstStep, 0, Line{}, c.busy[:0]
	c.lower.Store(int64(leastScore))
	c.upper.Store(int64(mostScore))
	c.generate()
	c.iteration.Store(c.count)
	close(c.begun)
	c.begun = make(chan struct{})
}

// work searches betas until the iteration is done or the search ends.
func (w *worker) work() {
	for !w.ended && w.central.take(w) {
		v := w.search(0, w.rootDepth, w.beta-1, w.beta, false)
		if w.stopped {
			w.stopped = w.ended
			v = noValue
		}
		w.central.put(w, v)
	}
}

// stale reports whether what the worker searches is not needed any more.
func (w *worker) stale() bool {
	c := w.central
	return c.iteration.Load() != w.iteration || int64(w.beta) <= c.lower.Load() || int64(w.beta) > c.upper.Load()
}

// take gives the worker a beta. It returns false where no iteration runs.
func (c *central) take(w *worker) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.iteration.Load()
	if it == 0 {
		return false
	}
	if len(c.betas) == 0 {
		c.generate()
	}
	w.iteration, w.beta, c.betas = it, c.betas[0], c.betas[1:]
	c.busy = append(c.busy, w.beta)
	w.rootDepth, w.roots, w.rootLine = c.depth, c.roots, w.rootLine[:0]
	return true
}

// noValue is the result of a search that was stopped.
const noValue = 2 * infinite

// put notes what a search with the worker's beta returned.
func (c *central) put(w *worker, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.iteration.Load() != w.iteration {
		return
	}
	if i := slices.Index(c.busy, w.beta); i >= 0 {
		c.busy = slices.Delete(c.busy, i, i+1)
	}
	lower, upper := int(c.lower.Load()), int(c.upper.Load())
	switch {
	case v == noValue:
		return
	case v >= w.beta && v > lower:
		lower = v
		c.move(1, v)
		c.lower.Store(int64(v))
		c.line = Line{Score: v, PV: w.principal(w.rootLine, pliesOf(v))}
	case v < w.beta && v < upper:
		upper = v
		c.move(-1, v)
		c.upper.Store(int64(v))
	default:
		return
	}
	if upper-lower <= c.trust && (!search.IsDecided(lower) && !search.IsDecided(upper) || upper <= lower) {
		c.iteration.Store(0)
		return
	}
	c.generate()
}

// move notes a new bound: a lower one (direction 1) or an upper one (-1).
func (c *central) move(direction, bound int) {
	if c.trend == direction {
		c.step *= 2
	} else {
		c.step = c.firstStep
	}
	c.trend, c.guess = direction, bound
}

// generate lists a beta for each thread: around the guess at first, then beyond the newest bound, or evenly between the
// bounds where these are near each other. It leaves out betas that are being searched, if any others remain.
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

// pliesOf is the most plies of a line with a score: a mate ends it.
func pliesOf(score int) int {
	if search.IsMate(score) {
		return search.Plies(score)
	}
	return maxPly
}
