package treesearch

import (
	"math"
	"time"

	"tesla/batcher"
	"tesla/search"
)

// showEvery is the shortest time between two snapshots. One takes less than a thousandth of that.
const showEvery = 200 * time.Millisecond

// watch is who watches the search.
type watch struct {
	tell func(search.Snapshot) // nil: nobody

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

// Watch has snapshots told while the next searches run, between batches; nil ends that.
func (l *Loop) Watch(tell func(search.Snapshot)) { l.watch.tell = tell }

// Snapshot is the search as it stands between searches, without its tree; false where there is no root.
func (l *Loop) Snapshot() (search.Snapshot, bool) {
	if !l.rooted() {
		return search.Snapshot{}, false
	}
	return l.snapshot(), true
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
	s := l.snapshot()
	s.Batches = l.measure(now)
	w.tell(s)
}

// snapshot is the search as it stands, without its tree.
func (l *Loop) snapshot() search.Snapshot {
	l.look(true)
	roots := l.tree.RootMoves(math.MaxInt)
	s := search.Snapshot{End: l.why, Nodes: l.tree.State().Nodes, Roots: make([]search.RootMove, len(roots))}
	for i := range roots {
		s.Roots[i] = roots[i].RootMove
		if i < l.MultiPV() {
			s.Lines = append(s.Lines, l.info(&roots[i], i+1))
		}
	}
	l.behind(s.Roots)
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
