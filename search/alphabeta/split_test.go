package alphabeta

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// teamAt are the members of a team whose threads stand at a position. None of them runs.
func teamAt(t *testing.T, threads int, r rule, fen string) (*team, []*member) {
	t.Helper()
	c := &team{rule: r, roots: map[board.Move]remembered{}}
	for range threads {
		c.enlist(threadAt(t, Mode{}, fen))
	}
	return c, c.members
}

// Where moves may be shared out, by the rules of both drivers.
func TestForks(t *testing.T) {
	pv, jam := rule{principal: true, depth: 4}, rule{depth: 4}
	type place struct {
		n        node
		below    bool // the member works at a split
		excluded bool
	}
	for name, c := range map[string]struct {
		rule rule
		at   place
		want bool
	}{
		"pvsplit on the PV":                {pv, place{n: node{depth: 4, pv: true, tried: 1}}, true},
		"pvsplit off the PV":               {pv, place{n: node{depth: 9, tried: 1}}, false},
		"pvsplit below a split":            {rule{principal: true, depth: 4, resplit: true}, place{n: node{depth: 4, tried: 1}, below: true}, true},
		"pvsplit below, without resplit":   {pv, place{n: node{depth: 4, tried: 1}, below: true}, false},
		"resplit, but not below a split":   {rule{principal: true, depth: 4, resplit: true}, place{n: node{depth: 4, tried: 1}}, false},
		"jamboree off the PV":              {jam, place{n: node{depth: 4, tried: 1}}, true},
		"too shallow":                      {jam, place{n: node{depth: 3, tried: 1, pv: true}}, false},
		"a cut node after its first move":  {jam, place{n: node{depth: 4, tried: 1, cut: true}}, true},
		"in a singular search":             {jam, place{n: node{depth: 4, tried: 1}, excluded: true}, false},
		"sequential share is not reached":  {rule{depth: 4, sequential: 0.5}, place{n: node{depth: 4, tried: 3}}, false},
		"sequential share is reached":      {rule{depth: 4, sequential: 0.05}, place{n: node{depth: 4, tried: 3}}, true},
		"it forked before, then always on": {pv, place{n: node{depth: 1, critical: critical{fork: 7}}}, true},
	} {
		_, ms := teamAt(t, 2, c.rule, middleGame)
		m := ms[0]
		m.nodes = 100
		if c.at.below {
			m.at = &split{}
		}
		if c.at.excluded {
			m.frames[0].excluded = 5
		}
		k := m.pick(&m.pos[0], 0, board.NullMove)
		n := c.at.n
		if got := m.forks(&n, &k); got != c.want || c.want && n.critical.fork == 0 {
			t.Errorf("%s: %t, fork at %d", name, got, n.critical.fork)
		}
	}
	_, ms := teamAt(t, 2, jam, middleGame)
	k := ms[0].pick(&ms[0].pos[0], 0, board.NullMove)
	drain(&k)
	if ms[0].forks(&node{depth: 9, tried: 30}, &k) {
		t.Error("no moves are left to share out")
	}
}

// The critical path through moves that are searched side by side is the longest one's; one after the other they add up.
func TestCriticalPath(t *testing.T) {
	_, ms := teamAt(t, 2, rule{depth: 4}, middleGame)
	m := ms[0]
	n := node{ply: 1, depth: 8, cut: true}
	k := m.pick(&m.pos[0], 0, board.NullMove)
	search := func(nodes int64) {
		m.begins(&n, &k, board.NullMove, 0, 0)
		m.nodes += nodes
		n.tried++
		m.divides(&n, &k) // nobody waits
	}
	search(10)
	if m.path() != 10 || n.critical.fork != 10 {
		t.Errorf("after the first move: path %d, fork at %d", m.path(), n.critical.fork)
	}
	search(30)
	search(20)
	if m.path() != 40 || m.nodes != 60 {
		t.Errorf("10 nodes, then 30 and 20 side by side: path %d of %d nodes", m.path(), m.nodes)
	}
	m.begins(&n, &k, board.NullMove, 0, 0)
	m.nodes += 5 // this move cuts: its own path counts
	if m.path() != 15 {
		t.Errorf("a cut after 10 and 5 nodes: path %d", m.path())
	}
	if m.reset(); m.at != nil || m.messages != 0 || m.path() != m.nodes {
		t.Errorf("a new search begins at path %d of %d nodes", m.path(), m.nodes)
	}
}

func TestUnder(t *testing.T) {
	top := &split{}
	middle := &split{parent: top}
	low, other := &split{parent: middle}, &split{}
	for _, c := range []struct {
		s, top *split
		want   bool
	}{{low, top, true}, {low, middle, true}, {low, low, true}, {top, low, false}, {other, top, false}, {other, anywhere, true}, {nil, top, false}} {
		if got := c.s.under(c.top); got != c.want {
			t.Errorf("%p under %p: %t", c.s, c.top, got)
		}
	}
}

// A split is offered to members that wait above it, and to no others.
func TestOffer(t *testing.T) {
	c, ms := teamAt(t, 4, rule{depth: 4}, middleGame)
	k := ms[0].pick(&ms[0].pos[0], 0, board.NullMove)
	k.generate()
	s, elsewhere := ms[0].newSplit(&node{depth: 6}, &k), &split{}
	ms[1].waits.Store(anywhere)
	ms[2].waits.Store(elsewhere) // it waits for helpers of its own
	c.waiting.Store(2)           // the last one works
	ms[0].offer(s)
	if s.helpers != 1 || ms[0].messages != 1 || c.waiting.Load() != 1 || ms[1].waits.Load() != nil {
		t.Errorf("%d helpers, %d messages, %d wait", s.helpers, ms[0].messages, c.waiting.Load())
	}
	if len(ms[1].mail) != 1 || len(ms[2].mail) != 0 || len(ms[3].mail) != 0 || <-ms[1].mail != s {
		t.Errorf("mail: %d, %d, %d", len(ms[1].mail), len(ms[2].mail), len(ms[3].mail))
	}
	if ms[0].offer(s); s.helpers != 1 {
		t.Error("a member that waits for others took the work")
	}
	ms[1].waits.Store(anywhere)
	s.moves.moves = nil
	if ms[0].offer(s); s.helpers != 1 {
		t.Error("work was offered where no move is left")
	}
}

// An all-node is shared out before its first move, unless that is extended; PV nodes and cut-nodes are not. The split
// has all moves, the table's first.
func TestBegins(t *testing.T) {
	for name, c := range map[string]struct {
		n         node
		extension int
		table     bool
		want      bool
	}{
		"all-node":                      {n: node{depth: 4}, want: true},
		"all-node with a table move":    {n: node{depth: 4}, table: true, want: true},
		"its first move is extended":    {n: node{depth: 4}, table: true, extension: 1},
		"cut-node":                      {n: node{depth: 4, cut: true}},
		"PV node":                       {n: node{depth: 4, pv: true}},
		"all-node after its first move": {n: node{depth: 4, tried: 1}},
	} {
		team, ms := teamAt(t, 2, rule{depth: 4}, middleGame)
		m, n := ms[0], c.n
		m.nodes, n.ply, n.alpha, n.beta, n.best = 100, 1, -infinite+1, -infinite+2, -infinite // whatever moves first cuts
		m.push(0, moveOf(t, &m.pos[0], "a2a3"))
		moves := m.pos[1].LegalMoves(nil)
		if c.table {
			n.table = moves[7]
		}
		k := m.pick(&m.pos[1], 1, n.table)
		first, score, _ := k.next()
		team.waiting.Store(1) // though nobody takes the work
		if got := m.begins(&n, &k, first, score, c.extension); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		if c.want && (n.tried != 1 || n.choice != first || len(m.unused) != 1 || len(m.unused[0].moves.moves) != len(moves)-1) {
			t.Errorf("%s: %d moves tried, %v is best instead of %v", name, n.tried, n.choice, first)
		}
	}
}

// What is handed in raises alpha, cuts, or is kept to be searched again; the owner gets the line of a helper's best
// move.
func TestHand(t *testing.T) {
	at := func(r rule, n node) (*split, *member, *member, board.Move) {
		_, ms := teamAt(t, 2, r, middleGame)
		k := ms[0].pick(&ms[0].pos[0], 0, board.NullMove)
		s := ms[0].newSplit(&n, &k)
		m := moveOf(t, &ms[1].pos[0], "a2a3")
		ms[1].frames[1].length = 0
		return s, ms[0], ms[1], m
	}
	n := node{depth: 6, alpha: 10, beta: 90, pv: true, best: 0, tried: 1}
	s, owner, helper, m := at(rule{}, n)
	if helper.hand(s, m, 5); s.n.best != 5 || s.n.alpha != 10 || s.cut.Load() {
		t.Errorf("a value below alpha: %+v", s.n)
	}
	if helper.hand(s, m, 40); s.n.alpha != 40 || s.alpha.Load() != 40 || owner.rootScore != 40 || !slices.Equal(owner.rootLine, []board.Move{m}) {
		t.Errorf("a better move: alpha %d and %d, the owner's line %v of %d", s.n.alpha, s.alpha.Load(), owner.rootLine, owner.rootScore)
	}
	helper.setPath(33)
	if helper.hand(s, m, 95); !s.cut.Load() || s.n.critical.longest != 33 {
		t.Errorf("a cut: %t, path %d", s.cut.Load(), s.n.critical.longest)
	}
	s, _, helper, m = at(rule{ordered: true}, n)
	if helper.hand(s, m, 40); s.n.alpha != 10 || !slices.Equal(s.failed, []board.Move{m}) {
		t.Errorf("the strong form: alpha %d, to be searched again %v", s.n.alpha, s.failed)
	}
}

// Searches that have begun heed a raised alpha at the node of the split alone, and only by the rule.
func TestRaised(t *testing.T) {
	for _, broadcast := range []bool{false, true} {
		_, ms := teamAt(t, 1, rule{broadcast: broadcast}, middleGame)
		m := ms[0]
		if m.raised(3, 10) != 10 {
			t.Error("alpha is raised without a split")
		}
		m.at = &split{n: node{ply: 3}}
		m.at.alpha.Store(50)
		want := 10
		if broadcast {
			want = 50
		}
		if m.raised(3, 10) != want || m.raised(4, 10) != 10 || m.raised(3, 60) != 60 {
			t.Errorf("broadcast %t: alpha %d at the split, %d below", broadcast, m.raised(3, 10), m.raised(4, 10))
		}
	}
}

// A cut at any split above makes a search useless. It unwinds to the split, and goes on unless the search has ended.
func TestCutOff(t *testing.T) {
	_, ms := teamAt(t, 1, rule{}, middleGame)
	m, top := ms[0], &split{}
	m.at = &split{parent: top}
	if m.cutOff() {
		t.Error("nothing was cut")
	}
	top.cut.Store(true)
	if !m.cutOff() || m.useless == nil || !m.useless() {
		t.Error("the cut is not seen")
	}
	m.stopped = true
	if m.resume(); !m.stopped {
		t.Error("goes on below the cut")
	}
	m.at = nil
	if m.resume(); m.stopped {
		t.Error("does not go on above it")
	}
	m.stopped, m.ended = true, true
	if m.resume(); !m.stopped {
		t.Error("goes on after the end")
	}
}

// With affinity a thread takes the root move that it had before, if it is among the next; no move is lost or given
// twice.
func TestAffinity(t *testing.T) {
	c, ms := teamAt(t, 2, rule{affinity: true}, middleGame)
	p := &ms[0].pos[0]
	moves := p.LegalMoves(nil)
	for i, m := range moves {
		c.roots[m] = remembered{by: ms[i%2]}
	}
	k := ms[0].pick(p, 0, board.NullMove)
	part := ms[0].newSplit(&node{}, &k)
	given, own := map[board.Move]bool{}, 0
	for i := range moves {
		by := ms[i/2%2] // each takes two in turn
		m, _, ok := part.nextOf(by)
		if !ok || given[m] {
			t.Fatalf("move %d: %v, given before: %t", i, m, given[m])
		}
		given[m] = true
		if c.roots[m].by == by {
			own++
		}
	}
	if _, _, ok := part.nextOf(ms[1]); ok || own <= len(moves)/2 {
		t.Errorf("%d of %d moves were their thread's", own, len(moves))
	}
}

// A line that is remembered fills the tables of threads that lack it, and no more. Moves that the opponent refuted
// without a move, by standing pat or passing, have none.
func TestRefutations(t *testing.T) {
	o := DefaultOptions()
	o.Refutations, o.Local = true, true
	s := newDriver(t, "pvsplit", 2, o)
	p := boardtest.Position(t, middleGame)
	s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 8}, nil)
	roots, lines := s.threads[0].member.team.roots, 0
	for m, known := range roots {
		if known.line[0] != m {
			t.Fatalf("%v: line %v", m, known.line)
		}
		if len(known.line) == 1 {
			continue
		}
		lines++
		fresh := s.threads[1]
		fresh.table.Clear()
		fresh.pos[0] = p
		fresh.member.recall(m)
		if got := fresh.principal(known.line[:1], maxPly); len(got) != len(known.line) || got[1] != known.line[1] {
			t.Fatalf("%v recalled of %v", got, known.line)
		}
	}
	if lines < len(roots)/2 {
		t.Errorf("%d moves of %d have a line", lines, len(roots))
	}
}

// Threads take part: work is given away, and done. The search is long enough for a busy machine to wake the second thread.
func TestSplits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.NumCPU()))) // on one core the second thread would come too late
	for _, name := range []string{"pvsplit", "jamboree"} {
		s := newDriver(t, name, 2, DefaultOptions())
		text := ""
		s.Search(context.Background(), board.NewGame(boardtest.Position(t, middleGame)), search.Limits{Depth: 12}, func(i search.Info) { text = i.Text })
		work := s.threads[0].nodes + s.threads[1].nodes
		if s.Messages() == 0 || s.threads[1].nodes == 0 || s.Idle() <= 0 || s.Path() <= 0 || s.Path() >= work || text == "" {
			t.Errorf("%s: %d parts of splits, %d nodes of the second thread of %d, idle %v, path %d, told %q", name, s.Messages(),
				s.threads[1].nodes, work, s.Idle(), s.Path(), text)
		}
	}
	s := newDriver(t, "pvsplit", 1, DefaultOptions())
	if s.threads[0].member != nil || s.Path() != 0 || s.Messages() != 0 || s.Idle() != 0 {
		t.Error("a single thread is a team")
	}
	if c := s.MessageCost(); c <= 0 {
		t.Errorf("a message costs %v", c)
	}
}
