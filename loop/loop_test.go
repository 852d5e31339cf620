package loop

import (
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

// Batches grow with the tree and with what a batch costs beside its items, and are never much of a small tree.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		free int
		tree uint32
		want int
	}{{1, 1, 1}, {1, 800, 3}, {1, 3200, 6}, {1, 25600, 18}, {4, 800, 6}, {4, 3200, 13}, {128, 30, 1}, {128, 300, 14}, {128, 1700, 53}, {128, 100000, 413}} {
		var l Loop
		if err := l.Init("test", device{batcher.NewMock(batcher.Options{MaxBatch: 1024}), c.free}, 0, nil, Hooks{Policy: leaves.NewPolicy(1)}); err != nil {
			t.Fatal(err)
		}
		if room := l.Room(c.tree); room != c.want {
			t.Errorf("a batch costs as much as %d items, tree of %d: %d leaves, want %d", c.free, c.tree, room, c.want)
		}
		l.Close()
	}
}
