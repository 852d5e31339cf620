package loop

import (
	"math"
	"testing"

	"tesla/batcher"
	"tesla/leaves"
)

// device is a backend that says what a batch costs beside its items.
type device struct {
	batcher.Backend
	free int
}

func (d device) Info() batcher.Info {
	info := d.Backend.Info()
	info.Free, info.Batch = d.free, info.MaxBatch
	return info
}

// A batch has the size at which what speed gains, and what is in flight loses, are worth most.
func TestRoom(t *testing.T) {
	for _, free := range []int{1, 4, 60, 300} {
		b := device{batcher.NewMock(batcher.Options{MaxBatch: 1024}), free}
		var l Loop
		if err := l.Init("test", b, 0, nil, Hooks{Policy: leaves.NewPolicy(1)}); err != nil {
			t.Fatal(err)
		}
		for _, tree := range []uint32{1, 30, 800, 3200, 12800, 100000} {
			best, most := 1, math.Inf(-1)
			for n := 1; n <= 1024; n++ {
				in := float64(n*l.depth) / float64(tree)
				if worth := 80*math.Log2(float64(n)/float64(n+free)) - 800*in; worth > most {
					best, most = n, worth
				}
			}
			if room := l.Room(tree); room > best || room < best-1 {
				t.Errorf("a batch costs as much as %d items, tree of %d: %d leaves, want %d", free, tree, room, best)
			}
		}
		l.Close()
	}
}
