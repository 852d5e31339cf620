package treesearch

import (
	"slices"
	"time"

	"tesla/batcher"
	"tesla/search"
)

// showEvery is the shortest time between two snapshots. One takes less than a thousandth of that.
const showEvery = 200 * time.Millisecond

// watch is who watches the search.
type watch struct {
	nodes int
	tell  func(search.Snapshot) // nil: nobody

	// when the last snapshot was made, or the search began
	at    time.Time
	stats batcher.Stats
	evals int64
	done  int64 // leaves
	ahead int64 // prefetched leaves

	candidates candidates      // memory that the snapshots use one after the other
	seen       map[uint32]bool // as candidates
}

// begin is called at the beginning of a search.
func (w *watch) begin(stats batcher.Stats, at time.Time) {
	w.at, w.stats, w.evals, w.done, w.ahead = at, stats, 0, 0, 0
}

// Watch implements search.Watcher.
func (l *Loop) Watch(nodes int, tell func(search.Snapshot)) {
	l.watch.nodes, l.watch.tell = nodes, tell
}

// Snapshot implements search.Watcher.
func (l *Loop) Snapshot(nodes int) (search.Snapshot, bool) {
	if !l.tree.Rooted() {
		return search.Snapshot{}, false
	}
	return l.snapshot(nodes), true
}

// show makes a snapshot for the watcher, if it is time for one or the search has ended.
func (l *Loop) show(end search.End) {
	w := &l.watch
	if w.tell == nil || !l.tree.Rooted() {
		return
	}
	now := l.opts.Now()
	if end == search.EndUnknown && now.Sub(w.at) < showEvery {
		return
	}
	if end != search.EndUnknown { // the last one tells of the whole search
		w.begin(l.waited, l.started)
	}
	s := l.snapshot(w.nodes)
	s.Batches = l.measure(now)
	w.tell(s)
}

// snapshot is the search as it stands, with at most a number of nodes.
func (l *Loop) snapshot(nodes int) search.Snapshot {
	s := search.Snapshot{End: l.why, Nodes: l.tree.Size(), Roots: l.tree.MoveStats()}
	slices.Reverse(s.Roots)
	for i := range s.Roots {
		s.Roots[i].PV = l.tree.PV(s.Roots[i].Move)
	}
	for i := range min(len(l.tree.RootMoves()), l.MultiPV()) {
		s.Lines = append(s.Lines, l.info(i, i+1))
	}
	s.Tree = l.grow(nodes)
	return s
}

// measure is the evaluation side since the snapshot before.
func (l *Loop) measure(now time.Time) search.Batches {
	w := &l.watch
	stats, done := l.pipeline.Stats(), l.sent-int64(l.pending)
	since, elapsed := stats.Since(w.stats), max(1e-9, now.Sub(w.at).Seconds())
	batches := max(1, float64(since.Batches))
	b := search.Batches{Count: since.Batches, Size: l.batch, Mean: min(float64(l.batch), float64(done-w.done)/batches), Prefetched: float64(l.prefetched-w.ahead) / batches,
		Rate: float64(l.evals-w.evals) / elapsed, Net: float64(since.Items) / elapsed, Idle: since.NetIdle(), Promoting: since.Used(),
		Queue: time.Duration(float64(since.Queue) / batches)}
	w.at, w.stats, w.evals, w.done, w.ahead = now, stats, l.evals, done, l.prefetched
	return b
}

// candidate is an edge that may join a snapshot. Its parent is in it already.
type candidate struct {
	evals  uint32
	node   uint32 // that it leaves
	parent int32  // in the snapshot
	slot   uint8
}

// candidates is a heap of edges, the one with the most evaluations first; of equal ones, the one whose parent came first.
type candidates []candidate

func (t candidates) less(i, k int) bool {
	a, b := &t[i], &t[k]
	switch {
	case a.evals != b.evals:
		return a.evals > b.evals
	case a.parent != b.parent:
		return a.parent < b.parent
	}
	return a.slot < b.slot
}

// push adds an edge.
func (t *candidates) push(x candidate) {
	h := append(*t, x)
	*t = h
	for i := len(h) - 1; i > 0 && h.less(i, (i-1)/2); i = (i - 1) / 2 {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
	}
}

// pop takes the first edge.
func (t *candidates) pop() candidate {
	h := *t
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*t = h
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h.less(child, least) {
				least = child
			}
		}
		if least == i {
			return first
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

// grow lists the edges with the most evaluations, at most a number of them: it takes the best edge that leaves the nodes
// it has, again and again. The replies to a node of several lines follow the first edge that leads there.
func (l *Loop) grow(most int) []search.TreeNode {
	w := &l.watch
	root, at := l.tree.SnapshotRoot()
	root.Parent = -1
	all := append(make([]search.TreeNode, 0, min(most, 256)), root)
	if w.seen == nil {
		w.seen = map[uint32]bool{}
	}
	clear(w.seen)
	w.seen[at] = true
	w.candidates = w.candidates[:0]
	parent := int32(0)
	add := func(slot int, evals uint32) { w.candidates.push(candidate{evals, at, parent, uint8(slot)}) }
	l.tree.Replies(at, add)
	for len(all) < most && len(w.candidates) > 0 {
		t := w.candidates.pop()
		n, child := l.tree.SnapshotEdge(t.node, int(t.slot))
		n.Parent, n.Again = t.parent, child != 0 && w.seen[child]
		all = append(all, n)
		if child == 0 || n.Again {
			continue
		}
		w.seen[child] = true
		at, parent = child, int32(len(all)-1)
		l.tree.Replies(at, add)
	}
	return all
}
