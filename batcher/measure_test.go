package batcher

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestMeasure(t *testing.T) {
	rows, err := Measure(NewMock(Options{}), []int{1, 16}, 5*time.Millisecond, nil)
	if err != nil || len(rows) != 2 || rows[1].EPSMean <= 0 || rows[1].EPSMedian <= 0 || rows[1].MSFirst <= 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if got := Recommend([]Row{{Batch: 1, EPSMedian: 10}, {Batch: 8, EPSMedian: 96}, {Batch: 16, EPSMedian: 100}}); got.Batch != 8 {
		t.Errorf("batches of %d, want 8", got.Batch)
	}
	for each, free := range map[float64]int{0: 256, 1: 40, 40: leastBatch, -1: 256} { // ms an item; a batch takes 40 more
		var rows []Row
		for n := 4; n <= 256; n *= 2 {
			rows = append(rows, Row{Batch: n, EPSMedian: 1000 * float64(n) / max(1, 40+each*float64(n))})
		}
		if got := freeOf(rows); got != free {
			t.Errorf("%v ms each, 40 a batch: %d are free, want %d", each, got, free)
		}
	}
	if _, err := Measure(NewMock(Options{MaxBatch: 8}), []int{9}, 0, nil); err == nil {
		t.Error("a size above MaxBatch is accepted")
	}
}

// meeting is a backend of three streams whose net runs only when three batches run at a time.
type meeting struct {
	gated
	inside   atomic.Int32
	third    sync.Once
	together chan bool // closed by the third
}

func (m *meeting) RunRaw([]*Item) error {
	if m.inside.Add(1) == 3 {
		m.third.Do(func() { close(m.together) })
	}
	defer m.inside.Add(-1)
	select {
	case <-m.together:
		return nil
	case <-time.After(time.Minute):
		return errors.New("nobody else runs the net")
	}
}

// The net alone is measured with as many callers as a search has.
func TestRawRate(t *testing.T) {
	m := &meeting{gated: gated{Backend: NewMock(Options{})}, together: make(chan bool)}
	if rate, err := RawRate(m, 2, time.Millisecond); err != nil || rate <= 0 {
		t.Errorf("%v a second, %v", rate, err)
	}
}
