package treesearch

import (
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
	if !l.rooted() {
		return search.Snapshot{}, false
	}
	return l.snapshot(nodes), true
}

// show makes a snapshot for the watcher, if it is time for one or the search has ended.
func (l *Loop) show(end search.End) {
	w := &l.watch
	if w.tell == nil || !l.rooted() {
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
	s := search.Snapshot{End: l.why}
	l.tree.Snapshot(nodes, &s)
	l.behind(s.Roots)
	for i := range min(len(l.tree.RootMoves()), l.MultiPV()) {
		s.Lines = append(s.Lines, l.info(i, i+1))
	}
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
