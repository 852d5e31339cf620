package treesearch

import (
	"context"
	"slices"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
)

// fakeTree is a Tree of a root alone, whose root moves a test sets. Its search is never over by itself.
type fakeTree struct {
	roots  []RootMove
	root   *Leaf   // of the last search
	depth  int     // 0: there is no root
	asked  []Clock // by TimeUp
	until  time.Duration
	gather func(b *batcher.Batch) bool
	loop   *Loop // that drives it
}

func (f *fakeTree) drivenBy(l *Loop)         { f.loop = l }
func (f *fakeTree) Begin(*board.Game, Since) { f.depth = 0 }
func (f *fakeTree) Expand([]batcher.Item)    { f.depth = max(f.depth, 1) }
func (f *fakeTree) Abandon(...uint32)        {}
func (f *fakeTree) Settle(uint32, int)       {}
func (f *fakeTree) State() State             { return State{Depth: f.depth, Proven: len(f.roots) > 0} }

func (f *fakeTree) RootMoves(int) []RootMove {
	for i := range f.roots {
		f.roots[i].PV = []board.Move{f.roots[i].Move}
	}
	return f.roots
}

// rootMoves are root moves of which nothing else is known.
func rootMoves(of ...search.RootMove) (all []RootMove) {
	for _, m := range of {
		all = append(all, RootMove{RootMove: m})
	}
	return all
}

func (f *fakeTree) Gather(b *batcher.Batch) bool {
	if f.depth == 0 {
		it, p := b.Add(), board.StartPosition()
		it.Ref, f.root = f.loop.TakeLeaf()
		f.root.Root = true
		it.Position, it.Moves = p, p.LegalMoves(it.Moves)
		return true
	}
	return f.gather != nil && f.gather(b)
}

func (f *fakeTree) TimeUp(c Clock) search.End {
	f.asked = append(f.asked, c)
	if c.Spent >= f.until {
		return search.EndTime
	}
	return search.EndUnknown
}

// open makes a loop, on a mock where no backend is given.
func open(t *testing.T, tree Tree, o Options) *Loop {
	t.Helper()
	if o.Backend == nil {
		o.Backend = batcher.NewMock(batcher.Options{})
	}
	o.Name, o.Temperature = "test", 1
	l, err := New(tree, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	tree.(interface{ drivenBy(*Loop) }).drivenBy(l)
	return l
}

// clock is a clock that a test sets.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

// device is a backend that says what a batch costs beside its items.
type device struct {
	batcher.Backend
	free int
}

func (d device) Info() batcher.Info {
	info := d.Backend.Info()
	info.Free, info.Batch, info.Local = d.free, info.MaxBatch, false
	return info
}

// Batches grow with the tree and with what a batch costs beside its items, and are never much of a small tree.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		free int
		tree uint32
		want int
	}{{1, 1, 1}, {1, 800, 3}, {1, 3200, 6}, {1, 25600, 18}, {4, 800, 6}, {4, 3200, 13}, {128, 30, 1}, {128, 300, 14}, {128, 1700, 53}, {128, 100000, 413}} {
		l := open(t, &fakeTree{}, Options{Backend: device{batcher.NewMock(batcher.Options{MaxBatch: 1024}), c.free}})
		if room := l.Room(c.tree); room != c.want {
			t.Errorf("a batch costs as much as %d items, tree of %d: %d leaves, want %d", c.free, c.tree, room, c.want)
		}
	}
}

// No more leaves are pending than a part of the tree, and a limit of evaluations is kept.
func TestRoomPending(t *testing.T) {
	l := open(t, &fakeTree{}, Options{Backend: device{batcher.NewMock(batcher.Options{MaxBatch: 1024}), 1}})
	if l.pending = 1; l.Room(800) == 0 {
		t.Error("no room beside one pending leaf")
	}
	if l.pending = 100; l.Room(800) != 0 {
		t.Error("room beside 100 pending leaves in a tree of 800")
	}
	l.pending = 0
	l.limits, l.evals = search.Limits{Evals: 1000, Nodes: 950}, 948
	if room := l.Room(25600); room != 2 {
		t.Errorf("room for %d leaves, 2 are left of the limit", room)
	}
	if l.Reached(5); l.Spent() || l.selDepth != 5 {
		t.Errorf("spent after %d evaluations of 950, seldepth %d", l.evals, l.selDepth)
	}
	if l.Reached(3); !l.Spent() || l.selDepth != 5 {
		t.Errorf("not spent after %d evaluations of 950, or seldepth %d", l.evals, l.selDepth)
	}
}

// A limit of nodes counts those of deepened leaves, and what pending leaves will take.
func TestRoomNodes(t *testing.T) {
	l := open(t, &fakeTree{}, Options{Backend: device{batcher.NewMock(batcher.Options{MaxBatch: 1024}), 1}})
	l.limits = search.Limits{Nodes: 2000}
	for _, c := range []struct {
		evals, searched int64
		pending, room   int
		spent           bool
	}{
		{evals: 50, searched: 50 * 9, room: 64}, // 150 leaves of 10 nodes are left
		{evals: 180, searched: 180 * 9, room: 20},
		{evals: 190, searched: 180 * 9, pending: 10, room: 10},
		{evals: 200, searched: 180 * 9, pending: 20, room: 0}, // they will spend the limit
		{evals: 199, searched: 199 * 9, room: 1},
		{evals: 199, searched: 199*9 + 5, room: 1}, // 5 nodes are left: one leaf more
		{evals: 200, searched: 200 * 9, spent: true},
	} {
		l.evals, l.searched, l.pending = c.evals, c.searched, c.pending
		if room := min(64, l.Room(1<<20)); room != c.room || l.Spent() != c.spent {
			t.Errorf("%+v: room for %d, spent %t", c, room, l.Spent())
		}
	}
}

// A search goes on from the one before where its game does, forwards or backwards. A game with another count of moves
// without progress is another, though its positions are the same.
func TestBegin(t *testing.T) {
	l := open(t, &fakeTree{}, Options{})
	game := func(halfmove uint8, moves ...string) *board.Game {
		p := board.StartPosition()
		p.Halfmove = halfmove
		return boardtest.Play(t, board.NewGame(p), moves...)
	}
	for i, c := range []struct {
		g           *board.Game
		since, back int
		same        bool
	}{
		{game(0, "g1f3"), 0, 0, false},
		{game(0, "g1f3", "g8f6", "b1c3"), 2, 0, true},
		{game(0, "g1f3"), 0, 2, true},
		{game(0, "b1c3", "g8f6"), 1, 0, false},
		{game(9, "b1c3", "g8f6"), 0, 0, false},
		{game(9, "b1c3", "g8f6"), 0, 0, true},
	} {
		since := l.begin(c.g, search.Limits{}, nil)
		if since.Same != c.same || c.same && (len(since.Played) != c.since || since.Back != c.back) {
			t.Errorf("game %d: %d moves played, %d back, same %t, want %d, %d, %t", i, len(since.Played), since.Back, since.Same, c.since, c.back, c.same)
		}
	}
}

// The clock starts with the first ponderhit, and what was evaluated before does not count as its time's.
func TestPonderHit(t *testing.T) {
	now := &clock{time.Unix(1000, 0)}
	l := open(t, &fakeTree{}, Options{Now: now.Now})
	l.begin(board.NewGame(board.StartPosition()), search.Limits{Ponder: true, MoveTime: time.Minute}, nil)
	l.evals = 1000
	now.pass(time.Hour)
	if l.counts() {
		t.Error("the clock counts while the search ponders")
	}
	l.PonderHit()
	l.over(context.Background())
	l.evals += 30
	now.pass(3 * time.Second)
	if c := l.clock(); !l.counts() || c.Spent != 3*time.Second || c.Rate() != 10 || c.Evals != 1030 {
		t.Errorf("%v after the ponderhit: %v spent, %v evaluations a second, want 10", l.counts(), c.Spent, c.Rate())
	}
	l.PonderHit()
	if l.over(context.Background()); l.clock().Spent != 3*time.Second {
		t.Error("another ponderhit starts the clock again")
	}
}

// Under a clock the tree is asked whether its time is up, and a report comes when the depth changes, or after a second.
func TestClock(t *testing.T) {
	now := &clock{time.Unix(1000, 0)}
	tree := &fakeTree{until: 5 * time.Second}
	l := open(t, tree, Options{Now: now.Now})
	var told []time.Duration
	tree.gather = func(*batcher.Batch) bool { // no leaf, but not idle
		now.pass(400 * time.Millisecond)
		tree.roots = rootMoves(search.RootMove{Move: l.Game().Pos.LegalMoves(nil)[0]})
		if len(tree.asked) == 7 {
			tree.depth++
		}
		return true
	}
	limits := search.Limits{HasClock: true, Time: [2]time.Duration{time.Hour, time.Hour}}
	r, err := l.Search(context.Background(), board.NewGame(board.StartPosition()), limits, func(i search.Info) { told = append(told, i.Time) })
	if err != nil || r.Best != tree.roots[0].Move {
		t.Fatalf("%v, %v", r, err)
	}
	if n := len(tree.asked); n != 13 || tree.asked[n-1].Spent != 5200*time.Millisecond || tree.asked[0].Hard == 0 {
		t.Errorf("asked %d times, the last time after %v", n, tree.asked[n-1].Spent)
	}
	want := []time.Duration{400, 1600, 2800, 3200, 4400, 5200}
	for i := range want {
		want[i] *= time.Millisecond
	}
	if !slices.Equal(told, want) {
		t.Errorf("reports after %v, want %v", told, want)
	}
}

// The hard limit ends a search whatever the tree says, and a fixed time is used: the tree is not asked.
func TestHardLimit(t *testing.T) {
	for _, c := range []struct {
		limits search.Limits
		asked  bool
	}{
		{search.Limits{MoveTime: 3 * time.Second}, false},
		{search.Limits{HasClock: true, Time: [2]time.Duration{time.Minute, time.Minute}}, true},
	} {
		now := &clock{time.Unix(1000, 0)}
		tree := &fakeTree{until: time.Hour}
		l := open(t, tree, Options{Now: now.Now})
		tree.gather = func(*batcher.Batch) bool {
			now.pass(10 * time.Millisecond)
			tree.roots = rootMoves(search.RootMove{Move: l.Game().Pos.LegalMoves(nil)[0]})
			return true
		}
		r, err := l.Search(context.Background(), board.NewGame(board.StartPosition()), c.limits, nil)
		if late := r.Info.Time - l.budget.Hard; err != nil || r.End != search.EndTime || late < 0 || late > 10*time.Millisecond || len(tree.asked) > 0 != c.asked {
			t.Errorf("%+v: %v after %v, the hard limit is %v; asked %d times, %v", c.limits, r.End, r.Info.Time, l.budget.Hard, len(tree.asked), err)
		}
	}
}

// cancelled is a tree whose depth falls when its context ends.
type cancelled struct {
	*fakeTree
	ctx context.Context
}

func (c cancelled) State() State {
	if c.ctx.Err() != nil {
		return State{Depth: 3}
	}
	return State{Depth: 5}
}

// A stop cancels pending evaluations, which count for the depth of the tree; the depth that is reported does not fall.
func TestDepthAtStop(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	tree := cancelled{&fakeTree{}, ctx}
	l := open(t, tree, Options{})
	tree.gather = func(*batcher.Batch) bool {
		tree.roots = rootMoves(search.RootMove{Move: l.Game().Pos.LegalMoves(nil)[0]})
		return true
	}
	var depths []int
	r, err := l.Search(ctx, board.NewGame(board.StartPosition()), search.Limits{Infinite: true}, func(i search.Info) {
		depths = append(depths, i.Depth)
		stop()
	})
	if err != nil || r.Info.Depth != 5 || len(depths) < 1 || slices.Min(depths) != 5 {
		t.Errorf("%v: depth %d after %v", err, r.Info.Depth, depths)
	}
}

// A new root is evaluated before anything else. A root without a move that can be searched ends the search, and so does one
// that the tree does not keep.
func TestEvaluateRoot(t *testing.T) {
	tree := &fakeTree{}
	l := open(t, tree, Options{})
	if _, err := l.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{}, nil); err != nil || tree.depth != 1 || l.sent != 1 {
		t.Errorf("depth %d after %d leaves, %v", tree.depth, l.sent, err)
	}
	l = open(t, forgetful{&fakeTree{}}, Options{})
	if r, err := l.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{}, nil); err == nil || r.End != search.EndFailed {
		t.Errorf("%+v, %v", r, err)
	}
}

// forgetful is a tree that has no memory for its root.
type forgetful struct{ *fakeTree }

func (forgetful) Expand([]batcher.Item) {}

// A loop refuses what no search can be made of.
func TestNew(t *testing.T) {
	mock := batcher.NewMock(batcher.Options{})
	for _, o := range []Options{{Backend: mock}, {Backend: mock, Temperature: -1}, {Backend: mock, Temperature: 1, BatchSize: -1}} {
		if _, err := New(&fakeTree{}, o); err == nil {
			t.Errorf("temperature %v, batch size %d: accepted", o.Temperature, o.BatchSize)
		}
	}
}

// A pool hands out each leaf once, empty.
func TestPool(t *testing.T) {
	p := newPool(3)
	seen := map[uint32]bool{}
	for range 3 {
		ref, l := p.TakeLeaf()
		if seen[ref] || &p.leaves[ref] != l {
			t.Errorf("leaf %d twice, or at another place", ref)
		}
		seen[ref], l.Root, l.Opens, l.Further = true, true, true, 4
	}
	p.GiveLeaf(0, 1)
	if ref, l := p.TakeLeaf(); ref != 1 || l.Root || l.Opens || l.Further != 0 {
		t.Errorf("leaf %d: %t, %t, %d; want an empty one, 1, given back last", ref, l.Root, l.Opens, l.Further)
	}
}

// A root is decided when all of its moves are proven, or the best is a mate and as many are proven as there are PVs.
func TestDecided(t *testing.T) {
	mate, drawn, open := RootMove{RootMove: search.RootMove{Proven: true}, CP: search.MateScore - 3}, rootMoves(search.RootMove{Proven: true})[0], RootMove{}
	for i, c := range []struct {
		roots   []RootMove
		multiPV int
		want    bool
	}{
		{nil, 1, false},
		{[]RootMove{mate, open}, 0, true},
		{[]RootMove{mate, open}, 2, false},
		{[]RootMove{mate, drawn, open}, 2, true},
		{[]RootMove{drawn, open}, 1, false},
		{[]RootMove{drawn, drawn}, 3, true},
		{[]RootMove{open, mate}, 1, false},
	} {
		l := Loop{limits: search.Limits{MultiPV: c.multiPV}, tree: &fakeTree{roots: c.roots}}
		if got := l.decided(); got != c.want {
			t.Errorf("case %d: decided %t, want %t", i, got, c.want)
		}
	}
}

// stuck is a Deepener that searches until it is stopped.
type stuck struct{}

func (stuck) Leaf(_ *board.Position, _ []uint64, _, _ int, stop func() bool) (int, board.Move) {
	for !stop() {
		time.Sleep(time.Millisecond)
	}
	return 0, board.NullMove
}

func (stuck) Work() (int64, int) { return 7, 0 }
func (stuck) Forget()            {}

// A stop, and a clock, end the search of a new root as that of any leaf. The root then has the net's value.
func TestRootIsStopped(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, c := range []struct {
		ctx    context.Context
		limits search.Limits
	}{{stopped, search.Limits{}}, {context.Background(), search.Limits{MoveTime: time.Millisecond}}} {
		tree := &fakeTree{}
		l := open(t, tree, Options{Deepeners: []Deepener{stuck{}}})
		if _, err := l.Search(c.ctx, board.NewGame(board.StartPosition()), c.limits, nil); err != nil || tree.depth == 0 || tree.root.deep || l.searched != 7 {
			t.Errorf("%+v: %v, depth %d, deepened %t, %d nodes", c.limits, err, tree.depth, tree.root.deep, l.searched)
		}
	}
}

// Two leaves may be pending for each deepener, or as many as the options say: those that wait elsewhere count.
func TestMostPending(t *testing.T) {
	for most, want := range map[int]int{0: 4, 2: 2} {
		if l := open(t, &fakeTree{}, Options{Deepeners: []Deepener{stuck{}, stuck{}}, MostPending: most}); l.depth != want {
			t.Errorf("at most %d: %d batches pending, want %d", most, l.depth, want)
		}
	}
}
