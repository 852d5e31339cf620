package alphabeta

import (
	"context"
	"flag"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/internal/slow"
	"tesla/search"
	"tesla/tt128"
)

var plies = flag.Int("plies", 0, "TestProcesses: depth of the searches of all 24 positions; 0: 4 plies, five positions")

// processes are the nodes of a tree machine in virtual time: a node of the search takes a unit of it, a message none. So
// speed-up and overheads are counts, the same on every machine. Their tables are their own, as those of processes.
type processes struct {
	master *Thread
	nodes  []*process
	queue  []Branch
	by     map[uint64]*process // who searched the position after a branch last
	told   bool                // a search that has begun hears of a better alpha, and begins again with it

	now        int64
	own, found int64 // nodes of the master by now, and of what it was given back
	spent      int64 // of all processes
	alpha      int   // of the node of the principal variation that is shared out
	ply        int   // of that node; -1: none
	began      int64 // when it was shared out, or when the last one was done
	late       int64 // nodes that were searched with an alpha that had been raised

	serial, root, inner int64 // time in which processes wait for the master, for the last moves of the root, and of other nodes
}

// process searches one branch at a time.
type process struct {
	*Thread
	branch   *Branch
	step     func() (Found, bool) // searches on; false: to the end
	found    Found
	done     bool
	halt     bool  // the search is to end
	behind   bool  // its alpha was raised
	from, at int64 // when the branch was begun, and how far it is
	raised   int64 // when its alpha was raised; 0: it was not
	before   int64 // nodes of searches of the branch that were begun again
}

// slice is the nodes between two looks at alpha.
const slice = 64

// pass lets the time of the master's own nodes pass.
func (s *processes) pass() {
	own := s.master.nodes - s.found
	s.now, s.spent, s.own = s.now+own-s.own, s.spent+own-s.own, own
}

func (s *processes) Room() int {
	n := 2*len(s.nodes) - len(s.queue)
	for _, p := range s.nodes {
		if p.branch != nil {
			n--
		}
	}
	return n
}

func (s *processes) Give(b Branch) {
	s.pass()
	if s.ply < 0 {
		s.serial += int64(len(s.nodes)) * (s.now - s.began)
		s.ply, s.began, s.alpha = len(b.Line), s.now, b.Alpha
	}
	s.queue = append(s.queue, b)
	s.deal()
}

// deal gives branches to processes that wait: to each one that it knows, or the oldest.
func (s *processes) deal() {
	for len(s.queue) > 0 {
		free := slices.IndexFunc(s.nodes, func(p *process) bool { return p.branch == nil })
		if free < 0 {
			return
		}
		p, i := s.nodes[free], 0
		for k := range s.queue {
			if knows := s.by[s.queue[k].After()]; knows != nil && knows.branch == nil {
				p, i = knows, k
				break
			}
		}
		b := s.queue[i]
		s.queue = slices.Delete(s.queue, i, i+1)
		s.by[b.After()] = p
		p.branch, p.from, p.at, p.before, p.raised, p.done = &b, s.now, s.now, 0, 0, false
		p.begin()
	}
}

func (p *process) begin() {
	p.halt, p.behind = false, false
	p.step, _ = iter.Pull(func(yield func(Found) bool) {
		b := *p.branch
		found, _ := p.Branch(&b, func() bool {
			p.due = p.nodes + slice
			return !yield(Found{}) || p.halt
		})
		p.found = found
	})
}

// stop ends the search of a branch.
func (p *process) stop() {
	for p.halt = true; ; {
		if _, more := p.step(); !more {
			return
		}
	}
}

// advance searches a slice of the branch.
func (s *processes) advance(p *process) {
	if p.behind {
		p.stop()
		p.before = p.at - p.from
		p.branch.Alpha, p.branch.Best = s.alpha, s.alpha
		p.begin()
	}
	_, more := p.step()
	p.at, p.done = p.from+p.before+p.nodes, !more
}

func (s *processes) Next(stop func() bool) (Found, bool) {
	if stop() {
		return Found{}, false
	}
	s.pass()
	for {
		var p *process // the one that is behind the others
		for _, q := range s.nodes {
			if q.branch != nil && (p == nil || q.at < p.at) {
				p = q
			}
		}
		if p.done {
			return s.finish(p), true
		}
		s.advance(p)
	}
}

// finish takes what a process found.
func (s *processes) finish(p *process) Found {
	f, b := p.found, p.branch
	p.branch, s.now = nil, p.at
	f.Nodes = p.at - p.from
	s.spent, s.found = s.spent+f.Nodes, s.found+f.Nodes
	if p.raised > 0 {
		s.late += p.at - p.raised
	}
	if f.Value >= b.Beta { // the master calls Drop
		return f
	}
	if f.Value > s.alpha {
		s.raise(f.Value)
	}
	s.deal()
	if !slices.ContainsFunc(s.nodes, func(p *process) bool { return p.branch != nil }) {
		s.close()
	}
	return f
}

func (s *processes) raise(alpha int) {
	s.alpha = alpha
	for _, p := range s.nodes {
		if p.branch != nil {
			p.raised, p.behind = max(p.at, s.now), s.told && !p.done
		}
	}
	for i := range s.queue {
		if s.told {
			s.queue[i].Alpha, s.queue[i].Best = alpha, alpha
		}
	}
}

// close ends the node that is shared out.
func (s *processes) close() {
	idle := &s.inner
	if s.ply == 0 {
		idle = &s.root
	}
	for _, p := range s.nodes {
		*idle += s.now - max(min(p.at, s.now), s.began)
	}
	s.ply, s.began = -1, s.now
}

func (s *processes) Drop() {
	s.queue = nil
	for _, p := range s.nodes {
		if p.branch != nil {
			if !p.done {
				p.stop()
			}
			p.branch, p.at = nil, s.now
			s.spent += s.now - p.from
		}
	}
	s.close()
}

// share searches a position with a number of processes in virtual time.
func share(t *testing.T, p board.Position, n, depth int, told bool, o Options) *processes {
	t.Helper()
	s := &processes{by: map[uint64]*process{}, ply: -1, told: told}
	var tables []*tt128.Table
	for range n + 1 {
		own, err := tt128.New(1 << (2 * max(0, depth-4))) // it grows with the tree
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		tables = append(tables, own)
	}
	for i := range n {
		s.nodes = append(s.nodes, &process{Thread: NewThread(net(t), tables[i+1], o.Mode)})
	}
	m, err := NewMaster(s, net(t), tables[0], o)
	if err != nil {
		t.Fatal(err)
	}
	s.master = m.threads[0]
	if r, _ := m.Search(context.Background(), board.NewGame(p), search.Limits{Depth: depth}, nil); r.Info.Depth != depth {
		t.Fatalf("depth %d of %d", r.Info.Depth, depth)
	}
	s.pass()
	s.serial += int64(n) * (s.now - s.began)
	return s
}

// of is a process's share of the time of n.
func (s *processes) of(idle int64, n int) float64 {
	return 100 * float64(idle) / float64(n) / float64(s.now)
}

func (s *processes) add(o *processes) {
	s.now, s.spent, s.serial, s.root, s.inner, s.late = s.now+o.now, s.spent+o.spent, s.serial+o.serial, s.root+o.root, s.inner+o.inner, s.late+o.late
}

// Principal variation splitting over processes, plain, on the positions of Bratko and Kopec: all of the processes' time is
// either search or idle, and more of them are faster. The log is a table (docs/treemachine.md).
func TestProcesses(t *testing.T) {
	slow.Test(t)
	text, err := os.ReadFile("../../lab/speedup/bratko-kopec.epd")
	if err != nil {
		t.Fatal(err)
	}
	var all []board.Position
	for line := range strings.Lines(string(text)) {
		if p, _, err := board.ParseEPD(strings.TrimSpace(line)); err == nil {
			all = append(all, p)
		}
	}
	depth := *plies
	if depth == 0 {
		depth, all = 4, all[5:10]
	}
	o := DefaultOptions()
	o.Plain = true
	one, first := newDriver(t, "pvsplit", 1, o), int64(0)
	for i := range all {
		one.NewGame()
		r, _ := one.Search(context.Background(), board.NewGame(all[i]), search.Limits{Depth: depth}, nil)
		first += r.Info.Nodes
	}
	for _, told := range []bool{false, true} {
		before, late := 0.0, int64(0)
		for _, n := range []int{2, 4, 8} {
			sum := processes{}
			for i := range all {
				s := share(t, all[i], n, depth, told, o)
				if idle := s.serial + s.root + s.inner; s.spent-s.own+idle != int64(n)*s.now {
					t.Fatalf("%d processes search %d nodes and are idle for %d of %d", n, s.spent-s.own, idle, int64(n)*s.now)
				}
				sum.add(s)
			}
			faster := float64(first) / float64(sum.now)
			t.Logf("%d processes, told %t: %.2f times as fast, SO %.1f %%; idle for the master %.1f, at the end of the root %.1f, "+
				"of inner nodes %.1f %%; late %.2f %% of the nodes", n, told, faster, 100*float64(sum.spent)/float64(first)-100,
				sum.of(sum.serial, n), sum.of(sum.root, n), sum.of(sum.inner, n), 100*float64(sum.late)/float64(sum.spent))
			if faster <= before {
				t.Errorf("%d processes are %.2f times as fast, fewer %.2f", n, faster, before)
			}
			before, late = faster, late+int64(sum.late)
		}
		if late == 0 {
			t.Error("no node is late")
		}
	}
}
