package treesearch

import (
	"math/rand/v2"
	"testing"

	"tesla/search"
)

// The index finds what a map would find, through many deletions.
func TestIndex(t *testing.T) {
	type position struct {
		key uint64
		ply uint16
	}
	var nodes [2000]position
	x, err := NewIndex(len(nodes), func(i uint32) (uint64, uint16) { return nodes[i].key, nodes[i].ply })
	if err != nil {
		t.Fatal(err)
	}
	defer x.Free()
	r := rand.New(rand.NewPCG(1, 2))
	known := map[uint64]uint32{}
	free := make([]uint32, 0, len(nodes))
	for i := 1; i < len(nodes); i++ {
		free = append(free, uint32(i))
	}
	for range 100000 {
		key := uint64(r.IntN(3000)) << 40 // crowded
		ply := uint16(key >> 41 & 3)
		if i := x.Find(key, ply); i != known[key] {
			t.Fatalf("%x: node %d, want %d", key, i, known[key])
		} else if i != 0 {
			x.Leave(i)
			free = append(free, i)
			delete(known, key)
		} else if last := len(free) - 1; last >= 0 {
			i, free = free[last], free[:last]
			nodes[i] = position{key, ply}
			x.Enter(i)
			known[key] = i
		}
	}
	if len(known) < 500 {
		t.Errorf("%d nodes known", len(known))
	}
	if x.Clear(); x.Find(0, 0) != 0 {
		t.Error("a node is known after all were cleared")
	}
}

// A mate counts where it comes before the fifty moves.
func TestInTime(t *testing.T) {
	for _, c := range []struct {
		cp    int
		clock uint8
		want  bool
	}{{0, 200, true}, {search.MateScore - 5, 95, true}, {search.MateScore - 5, 96, false}, {4 - search.MateScore, 96, true}, {4 - search.MateScore, 97, false},
		{search.TableScore - 5, 95, true}, {search.TableScore - 5, 96, false}} {
		if InTime(c.cp, c.clock) != c.want {
			t.Errorf("%+v", c)
		}
	}
}
