package memory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Random calls of Take and Give: no element is taken twice, and all of them can be taken.
func TestArena(t *testing.T) {
	const n = 50
	a, err := NewArena[int](n)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Free()
	random := rand.New(rand.NewPCG(1, 1))
	taken := map[uint32]bool{}
	for range 5000 {
		if random.IntN(2) == 0 {
			i := a.Take()
			if i == 0 != (len(taken) == n-1) || taken[i] || int(i) >= n {
				t.Fatalf("%d taken of %d", i, len(taken))
			}
			if i != 0 {
				taken[i] = true
			}
		} else {
			for i := range taken {
				a.Give(i)
				delete(taken, i)
				break
			}
		}
		if a.Used() != len(taken) {
			t.Fatalf("%d used, want %d", a.Used(), len(taken))
		}
	}
	a.Clear()
	head := uint32(0)
	for range n - 1 {
		i := a.Take()
		a.Next[i], head = head, i
	}
	if a.Take() != 0 {
		t.Error("more than there are")
	}
	if a.GiveAll(head); a.Used() != 0 || a.Top() != n {
		t.Errorf("%d used, top %d", a.Used(), a.Top())
	}
}

// The element that was given back last is taken next, and its contents are stale.
func TestArenaOrder(t *testing.T) {
	a, err := NewArena[uint64](10)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Free()
	first, second := a.Take(), a.Take()
	a.Items[first] = 77
	a.Give(second)
	a.Give(first)
	if got := a.Take(); got != first || a.Items[got] != 77 {
		t.Errorf("element %d with %d, want %d with 77", got, a.Items[got], first)
	}
	if got := a.Take(); got != second || a.Used() != 2 || a.Top() != 3 {
		t.Errorf("element %d, %d used, top %d, want %d, 2, 3", got, a.Used(), a.Top(), second)
	}
}

// An arena that no memory holds is an error, and what was mapped for it is given back.
func TestArenaTooLarge(t *testing.T) {
	if a, err := NewArena[uint64](math.MaxInt64); err == nil || a.Items != nil {
		t.Errorf("%d elements, %v", len(a.Items), err)
	}
	a, err := NewArena[byte](4)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Free(); err != nil || a.Items != nil || a.Take() != 0 {
		t.Errorf("an arena that was freed has %d elements, %v", len(a.Items), err)
	}
}
