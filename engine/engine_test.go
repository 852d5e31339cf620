package engine

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/models/eut"
	"tesla/models/netfile"
	"tesla/search"
)

// A backend that does not load gives way under a GUI, and is an error elsewhere.
func TestBackendMissing(t *testing.T) {
	set := Default()
	set.Backend, set.WeightsFile = "nnue", filepath.Join(t.TempDir(), "none.tesla")
	for _, fallback := range []bool{true, false} {
		e := New()
		if fallback {
			e = NewFallback()
		}
		_, notes, err := e.Open(set, false)
		if said := strings.Join(notes, "\n"); fallback && (err != nil || !strings.Contains(said, "none.tesla") || !strings.Contains(said, "embedded net")) {
			t.Errorf("%v, %q", err, notes)
		}
		if !fallback && (err == nil || !strings.Contains(err.Error(), "none.tesla")) {
			t.Error(err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A net whose outputs are not numbers does not end a game: another backend takes over, the tree is kept, and a notice says so.
func TestBackendFails(t *testing.T) {
	if b, _, _, err := openBackend(source{name: "cpu"}); err == nil {
		b.Close()
	} else if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
		t.Fatal(err)
	} else {
		t.Skip(err)
	}
	data, err := os.ReadFile("../models/eut-s.tesla")
	if err != nil {
		t.Fatal(err)
	}
	net, err := eut.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	graph := bytes.Index(data, net.Graph)
	for i := range 64 { // somewhere in the weights
		data[graph+len(net.Graph)/2+i] = 0xff
	}
	copy(data[len(data)-len(netfile.Sum(data)):], netfile.Sum(data))
	set := Default()
	set.Backend, set.Threads, set.WeightsFile = "cpu", 1, filepath.Join(t.TempDir(), "nan.tesla")
	if err := os.WriteFile(set.WeightsFile, data, 0o600); err != nil {
		t.Fatal(err)
	}
	e := NewFallback()
	defer e.Close()
	s, _, err := e.Open(set, true) // to measure would find the fault
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{Evals: 300}, nil)
	if err != nil || r.Info.Evals != 300 || r.Best == board.NullMove {
		t.Errorf("%v, %+v", err, r)
	}
	select {
	case n := <-e.Notices():
		if !strings.Contains(n, "nnue takes over") || strings.Count(n, "backend cpu") != 1 {
			t.Error(n)
		}
	default:
		t.Error("no notice tells of the fault")
	}
}

// faltering is a backend whose first batch fails.
type faltering struct {
	batcher.Backend
	failed bool
}

func (f *faltering) Info() batcher.Info {
	info := f.Backend.Info()
	info.Name = "faltering"
	return info
}

func (f *faltering) Evaluate(items []*batcher.Item) error {
	if !f.failed {
		f.failed = true
		return errors.New("no kernel")
	}
	return f.Backend.Evaluate(items)
}

// Once a backend answers again, the values of the net that took over do not answer for it.
func TestSpareIsForgotten(t *testing.T) {
	e, own := NewFallback(), batcher.NewMock(batcher.Options{})
	b := opened{Backend: &faltering{Backend: own}}
	e.decorate(&b, source{threads: 1, batch: 1})
	defer b.Close()
	var q [3]float32
	for i, from := range []batcher.Backend{b, b, own} {
		if i == 1 {
			time.Sleep(1100 * time.Millisecond) // until the guard tries again
		}
		it := new(batcher.Item)
		it.Position = board.StartPosition()
		it.Moves = it.Position.LegalMoves(nil)
		if err := from.Evaluate([]*batcher.Item{it}); err != nil {
			t.Fatal(err)
		}
		q[i] = it.Eval.Q
	}
	if q[0] == q[2] || q[1] != q[2] {
		t.Errorf("%v of the spare, then %v; the backend itself says %v", q[0], q[1], q[2])
	}
}

// A backend that is opened anew leaves nothing of the one before: the heap that the process holds does not grow.
func TestReopenGivesBack(t *testing.T) {
	set := Default()
	set.Backend, set.Hash, set.TreeMemory = "nnue", 1, 16
	e := NewFallback()
	defer e.Close()
	held := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapSys - m.HeapReleased)
	}
	var first int64
	for i := range 9 {
		set.Threads = 1 + i%2
		s, _, err := e.Open(set, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{Evals: 2}, nil); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = held()
		}
	}
	if last := held(); last > first+2*cacheBytes {
		t.Errorf("%d MiB of heap after eight changes of Threads, %d before", last>>20, first>>20)
	}
}
