package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tesla/board"
	"tesla/engine"
	"tesla/search"
	"tesla/search/sure"
)

// worker is the goroutine that searches for a session: it alone uses the session's engine.
type worker struct {
	session *session
	orders  chan order // the newest one, where it has not been begun

	mu     sync.Mutex
	cancel context.CancelFunc // of the search that runs

	// of the goroutine
	engine   *engine.Engine
	searcher *engine.Searcher // nil: none is open
	settings engine.Settings  // that it was made with
	notes    []string         // of its making
}

// take replaces what the worker does. It does not block.
func (w *worker) take(o order) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select { // a waiting order is not needed any more
	case before := <-w.orders:
		o.forget = o.forget || before.forget
	default:
	}
	w.orders <- o
	if w.cancel != nil {
		w.cancel()
	}
}

// run obeys orders until ctx ends, and then closes the engine.
func (w *worker) run(ctx context.Context) {
	w.engine = engine.New()
	defer func() {
		_ = w.engine.Close() // nobody is left to be told
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-w.orders:
			w.obey(ctx, o)
		}
	}
}

// status is what the worker does.
type status struct {
	Serial  int64    `json:"serial"`
	State   string   `json:"state"` // idle, loading, searching
	Search  string   `json:"search,omitempty"`
	Backend string   `json:"backend,omitempty"`
	Net     string   `json:"net,omitempty"`
	Threads int      `json:"threads,omitempty"`
	Tree    bool     `json:"tree"`  // the searcher has one that can be shown
	Local   bool     `json:"local"` // the searcher evaluates itself: there is no device that could be idle
	Notes   []string `json:"notes,omitempty"`
}

func (w *worker) tell(o *order, state string) {
	s := status{Serial: o.serial, State: state, Notes: slices.Clone(w.notes)}
	if w.searcher != nil {
		info := w.searcher.Backend()
		s.Search, s.Backend, s.Net, s.Threads = w.searcher.Name(), info.Name, info.ModelName, w.settings.Limited().Threads
		s.Tree, s.Local = engine.HasTree(w.searcher.Name()), info.Local
	}
	w.session.publish("status", func() any { return s })
}

// done is the end of a search.
type done struct {
	Serial int64  `json:"serial"`
	Best   string `json:"best,omitempty"` // UCI
	SAN    string `json:"san,omitempty"`
	Score  *score `json:"score,omitempty"` // for the side to move
	End    string `json:"end"`             // why, see search.End
	MS     int64  `json:"ms"`
	Error  string `json:"error,omitempty"`
}

func (w *worker) obey(ctx context.Context, o order) {
	if !o.run {
		w.tell(&o, "idle")
		return
	}
	if ctx.Err() != nil {
		return
	}
	end := done{Serial: o.serial}
	if err := w.open(&o); err != nil {
		end.End, end.Error = search.EndFailed.String(), err.Error()
	} else {
		w.tell(&o, "searching")
		end = w.search(ctx, &o)
	}
	w.session.publish("done", func() any { return end })
	w.tell(&o, "idle")
}

// open makes the searcher that the order asks for, unless it is there.
func (w *worker) open(o *order) (err error) {
	defer recovered(&err)
	if w.searcher != nil && w.settings == o.settings {
		return nil
	}
	w.notes = nil
	w.tell(o, "loading")
	s, notes, err := w.engine.Open(o.settings, false)
	w.notes = notes
	if err != nil {
		return err
	}
	w.searcher, w.settings = s, o.settings
	return nil
}

// recovered makes an error of a panic: what fails in one tab must not end the others.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v", r)
	}
}

// search searches until the limits, another order or ctx end it.
func (w *worker) search(ctx context.Context, o *order) (end done) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.mu.Lock()
	if len(w.orders) > 0 { // another one came while the net was loaded
		cancel()
	}
	w.cancel = cancel
	w.mu.Unlock()
	began := time.Now()
	result, err := w.searched(ctx, o)
	end = done{Serial: o.serial, End: result.End.String(), MS: time.Since(began).Milliseconds()}
	if result.End == search.EndUnknown {
		if end.End = "limit"; ctx.Err() != nil {
			end.End = search.EndStopped.String()
		}
	}
	if err != nil {
		end.End, end.Error = search.EndFailed.String(), err.Error()
		w.searcher = nil // it is made anew
	}
	if result.Best != board.NullMove && o.game.Pos.IsLegal(result.Best) {
		m := moveOf(&o.game.Pos, result.Best, notation(&o.game.Start))
		end.Best, end.SAN, end.Score = m.UCI, m.SAN, scoreOf(result.Info.Shown())
	}
	return end
}

// searched runs the searcher and publishes what it shows.
func (w *worker) searched(ctx context.Context, o *order) (result search.Result, err error) {
	defer recovered(&err)
	if o.forget {
		w.searcher.NewGame()
	}
	if outcome := o.game.Outcome(); !o.game.Pos.HasLegalMove() {
		return result, errors.New("the game is over: " + outcome.String())
	}
	watcher, ok := search.As[search.Watcher](w.searcher)
	if !ok {
		return w.searcher.Search(ctx, o.game, o.limits, (&lineView{session: w.session, order: o}).report)
	}
	var watch sure.Watch
	see := func(in search.Info) {
		if in.Text == "" && len(in.Roots) == 0 && in.MultiPV <= 1 {
			watch.See(&in)
		}
	}
	show := func(in search.Snapshot) {
		var stated *sureness
		if len(in.Lines) > 0 {
			see(in.Lines[0])
			stated = sureOf(&in.Lines[0], &watch)
		}
		w.session.publish("snapshot", func() any { return viewOf(&in, o, stated) })
	}
	watcher.Watch(treeNodes, show)
	defer watcher.Watch(0, nil)
	return w.searcher.Search(ctx, o.game, o.limits, see)
}
