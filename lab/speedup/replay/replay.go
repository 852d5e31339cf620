// Package replay says how long a logged search takes with any number of processors. It simulates the events: a move
// that is taken, a message that arrives, a move that ends or cuts.
//
// A replay gives each move the work that one thread had. It knows nothing of a search with a worse window, of tables
// and of histories, so it says what the rule of splitting and the scheduler allow, not what a machine reaches. Moves
// behind a cut were not searched when the tree was logged. They take the mean of all moves that did not cut at nodes of
// the same kind and depth, the first moves left out. Equal input gives equal output.
package replay

import (
	"time"

	"tesla/search/alphabeta"
)

// Machine is what a tree is replayed on.
type Machine struct {
	Processors int
	Node       time.Duration // of one node
	Message    time.Duration // from giving a part of a fork to the beginning of its search
	Scheduler  Scheduler
}

// Scheduler says who may take which move.
type Scheduler int

// The schedulers.
const (
	Greedy Scheduler = iota // whoever is free takes any move, and goes on with any node: the bound by the rule
	Offers                  // that of package alphabeta: who takes a move offers the others, and owners wait for helpers
	Joins                   // as Offers, and who becomes free joins the deepest fork that has moves left
)

// unwindNodes are searched before a thread sees that its work is useless.
const unwindNodes = 16

// Outcome is the end of a replay.
type Outcome struct {
	Time     time.Duration
	Messages int64
	Wasted   time.Duration // spent on moves that a cut made useless
	Busy     time.Duration // of all processors; what was wasted is part of it
}

// Run replays a tree.
func Run(tree *alphabeta.Task, m Machine) Outcome {
	r := &run{Machine: m, processors: make([]processor, m.Processors), means: map[place]mean{}}
	for i := range r.processors {
		r.processors[i].number = i
	}
	r.estimate(tree)
	r.compute(&r.processors[0], &job{task: tree}, tree.Lead, 0)
	for !r.ended {
		r.step()
	}
	r.Time = r.now
	return r.Outcome
}

// Path is the critical path of a tree, in nodes: its time with any number of processors, and messages that cost
// nothing.
func Path(t *alphabeta.Task) int64 {
	path := t.Lead
	for i := range t.Parts {
		f, longest := t.Parts[i].Fork, int64(0)
		for k := range f.Moves {
			p := Path(&f.Moves[k])
			if longest = max(longest, p); f.Cut && k == len(f.Moves)-1 {
				longest = p
			}
		}
		path += longest + t.Parts[i].After
	}
	return path
}

// Work is the nodes of a tree.
func Work(t *alphabeta.Task) int64 {
	work := t.Lead
	for i := range t.Parts {
		work += t.Parts[i].After
		for k := range t.Parts[i].Fork.Moves {
			work += Work(&t.Parts[i].Fork.Moves[k])
		}
	}
	return work
}

// job is a task that was begun.
type job struct {
	task *alphabeta.Task
	next int    // index of the part that comes next
	of   *point // it is a move of; nil: the root
	move int    // index of that move
}

// point is a fork that was begun.
type point struct {
	*alphabeta.Fork
	owner   *job
	by      *processor      // of the owner
	next    int             // index of the move that is taken next
	running int             // moves that are being searched
	coming  int             // processors on their way
	behind  *alphabeta.Task // a move behind the cut
	over    bool
}

func (pt *point) left() int { return len(pt.Moves) + pt.Left - pt.next }

// under reports whether pt is top or lies below it.
func (pt *point) under(top *point) bool {
	for ; pt != nil; pt = pt.owner.of {
		if pt == top {
			return true
		}
	}
	return false
}

func (pt *point) take() *job {
	j := &job{of: pt, move: pt.next, task: pt.behind}
	pt.next++
	pt.running++
	if j.move < len(pt.Moves) {
		j.task = &pt.Moves[j.move]
	}
	return j
}

// processor searches a job, is on its way to a point, unwinds, or is free.
type processor struct {
	number  int
	busy    bool
	since   time.Duration
	due     time.Duration
	job     *job     // that is searched until due
	to      *point   // it is on its way to, until due
	waiting []*point // that it owns, without moves left; the innermost is last
}

// allowed reports whether the processor may take moves of pt: where it waits for helpers, only below.
func (p *processor) allowed(pt *point) bool {
	return len(p.waiting) == 0 || pt.under(p.waiting[len(p.waiting)-1])
}

// within reports whether what the processor does is part of pt.
func (p *processor) within(pt *point) bool {
	return p.job != nil && p.job.of.under(pt) || p.to != nil && p.to.under(pt)
}

// place is what decides how much work a move is.
type place struct {
	kind  alphabeta.Kind
	depth int
}

// mean is of the work of moves, in nodes.
type mean struct{ work, moves int64 }

// estimate takes the means of the moves of t after the first that did not cut. It returns the work of t.
func (r *run) estimate(t *alphabeta.Task) int64 {
	work := t.Lead
	for i := range t.Parts {
		f := t.Parts[i].Fork
		work += t.Parts[i].After
		for k := range f.Moves {
			w := r.estimate(&f.Moves[k])
			work += w
			if k > 0 && !(f.Cut && k == len(f.Moves)-1) {
				at := place{f.Kind, f.Depth}
				r.means[at] = mean{r.means[at].work + w, r.means[at].moves + 1}
			}
		}
	}
	return work
}

// behind is a move of f behind its cut. Where no other node of its kind has such a move, it takes what the first move
// took.
func (r *run) behind(f *alphabeta.Fork) *alphabeta.Task {
	if m := r.means[place{f.Kind, f.Depth}]; m.moves > 0 {
		return &alphabeta.Task{Lead: m.work / m.moves}
	}
	return &alphabeta.Task{Lead: Work(&f.Moves[0])}
}

// run is a replay.
type run struct {
	Machine
	Outcome
	means      map[place]mean
	processors []processor
	open       []*point
	now        time.Duration
	ended      bool
}
