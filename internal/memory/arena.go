package memory

import "errors"

// Arena allocates elements of one mapping. An element is named by its index, from 1 on; 0 names no element. Free
// elements form a list, last in, first out (Knuth, The Art of Computer Programming 1, 2.2.3), so Take and Give take
// constant time. An Arena belongs to one goroutine.
type Arena[T any] struct {
	Items []T
	Next  []uint32 // of a taken element: a link for the caller; of a free one: the next free element
	free  uint32   // the first free element
	top   uint32   // elements from this one on were never taken
	used  int
	maps  [2]Mapping
}

// ArenaLink is the number of bytes that an arena needs for each element besides the element itself.
const ArenaLink = 4

// NewArena makes an arena for n-1 elements: index 0 names none.
func NewArena[T any](n int64) (a Arena[T], err error) {
	var errs [2]error
	a.maps[0], a.Items, errs[0] = Map[T](n)
	a.maps[1], a.Next, errs[1] = Map[uint32](n)
	if err := errors.Join(errs[:]...); err != nil {
		return Arena[T]{}, errors.Join(err, a.Free())
	}
	a.Clear()
	return a, nil
}

// Clear gives all elements back.
func (a *Arena[T]) Clear() { a.free, a.top, a.used = 0, 1, 0 }

// Take takes an element and returns its index, or 0 if none is left. Its contents and its link are stale.
func (a *Arena[T]) Take() uint32 {
	i := a.free
	switch {
	case i != 0:
		a.free = a.Next[i]
	case int(a.top) < len(a.Items):
		i = a.top
		a.top++
	default:
		return 0
	}
	a.used++
	return i
}

// Give gives an element back.
func (a *Arena[T]) Give(i uint32) {
	a.Next[i], a.free = a.free, i
	a.used--
}

// GiveAll gives back an element and all elements that its link leads to.
func (a *Arena[T]) GiveAll(i uint32) {
	for i != 0 {
		next := a.Next[i]
		a.Give(i)
		i = next
	}
}

// Used is the number of elements that are taken.
func (a *Arena[T]) Used() int { return a.used }

// Top is the lowest index that was never taken.
func (a *Arena[T]) Top() uint32 { return a.top }

// Free gives the memory back to the system.
func (a *Arena[T]) Free() error {
	err := errors.Join(a.maps[0].Free(), a.maps[1].Free())
	*a = Arena[T]{}
	return err
}
