package memory

import (
	"math/rand/v2"
	"testing"
)

// What is taken is taken once, and all of it can be.
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
