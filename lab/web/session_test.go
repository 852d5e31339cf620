package web

import (
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A tab sets a position, searches, sees all that the page shows, goes on while it searches, and stops.
func TestAnalysis(t *testing.T) {
	d := serve(t, nil)
	id := d.open()
	w := d.watch(id)
	d.want(id, searching(1, "e2e4"))
	until(w, "status", func(s status) bool {
		return s.Serial == 1 && s.State == "searching" && s.Backend == "mock" && s.Search == "bestfirst" && s.Tree && len(s.Notes) > 0
	})
	s := until(w, "snapshot", func(s snapshot) bool { return s.Evals > 1000 })
	if !s.Black || len(s.Lines) != 2 || len(s.Roots) != 20 || len(s.Tree) != treeNodes || s.Batches == nil || s.Rate <= 0 || s.Depth < 5 || s.End != "" {
		t.Errorf("%d lines, %d moves, %d nodes, %+v", len(s.Lines), len(s.Roots), len(s.Tree), s.Batches)
	}
	for _, l := range s.Lines {
		if l.Score == nil || len(l.Moves) == 0 || l.WDL[0]+l.WDL[1]+l.WDL[2] != 1000 {
			t.Errorf("%+v", l)
		}
	}
	for i, n := range s.Tree[1:] {
		if n.SAN == "" || n.UCI == "" || int(n.Parent) > i || n.Black == s.Tree[n.Parent].Black && n.Parent > 0 {
			t.Errorf("node %d: %+v", i+1, n)
		}
	}
	if r := s.Roots[0]; r.N == 0 || r.Prior <= 0 || r.Sigma <= 0 || r.SAN == "" || r.Line[0].UCI != r.UCI {
		t.Errorf("%+v", r)
	}
	d.want(id, searching(2, "e2e4", s.Lines[0].Moves[0].UCI))
	if s := until(w, "snapshot", func(s snapshot) bool { return s.Serial == 2 }); s.Black || s.Tree[0].N <= uint32(s.Evals) {
		t.Errorf("a move on: the root has %d evaluations after %d: the tree was not kept", s.Tree[0].N, s.Evals)
	}
	d.want(id, searching(3, "e2e4"))
	if back := until(w, "snapshot", func(s snapshot) bool { return s.Serial == 3 }); back.Tree[0].N <= uint32(back.Evals)+uint32(s.Evals)/2 {
		t.Errorf("a move back: the root has %d evaluations, %d before and %d new: the tree was not kept", back.Tree[0].N, s.Evals, back.Evals)
	}
	stop := searching(3, "e2e4")
	stop.Run = false
	d.want(id, stop)
	if end := until(w, "done", func(e done) bool { return e.Serial == 3 }); end.End != "stopped" || end.Best == "" || end.SAN == "" || end.Score == nil || end.Error != "" {
		t.Errorf("%+v", end)
	}
	until(w, "status", func(s status) bool { return s.State == "idle" })
}

// Every reason for which a search ends reaches the page, by each kind of searcher; and errors do.
func TestEnds(t *testing.T) {
	d := serve(t, nil)
	id := d.open()
	w := d.watch(id)
	mate, lost := "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"
	serial := int64(0)
	for _, c := range []struct {
		change func(*wish)
		end    string
	}{
		{func(w *wish) { w.Limits.Evals = 500 }, "limit of evaluations"},
		{func(w *wish) { w.Limits.Depth = 4 }, "limit of depth"},
		{func(w *wish) { w.Limits.MoveTime = 20 }, "out of time"},
		{func(w *wish) { w.Limits.MoveTime, w.Limits.Lines, w.Game.Start = 9000, 1, mate }, "proven"},
		{func(w *wish) {
			w.Limits.Clock, w.Limits.Time, w.Game.Start = true, [2]int64{10000, 10000}, "7k/8/8/8/8/8/r7/K7 w - - 0 1"
		}, "satisfied"},
		{func(w *wish) { w.Game.Start, w.Limits.Evals = lost, 10 }, "failed"},
		{func(w *wish) { w.Limits.Evals, w.Options["Search"] = 500, "puct" }, "limit of evaluations"},
		{func(w *wish) { w.Limits.Depth, w.Options["Search"] = 3, "lazysmp" }, "limit"},
	} {
		serial++
		want := searching(serial)
		c.change(&want)
		d.want(id, want)
		end := until(w, "done", func(e done) bool { return e.Serial == serial })
		if end.End != c.end || (end.Error != "") != (c.end == "failed") || (end.Best == "") != (c.end == "failed") {
			t.Errorf("%+v: %+v, want %q", want, end, c.end)
		}
	}
}

// An alpha-beta search shows the lines that it has.
func TestLineView(t *testing.T) {
	d := serve(t, nil)
	id := d.open()
	w := d.watch(id)
	want := searching(1)
	want.Options["Search"] = "lazysmp"
	d.want(id, want)
	s := until(w, "snapshot", func(s snapshot) bool { return s.Depth >= 4 && len(s.Lines) == 2 })
	if s.Tree != nil || s.Batches != nil || s.Evals == 0 || s.Lines[0].Moves[0] == s.Lines[1].Moves[0] {
		t.Errorf("%+v", s)
	}
}

// A closed tab ends its search; one that is loaded again in time finds it going on.
func TestClosedTab(t *testing.T) {
	d := serve(t, func(c *Config) { c.Grace = 150 * time.Millisecond })
	id := d.open()
	w := d.watch(id)
	d.want(id, searching(7))
	before := until(w, "snapshot", func(s snapshot) bool { return s.Evals > 0 })
	w.close()
	again := d.watch(id)
	d.want(id, searching(7)) // the tab says again what it wants, and the search is not begun anew
	after := until(again, "snapshot", func(s snapshot) bool { return s.Serial == 7 })
	if later := until(again, "snapshot", func(s snapshot) bool { return s.Evals > after.Evals }); after.Evals < before.Evals || later.MS < after.MS {
		t.Errorf("%d evaluations before the reload, %d and %d after it", before.Evals, after.Evals, later.Evals)
	}
	again.close()
	wait(t, "the session ends", func() bool { return d.sessions.count() == 0 })
	if status, _, _ := d.do("GET", "/api/session/"+id+"/events", "", nil); status != http.StatusNotFound {
		t.Errorf("the stream of an ended session: %d", status)
	}
	d.open() // a session whose tab never opens its stream
	wait(t, "the session ends", func() bool { return d.sessions.count() == 0 })
}

// There are no more sessions than the limit. One whose tab is gone makes room; where none is, more are refused.
func TestSessionLimit(t *testing.T) {
	d := serve(t, func(c *Config) { c.Sessions = 2 })
	first, second := d.open(), d.open()
	w := d.watch(second)
	third := d.open()
	if _, err := d.sessions.get(first); err == nil {
		t.Error("the session without a tab has not made room")
	}
	d.watch(third)
	if status, text, _ := d.do("POST", "/api/session", `{}`, nil); status != http.StatusServiceUnavailable || !strings.Contains(text, "close a tab") {
		t.Errorf("%d %s", status, text)
	}
	if status, text, _ := d.do("DELETE", "/api/session/"+second, "", nil); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}
	for w.lines.Scan() { // to the end of the stream
	}
	d.open()
}

// A hundred sessions that searched leave no goroutine behind, nor does the server.
func TestNothingIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	d := serve(t, func(c *Config) { // bestfirst takes longer to make
		c.Grace, c.Settings.Search, c.Settings.TreeMemory = 200*time.Millisecond, "puct", 1
	})
	for i := range 100 {
		id := d.open()
		w := d.watch(id)
		if i%4 < 2 {
			d.want(id, searching(1))
		}
		if i%20 == 0 {
			until(w, "status", func(s status) bool { return s.State == "searching" })
		}
		if i%2 == 0 {
			d.do("DELETE", "/api/session/"+id, "", nil)
		}
		w.close()
	}
	if open := d.sessions.count(); open > d.cfg.Sessions {
		t.Errorf("%d sessions are open", open)
	}
	d.close()
	wait(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before+1 })
}

// The server ends with open streams and searches.
func TestEndsWithTabs(t *testing.T) {
	d := serve(t, nil)
	id := d.open()
	w := d.watch(id)
	d.want(id, searching(1))
	until(w, "snapshot", func(snapshot) bool { return true })
	began := time.Now()
	d.close()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the end took %v", took)
	}
	for w.lines.Scan() {
	}
}

// The choices name all searchers and the backends of this machine, and a page may choose each of them.
func TestOptions(t *testing.T) {
	d := serve(t, nil)
	status, text, _ := d.do("GET", "/api/options", "", nil)
	if status != http.StatusOK || !strings.Contains(text, `{"name":"puct","tree":true}`) || !strings.Contains(text, `"backend":"mock"`) || strings.Contains(text, `"remote"`) {
		t.Errorf("%d %s", status, text)
	}
	if remote := d.cfg.Settings; slices.Contains(backends(remote), "remote") {
		t.Error("a page may choose a server that nobody named")
	}
	remote := d.cfg.Settings
	remote.Backend = "remote"
	if !slices.Contains(backends(remote), "remote") {
		t.Error("a page may not choose the server that the command line names")
	}
}

// A search of limited strength has one thread, and its status says so.
func TestThreadsAtLimitedStrength(t *testing.T) {
	d := serve(t, func(c *Config) { c.Settings.Threads = 2 })
	id := d.open()
	w := d.watch(id)
	for serial, limited := range []string{"false", "true"} {
		x := searching(int64(serial + 1))
		x.Options["UCI_LimitStrength"] = limited
		d.want(id, x)
		s := until(w, "status", func(s status) bool { return s.Serial == x.Serial && s.State == "searching" })
		if want := 2 - serial; s.Threads != want {
			t.Errorf("UCI_LimitStrength %s: %d threads, want %d", limited, s.Threads, want)
		}
	}
}
