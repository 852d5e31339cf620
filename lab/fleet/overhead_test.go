package fleet

import (
	"os"
	"testing"
	"time"
)

// Two local workers play at least 0.97 times as many games a minute as one process with two slots. The players wait and do
// not compute, so that only what the fleet adds is measured: games of half a second, far shorter than any real one.
func TestOverhead(t *testing.T) {
	if os.Getenv("TESLA_LONG") == "" {
		t.Skip("TESLA_LONG is not set")
	}
	const count = 240
	alone := game(t, count)
	alone.InProcess.Searcher, alone.Machine.Concurrency, alone.Machine.Oversubscribe = slowly(25*time.Millisecond), 2, true
	began := time.Now()
	play(t, alone)
	one := time.Since(began)
	at := serve(t, "")
	for _, name := range []string{"one", "two"} {
		w := workerAt(t, at, name)
		w.Beat, w.InProcess.Searcher = Beat, alone.InProcess.Searcher
		start(t, w)
	}
	c := fleetOf(game(t, count), at)
	c.Distributor.(*Host).Beat = Beat
	began = time.Now()
	play(t, c)
	both := time.Since(began)
	t.Logf("one process %.1f games a minute, two workers %.1f: %.3f times as many", count/one.Minutes(), count/both.Minutes(), one.Seconds()/both.Seconds())
	if one.Seconds()/both.Seconds() < 0.97 {
		t.Error("want 0.97")
	}
	same(t, games(t, c.Files.Journal), games(t, alone.Files.Journal))
}
