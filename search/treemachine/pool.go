package treemachine

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// errNoNodes ends tasks when the last node is gone.
var errNoNodes = errors.New("all nodes of the tree are gone")

// resendAfter is how long a node may have been told of a task and say that it does not have it, until it is told again.
const resendAfter = 2 * beatTime

// mostKnown is how many positions are known by whom.
const mostKnown = 1 << 16

// seat is where tasks are searched: a child with those below it, or the node itself.
type seat struct {
	name  string
	slots int           // tasks that it searches at a time
	send  func(message) // does not block; called with the pool locked
	held  int
}

// entry is a task that is not done.
type entry struct {
	task
	seat   *seat // nil: it waits for one
	at     time.Time
	answer func(result, error) // called once, without the lock, unless the task is dropped
}

// pool gives tasks to seats. A seat that leaves has its tasks given to others. All methods may be called by several
// goroutines.
type pool struct {
	ahead int // tasks that wait at a seat, for each that is searched there

	mu    sync.Mutex
	seats []*seat
	tasks map[uint64]*entry
	queue []*entry         // without a seat, the oldest first
	by    map[uint64]*seat // who searched the position of a task last: its table has what it found

	again atomic.Int64 // tasks that were given a second time
	took  atomic.Int64 // by all searches, ns
}

func newPool(ahead int) *pool {
	return &pool{ahead: ahead, tasks: map[uint64]*entry{}, by: map[uint64]*seat{}}
}

// do has a task searched. The answer comes from another goroutine, or from this one where no node is left.
func (p *pool) do(t task, answer func(result, error)) {
	p.mu.Lock()
	if len(p.seats) == 0 {
		p.mu.Unlock()
		answer(result{}, errNoNodes)
		return
	}
	e := &entry{task: t, answer: answer}
	p.tasks[t.ID] = e
	p.queue = append(p.queue, e)
	p.deal()
	p.mu.Unlock()
}

// deal gives waiting tasks to seats: to a seat without work first one whose position it knows, otherwise the oldest one to
// the seat that has the fewest for its slots.
func (p *pool) deal() {
	for len(p.queue) > 0 {
		i := slices.IndexFunc(p.queue, func(e *entry) bool {
			s := p.by[e.Key]
			return s != nil && s.held < s.slots && slices.Contains(p.seats, s)
		})
		best := p.freest()
		if i >= 0 {
			best = p.by[p.queue[i].Key]
		} else if i = 0; best == nil {
			return
		}
		e := p.queue[i]
		p.queue = slices.Delete(p.queue, i, i+1)
		if len(p.by) >= mostKnown {
			clear(p.by)
		}
		p.by[e.Key] = best
		e.seat, e.at = best, time.Now()
		best.held++
		best.send(message{Kind: ask, Task: &e.task})
	}
}

// freest is the seat that has the fewest tasks for its slots; nil where none takes one.
func (p *pool) freest() (best *seat) {
	for _, s := range p.seats {
		if s.held < s.slots*(1+p.ahead) && (best == nil || s.held*best.slots < best.held*s.slots) {
			best = s
		}
	}
	return best
}

// room is how many more tasks the seats take now.
func (p *pool) room() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := -len(p.queue)
	for _, s := range p.seats {
		n += max(0, s.slots*(1+p.ahead)-s.held)
	}
	return n
}

// slots is how many tasks are searched at a time.
func (p *pool) slots() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.seats {
		n += s.slots
	}
	return n
}

// drop forgets tasks, and stops their searches.
func (p *pool) drop(ids ...uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		e := p.tasks[id]
		if e == nil {
			continue
		}
		delete(p.tasks, id)
		if e.seat == nil {
			p.queue = slices.DeleteFunc(p.queue, func(w *entry) bool { return w == e })
			continue
		}
		e.seat.held--
		e.seat.send(message{Kind: stop, ID: id})
	}
	p.deal()
}

// finish takes a result. One that came before, and one of a task that was dropped, counts as time only.
func (p *pool) finish(r result) {
	p.mu.Lock()
	e := p.tasks[r.ID]
	p.took.Add(int64(r.Took))
	if e == nil || r.Stopped {
		p.mu.Unlock()
		return
	}
	delete(p.tasks, r.ID)
	if e.seat != nil {
		e.seat.held--
	} else { // the seat that has just left had sent it
		p.queue = slices.DeleteFunc(p.queue, func(w *entry) bool { return w == e })
	}
	p.deal()
	p.mu.Unlock()
	e.answer(r, nil)
}

// join adds a seat, or takes over how many slots it has now.
func (p *pool) join(s *seat, slots int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.slots = slots
	if !slices.Contains(p.seats, s) {
		p.seats = append(p.seats, s)
	}
	p.deal()
}

// leave removes a seat. Its tasks are given to others; where none is left they end with an error.
func (p *pool) leave(s *seat) {
	p.mu.Lock()
	i := slices.Index(p.seats, s)
	if i < 0 {
		p.mu.Unlock()
		return
	}
	p.seats = slices.Delete(p.seats, i, i+1)
	var lost []*entry
	for _, e := range p.tasks {
		if e.seat == s {
			e.seat = nil
			lost = append(lost, e)
			p.again.Add(1)
		}
	}
	slices.SortFunc(lost, func(a, b *entry) int { return int(int64(a.ID) - int64(b.ID)) })
	p.queue = append(lost, p.queue...)
	if len(p.seats) > 0 {
		p.deal()
		p.mu.Unlock()
		return
	}
	lost, p.queue = p.queue, nil
	clear(p.tasks)
	p.mu.Unlock()
	for _, e := range lost {
		e.answer(result{}, errNoNodes)
	}
}

// compare sends the tasks of a seat that it does not hold once more: the message, or the result, was lost.
func (p *pool) compare(s *seat, held []uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.tasks {
		if e.seat == s && time.Since(e.at) > resendAfter && !slices.Contains(held, e.ID) {
			e.at = time.Now()
			p.again.Add(1)
			s.send(message{Kind: ask, Task: &e.task})
		}
	}
}
