package alphabeta

import (
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/tt128"
)

// rule says at which nodes moves are shared out, and how.
type rule struct {
	principal  bool    // on the principal variation only
	depth      int     // least depth
	sequential float64 // share of the moves that one thread searches before
	ordered    bool    // moves that exceed alpha are searched again after all others, in order, with the whole window
	broadcast  bool    // searches that have begun heed a better alpha
	resplit    bool    // threads without work take part below shared moves, too

	refutations, affinity bool // see Options
}

// team is threads that share out the moves of nodes. A thread without work waits until another gives it a part of a
// split; one that waits for its helpers takes work of theirs meanwhile, and no other: it must be free when they are done.
type team struct {
	rule    rule
	threads []*Thread
	spins   int
	waiting atomic.Int32              // threads
	roots   map[board.Move]remembered // root moves: only the thread that holds the root's split, or no thread has, may look
}

// remembered is what is known of a move of the root from the last time that it was searched.
type remembered struct {
	by   *Thread
	line []board.Move // the move, and the best replies
}

// cutMoves is how many moves of a node that is expected to fail high are searched before the others are shared out.
const cutMoves = 2

// spins is how often a thread that waits looks for work before it sleeps, where each thread has a core: a fraction of a
// millisecond, what the system takes to wake a sleeper.
const spins = 100000

// anywhere is what a thread without work waits at.
var anywhere = new(split)

// split is a node whose remaining moves several threads search. The owner's positions and frames up to its ply stay as
// they are while it lives, and are read by helpers.
type split struct {
	owner    *Thread
	parent   *split
	nullFrom int         // the owner's
	cut      atomic.Bool // beta was reached: all may leave
	alpha    atomic.Int64

	mu      sync.Mutex
	n       node
	moves   picker
	given   int // moves that were tried or are being tried
	helpers int
	closed  bool          // no move is left: the owner waits for its helpers
	done    chan struct{} // by the last of these
	failed  []board.Move  // see rule.ordered
	broken  bool          // a helper's search ended: a move has no value
}

// under tells whether s is below top, which is anywhere or a split.
func (s *split) under(top *split) bool {
	for ; s != nil; s = s.parent {
		if s == top {
			return true
		}
	}
	return top == anywhere
}

// forks tells whether the moves that are left at n may be shared out.
func (t *Thread) forks(n *node, k *picker) bool {
	if n.fork > 0 {
		return true
	}
	r := &t.team.rule
	if n.depth < r.depth || r.principal && !n.pv && !(r.resplit && t.at != nil) || t.frames[n.ply].excluded != board.NullMove {
		return false
	}
	if n.cut && !n.pv && n.tried < cutMoves {
		return false
	}
	k.generate()
	if len(k.moves) == 0 || float64(n.tried) < r.sequential*float64(n.tried+len(k.moves)) {
		return false
	}
	n.fork = t.path
	return true
}

// divide searches the moves that are left at n together with threads that wait.
func (t *Thread) divide(n *node, k *picker) {
	s := t.newSplit(n, k)
	t.at = s
	t.share(s)
	if t.stopped {
		s.cut.Store(true)
	}
	t.await(s)
	t.at = s.parent
	if s.broken {
		t.stopped, t.ended = true, true
	}
	*n = s.n
	n.test = false
	t.path = n.longest
	t.resume()
	for _, m := range s.failed {
		if t.stopped || n.best >= n.beta {
			break
		}
		if v := t.again(n, m); !t.stopped {
			t.record(n, m, v)
		}
	}
	t.splits = append(t.splits, s)
}

func (t *Thread) newSplit(n *node, k *picker) *split {
	s := &split{done: make(chan struct{}, 1)}
	if last := len(t.splits) - 1; last >= 0 {
		s, t.splits = t.splits[last], t.splits[:last]
	}
	s.owner, s.parent, s.nullFrom, s.n, s.moves = t, t.at, t.nullFrom, *n, *k
	s.n.test = t.team.rule.ordered
	s.given, s.helpers, s.closed, s.broken, s.failed = n.tried, 0, false, false, s.failed[:0]
	s.cut.Store(false)
	s.alpha.Store(int64(n.alpha))
	return s
}

// offer gives a part of s to each thread that waits and may take it.
func (t *Thread) offer(s *split) {
	for _, w := range t.team.threads {
		if top := w.waits.Load(); top != nil && w != t && s.under(top) && w.waits.CompareAndSwap(top, nil) {
			t.team.waiting.Add(-1)
			t.messages++
			s.helpers++
			w.mail <- s
		}
	}
}

// share searches moves of s until none is left, or one cuts.
func (t *Thread) share(s *split) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !t.stopped && !s.cut.Load() {
		m, score, ok := s.next(t)
		if !ok {
			return
		}
		if s.n.ply == 0 {
			t.recall(m)
		}
		if t == s.owner && t.team.waiting.Load() > 0 {
			t.offer(s)
		}
		n := s.n
		n.tried = s.given
		s.given++
		s.mu.Unlock()
		t.path = n.fork
		spent := t.nodes
		v := t.try(&n, m, score, 0)
		s.mu.Lock()
		s.n.longest = max(s.n.longest, t.path)
		if n.ply == 0 {
			t.remember(s.owner, m, t.nodes-spent)
		}
		if !t.stopped {
			t.hand(s, m, v)
		}
	}
}

// next is the next move that is worth a search.
func (s *split) next(t *Thread) (m board.Move, score int32, ok bool) {
	for {
		if m, score, ok = s.nextOf(t); !ok {
			return m, score, false
		}
		if (s.n.ply > 0 || t.allowed(m)) && !t.prunes(&s.n, &s.moves, m, score) {
			return m, score, true
		}
	}
}

// nextOf is the next move; at the root, with affinity, one of the next few that the thread searched last.
func (s *split) nextOf(t *Thread) (m board.Move, score int32, ok bool) {
	m, score, ok = s.moves.next()
	if !ok || s.n.ply > 0 || !t.team.rule.affinity {
		return m, score, ok
	}
	for range t.team.threads[1:] {
		if by := t.team.roots[m].by; by == nil || by == t {
			break
		}
		later, itsScore, more := s.moves.next()
		if !more {
			break
		}
		if t.team.roots[later].by == t {
			m, score, later, itsScore = later, itsScore, m, score
		}
		defer s.moves.put(later, itsScore)
	}
	return m, score, ok
}

// hand notes the value of a move of s.
func (t *Thread) hand(s *split, m board.Move, v int) {
	if s.n.test && s.n.pv && v > s.n.alpha {
		s.failed = append(s.failed, m)
		return
	}
	if t.record(&s.n, m, v) {
		s.cut.Store(true)
		s.n.longest = t.path
	}
	s.alpha.Store(int64(s.n.alpha))
	if o := s.owner; o != t && s.n.choice == m && (s.n.pv || s.n.ply == 0) {
		f, own := &t.frames[s.n.ply], &o.frames[s.n.ply]
		own.length = copy(own.pv[:], f.pv[:f.length])
		if s.n.ply == 0 {
			o.rootScore, o.rootLine = t.rootScore, append(o.rootLine[:0], t.rootLine...)
		}
	}
}

// await waits until no helper is left at the thread's split, and helps them.
func (t *Thread) await(s *split) {
	s.mu.Lock()
	s.closed = true
	alone := s.helpers == 0
	s.mu.Unlock()
	for !alone {
		alone = t.idle(s, s.done)
	}
}

// idle waits for work below top, and does it. It tells whether done came instead.
func (t *Thread) idle(top *split, done <-chan struct{}) bool {
	start := time.Now()
	t.waits.Store(top)
	t.team.waiting.Add(1)
	for i := 0; i < t.team.spins && len(t.mail) == 0 && len(done) == 0; i++ {
	}
	ended := false
	var s *split
	select {
	case <-done:
		if ended = true; t.waits.CompareAndSwap(top, nil) {
			t.team.waiting.Add(-1)
		} else {
			s = <-t.mail // work was given at the same time, and its owner counts on it
		}
	case s = <-t.mail:
	}
	t.idled += time.Since(start)
	if s != nil {
		t.join(s, top)
	}
	return ended
}

// join helps at s, a split below top. Of the line only what is below top is copied: the rest is there, and others read it.
func (t *Thread) join(s, top *split) {
	at, nullFrom := t.at, t.nullFrom
	o, ply, first := s.owner, s.n.ply, 0
	if top != anywhere {
		first = top.n.ply + 1
		t.frames[first-1].move = o.frames[first-1].move
	}
	copy(t.pos[first:ply+1], o.pos[first:ply+1])
	for i := first; i <= ply; i++ {
		t.frames[i].static = o.frames[i].static
		if i < ply {
			t.frames[i].move = o.frames[i].move
		}
	}
	if t.nullFrom = s.nullFrom; top == anywhere {
		t.keys, t.roots, t.rootDepth = o.keys, o.roots, o.rootDepth
	}
	t.stack.Begin(&t.pos[ply])
	t.at = s
	t.share(s)
	t.at, t.nullFrom = at, nullFrom
	t.stack.Pop()
	t.resume()
	s.mu.Lock()
	s.helpers--
	s.broken = s.broken || t.ended
	last := s.helpers == 0 && s.closed
	s.mu.Unlock()
	if last {
		s.done <- struct{}{}
	}
}

// cutOff tells whether what the thread searches is not needed any more.
func (t *Thread) cutOff() bool {
	for s := t.at; s != nil; s = s.parent {
		if s.cut.Load() {
			return true
		}
	}
	return false
}

// resume ends the unwinding to a split that was cut off, unless one above it was, or the search is over.
func (t *Thread) resume() {
	if t.stopped && !t.ended && !t.cutOff() {
		t.stopped = false
	}
}

// again searches a move with the whole window.
func (t *Thread) again(n *node, m board.Move) int {
	t.push(n.ply, m)
	defer t.stack.Pop()
	return -t.search(n.ply+1, n.depth-1, -n.beta, -n.alpha, false)
}

// refutationPlies is the most of a line that is remembered.
const refutationPlies = 16

// remember notes what the search of a root move took, for the owner of the root, and the line that it found.
func (t *Thread) remember(owner *Thread, m board.Move, spent int64) {
	owner.effort[m] += spent
	if t.team == nil || t.stopped {
		return
	}
	known := remembered{by: t}
	if t.team.rule.refutations {
		known.line = t.table.Line(&t.pos[0], []board.Move{m}, refutationPlies)
	}
	t.team.roots[m] = known
}

// recall tells the thread's table the line of a root move where it knows no better (Akl and Newborn 1977).
func (t *Thread) recall(m board.Move) {
	if t.team == nil {
		return
	}
	p := t.pos[0]
	for i, m := range t.team.roots[m].line {
		if _, found := t.table.Probe(p.Key, i); !found && i > 0 {
			t.table.Store(p.Key, i, tt128.NewDraft(-infinite, infinite, 0, m, false))
		}
		var next board.Position
		p.Make(m, &next)
		p = next
	}
}
