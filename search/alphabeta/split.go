package alphabeta

import (
	"sync"
	"sync/atomic"
	"time"

	"tesla/board"
	"tesla/tt128"
)

// How threads share out the moves of a node (step 16):
//
//  1. A member that has searched the first move of a node makes the node a split, if another member waits for work. At
//     an all-node it does so before the first move; see forks.go.
//  2. Whoever takes a move of the split gives parts of it to members that wait: it sends the split to their mail.
//  3. All of them take the next move of the split, search it, and hand in its value, until no move is left or one cuts.
//     A cut makes what the others search useless, and they unwind to the split.
//  4. The owner waits for its helpers. Meanwhile it takes work of theirs, and no other, for it must be free when they
//     are done. Then it goes on with the node as the split has left it.
//
// Invariants: the owner's positions and frames up to the ply of a split do not change while the split lives, because
// its helpers read them. All fields of a split below mu are read and written under mu. A member with a nil waits has
// work, or a split in its mail.

// team is threads that share out the moves of nodes.
type team struct {
	rule    rule
	members []*member
	spin    time.Duration
	waiting atomic.Int32              // members that wait
	roots   map[board.Move]remembered // moves of the root; under mu of its split, the owner's while there is none
}

// member is a Thread of a team.
type member struct {
	*Thread
	team   *team
	at     *split                // the innermost split that the member works at
	waits  atomic.Pointer[split] // the split below which it waits for work; nil: it does not wait
	mail   chan *split           // gives it work
	unused []*split              // that may be used again

	messages int64         // parts of splits that it gave away
	idled    time.Duration // time that it waited
	origin   int64         // the critical path is nodes less origin, see path
	log      *treeLog      // of the tree, for a replay; nil: none
}

// remembered holds what the last search of a root move found.
type remembered struct {
	by   *member
	line []board.Move // the move, and the best replies
}

// critical is what a node keeps of the critical path.
type critical struct {
	fork    int64 // the path to where moves may be shared out; 0: none may
	longest int64 // the longest path through one of its moves
}

// spin is how long a member looks for work before it sleeps, where each thread has a core of its own. It is about what
// waking it costs, so that a member loses at most twice what the best choice would (Karlin, Li, Manasse and Owicki
// 1991). To wake a core takes some 100 µs in a virtual machine (docs/log/threads.md#0082), less on a machine of its own.
const spin = 200 * time.Microsecond

// looks is how often a member looks for work between two looks at the clock.
const looks = 64

// anywhere is the split that members wait at who take any work.
var anywhere = new(split)

// split is a node whose remaining moves several members search.
type split struct {
	owner    *member
	parent   *split
	nullFrom int         // of the owner
	cut      atomic.Bool // a value reached beta: all may leave
	alpha    atomic.Int64

	mu      sync.Mutex
	n       node
	moves   picker
	given   int // moves that were searched or are being searched
	helpers int
	closed  bool          // no move is left, and the owner waits for its helpers
	done    chan struct{} // the last helper sends here
	failed  []board.Move  // moves that exceeded alpha and must be searched again, see rule.ordered
	broken  bool          // the search of a helper ended: one of the moves has no value
}

func (c *team) enlist(t *Thread) {
	m := &member{Thread: t, team: c, mail: make(chan *split, 1)}
	t.member, t.useless = m, m.cutOff
	c.members = append(c.members, m)
}

// reset begins a search.
func (m *member) reset() {
	m.at, m.messages, m.idled, m.origin = nil, 0, 0, 0
	if m.log != nil {
		m.log = new(treeLog)
	}
}

// path is the length of the critical path to the node that is searched. It grows with each node.
func (m *member) path() int64 { return m.nodes - m.origin }

func (m *member) setPath(length int64) { m.origin = m.nodes - length }

// under reports whether s is below top, which is anywhere or a split.
func (s *split) under(top *split) bool {
	for ; s != nil; s = s.parent {
		if s == top {
			return true
		}
	}
	return top == anywhere
}

// divide searches the moves that are left together with members that wait.
func (m *member) divide(n *node, k *picker) {
	k.scoreQuiets() // by the owner's histories, which other members may not read
	s := m.newSplit(n, k)
	m.at = s
	m.share(s)
	if m.stopped {
		s.cut.Store(true)
	}
	m.await(s)
	m.at = s.parent
	if s.broken {
		m.stopped, m.ended = true, true
	}
	*n = s.n
	n.testOnly = false
	m.setPath(n.critical.longest)
	m.resume()
	for _, move := range s.failed {
		if m.stopped || n.best >= n.beta {
			break
		}
		if v := m.again(n, move); !m.stopped {
			m.record(n, move, v)
		}
	}
	m.unused = append(m.unused, s)
}

func (m *member) newSplit(n *node, k *picker) *split {
	s := &split{done: make(chan struct{}, 1)}
	if last := len(m.unused) - 1; last >= 0 {
		s, m.unused = m.unused[last], m.unused[:last]
	}
	s.owner, s.parent, s.nullFrom, s.n, s.moves = m, m.at, m.nullFrom, *n, *k
	s.n.testOnly = m.team.rule.ordered
	s.given, s.helpers, s.closed, s.broken, s.failed = n.tried, 0, false, false, s.failed[:0]
	s.cut.Store(false)
	s.alpha.Store(int64(n.alpha))
	return s
}

// offer gives a part of s to members that wait and may take it, as long as there are moves for them.
func (m *member) offer(s *split) {
	left := len(s.moves.moves)
	for _, w := range m.team.members {
		if left == 0 {
			return
		}
		if top := w.waits.Load(); top != nil && w != m && s.under(top) && w.waits.CompareAndSwap(top, nil) {
			m.team.waiting.Add(-1)
			m.messages++
			s.helpers++
			left--
			w.mail <- s
		}
	}
}

// share searches moves of s until none is left or one cuts.
func (m *member) share(s *split) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !m.stopped && !s.cut.Load() {
		move, score, ok := s.next(m)
		if !ok {
			return
		}
		if s.n.ply == 0 {
			m.recall(move)
		}
		if m.team.waiting.Load() > 0 {
			m.offer(s)
		}
		n := s.n
		n.tried = s.given
		s.given++
		s.mu.Unlock()
		if m.current != nil && n.ply == 0 {
			m.current(move, n.tried+1)
		}
		m.setPath(n.critical.fork)
		spent := m.nodes
		v := m.try(&n, move, score, 0)
		s.mu.Lock()
		s.n.critical.longest = max(s.n.critical.longest, m.path())
		if n.ply == 0 {
			s.owner.effort[move] += m.nodes - spent
			m.remember(move)
		}
		if !m.stopped {
			m.hand(s, move, v)
		}
	}
}

// next is the next move of s that is worth a search.
func (s *split) next(m *member) (move board.Move, score int32, ok bool) {
	for {
		if move, score, ok = s.nextOf(m); !ok {
			return move, score, false
		}
		if (s.n.ply > 0 || m.allowed(move)) && !m.prunes(&s.n, &s.moves, move, score) {
			return move, score, true
		}
	}
}

// nextOf is the next move of s. At the root, with affinity, it is one of the next few that the member searched last, if
// there is one.
func (s *split) nextOf(m *member) (move board.Move, score int32, ok bool) {
	move, score, ok = s.moves.next()
	if !ok || s.n.ply > 0 || !m.team.rule.affinity {
		return move, score, ok
	}
	for range m.team.members[1:] {
		if by := m.team.roots[move].by; by == nil || by == m {
			break
		}
		later, itsScore, more := s.moves.next()
		if !more {
			break
		}
		if m.team.roots[later].by == m {
			move, score, later, itsScore = later, itsScore, move, score
		}
		defer s.moves.put(later, itsScore)
	}
	return move, score, ok
}

// hand hands in the value of a move of s.
func (m *member) hand(s *split, move board.Move, v int) {
	if s.n.testOnly && s.n.pv && v > s.n.alpha {
		s.failed = append(s.failed, move)
		return
	}
	if m.record(&s.n, move, v) {
		s.cut.Store(true)
		s.n.critical.longest = m.path()
	}
	s.alpha.Store(int64(s.n.alpha))
	if o := s.owner; o != m && s.n.choice == move && (s.n.pv || s.n.ply == 0) {
		f, own := &m.frames[s.n.ply], &o.frames[s.n.ply]
		own.length = copy(own.pv[:], f.pv[:f.length])
		if s.n.ply == 0 {
			o.rootScore, o.rootLine = m.rootScore, append(o.rootLine[:0], m.rootLine...)
		}
	}
}

// raised is the alpha of a node at ply: the split's where the node is one, others have raised it since, and the rule
// says so.
func (m *member) raised(ply, alpha int) int {
	if s := m.at; s != nil && m.team.rule.broadcast && s.n.ply == ply {
		return max(alpha, int(s.alpha.Load()))
	}
	return alpha
}

// await waits until s has no helper, and helps the helpers.
func (m *member) await(s *split) {
	s.mu.Lock()
	s.closed = true
	free := s.helpers == 0
	s.mu.Unlock()
	for !free {
		free = m.idle(s, s.done)
	}
}

// idle waits for work below top, and does it. It reports whether done came instead.
func (m *member) idle(top *split, done <-chan struct{}) bool {
	start := time.Now()
	m.waits.Store(top)
	m.team.waiting.Add(1)
	for i := 1; m.team.spin > 0 && len(m.mail) == 0 && len(done) == 0; i++ {
		if i%looks == 0 && time.Since(start) > m.team.spin {
			break
		}
	}
	ended := false
	var s *split
	select {
	case <-done:
		if ended = true; m.waits.CompareAndSwap(top, nil) {
			m.team.waiting.Add(-1)
		} else {
			s = <-m.mail // work was given at the same moment, and its owner counts on it
		}
	case s = <-m.mail:
	}
	m.idled += time.Since(start)
	if s != nil {
		m.join(s, top)
	}
	return ended
}

// join helps at s, a split below top. It copies the part of the owner's line that is below top: the rest is the same,
// and others may read it.
func (m *member) join(s, top *split) {
	at, nullFrom := m.at, m.nullFrom
	o, ply, first := s.owner, s.n.ply, 0
	if top != anywhere {
		first = top.n.ply + 1
		m.setMove(first-1, o.frames[first-1].move)
		m.frames[first-1].tried = o.frames[first-1].tried
	}
	copy(m.pos[first:ply+1], o.pos[first:ply+1])
	for i := first; i <= ply; i++ {
		m.frames[i].static = o.frames[i].static
		if i < ply {
			m.setMove(i, o.frames[i].move)
			m.frames[i].tried = o.frames[i].tried
		}
	}
	if m.nullFrom = s.nullFrom; top == anywhere {
		m.keys, m.roots, m.rootDepth = o.keys, o.roots, o.rootDepth
	}
	m.stack.Begin(&m.pos[ply])
	m.at = s
	m.share(s)
	m.at, m.nullFrom = at, nullFrom
	m.stack.Pop()
	m.resume()
	s.mu.Lock()
	s.helpers--
	s.broken = s.broken || m.ended
	last := s.helpers == 0 && s.closed
	s.mu.Unlock()
	if last {
		s.done <- struct{}{}
	}
}

// cutOff reports whether a split that the member works at was cut: then the value that it searches is useless.
func (m *member) cutOff() bool {
	for s := m.at; s != nil; s = s.parent {
		if s.cut.Load() {
			return true
		}
	}
	return false
}

// resume ends the unwinding to a split that was cut, unless one above it was cut, too, or the search has ended.
func (m *member) resume() {
	if m.stopped && !m.ended && !m.cutOff() {
		m.stopped = false
	}
}

// again searches a move with the whole window.
func (m *member) again(n *node, move board.Move) int {
	m.push(n.ply, move)
	defer m.stack.Pop()
	return -m.search(n.ply+1, n.depth-1, -n.beta, -n.alpha, false)
}

// refutationPlies bounds a line that is remembered.
const refutationPlies = 16

// remember notes who searched a move of the root, and the line that the search found.
func (m *member) remember(move board.Move) {
	if m.stopped {
		return
	}
	known := remembered{by: m}
	if m.team.rule.refutations {
		known.line = m.principal([]board.Move{move}, refutationPlies)
	}
	m.team.roots[move] = known
}

// recall stores the line of a root move in the member's table where it has no entries (Akl and Newborn 1977).
func (m *member) recall(move board.Move) {
	p := m.pos[0]
	for i, move := range m.team.roots[move].line {
		if _, found := m.table.Probe(p.Key, i); !found && i > 0 {
			m.table.Store(p.Key, i, tt128.NewDraft(-infinite, infinite, 0, move, false))
		}
		p = p.After(move)
	}
}
