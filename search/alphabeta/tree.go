package alphabeta

import "slices"

// Task is work of one thread: nodes that it searches one after the other, and nodes whose moves may be shared out among
// them. A logged search is a Task.
type Task struct {
	Lead  int64  // nodes before the first of Parts
	Parts []Part // in order
}

// Part is a node whose moves may be shared out, and the work that must wait for its value.
type Part struct {
	Fork  *Fork
	After int64 // nodes
}

// Fork is the moves of a node that may be searched side by side.
type Fork struct {
	Moves []Task // those that one thread searched, in order
	Kind  Kind
	Depth int  // of the node, plies
	Cut   bool // the last of Moves cut
	Left  int  // moves that were not searched because of that, without those that would have been pruned
}

// Kind is what a node is expected to be (Knuth and Moore 1975; Marsland and Popowich 1985).
type Kind int

// The kinds of nodes.
const (
	PVNode  Kind = iota // its window is open
	CutNode             // one move fails high
	AllNode             // no move does
)

func (n *node) kind() Kind {
	switch {
	case n.pv:
		return PVNode
	case n.cut:
		return CutNode
	}
	return AllNode
}

// treeLog logs the tree of a search with one thread. Its tasks are those that have begun, each within the one before.
type treeLog struct {
	tasks []Task
	forks []openFork
	spent int64 // the thread's nodes that are in tasks
}

// openFork is a node whose moves are being searched.
type openFork struct {
	*Fork
	within int // the number of tasks that it lies in
}

// spend adds what was searched since the last call to the innermost task.
func (l *treeLog) spend(nodes int64) {
	if len(l.tasks) == 0 {
		l.tasks = append(l.tasks, Task{})
	}
	t, more := &l.tasks[len(l.tasks)-1], nodes-l.spent
	if last := len(t.Parts) - 1; last >= 0 {
		t.Parts[last].After += more
	} else {
		t.Lead += more
	}
	l.spent = nodes
}

// fork notes that the moves of a node may be shared out from now on.
func (l *treeLog) fork(n *node, nodes int64) {
	l.spend(nodes)
	l.forks = append(l.forks, openFork{&Fork{Kind: n.kind(), Depth: n.depth}, len(l.tasks)})
}

func (l *treeLog) beginMove(nodes int64) {
	l.spend(nodes)
	l.tasks = append(l.tasks, Task{})
}

func (l *treeLog) endMove(nodes int64) {
	l.spend(nodes)
	last, f := len(l.tasks)-1, l.forks[len(l.forks)-1]
	f.Moves = append(f.Moves, l.tasks[last])
	l.tasks = l.tasks[:last]
}

// close ends the innermost fork. A move that is open has cut, unless the search was stopped.
func (l *treeLog) close(left int, stopped bool, nodes int64) {
	f := l.forks[len(l.forks)-1]
	if len(l.tasks) > f.within {
		l.endMove(nodes)
		if f.Cut = !stopped; f.Cut {
			f.Left = left
		}
	}
	l.spend(nodes)
	l.forks = l.forks[:len(l.forks)-1]
	if t := &l.tasks[f.within-1]; len(f.Moves) > 0 {
		t.Parts = append(t.Parts, Part{Fork: f.Fork})
	}
}

// LogTree has each search from now on log its tree. It reports whether the Searcher can: it shares out moves and has
// one thread.
func (s *Searcher) LogTree() bool {
	d, ok := s.driver.(*splitting)
	if !ok || len(s.threads) != 1 {
		return false
	}
	t := s.threads[0]
	if t.member == nil {
		d.team.enlist(t)
	}
	t.member.log = new(treeLog)
	return true
}

// Tree is the tree that was logged so far, from the beginning of the search. It may be called between searches and by
// the report of a search, and is empty without LogTree.
func (s *Searcher) Tree() *Task {
	m := s.threads[0].member
	if m == nil || m.log == nil {
		return new(Task)
	}
	m.log.spend(m.nodes)
	t := m.log.tasks[0]
	t.Parts = slices.Clone(t.Parts)
	return &t
}
