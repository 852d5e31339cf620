package memory

import "errors"

// Arena hands out elements of one mapping by their index, from 1 on; 0 is none. Elements that are given back are the next to
// be taken. It belongs to one goroutine.
type Arena[T any] struct {
	Items []T
	Next  []uint32 // the caller's link from an element that is taken to another; of a free one, the next free one
	free  uint32   // the first free one
	top   uint32   // elements from here on were never taken
	used  int
	maps  [2]Mapping
}

// ArenaLink is the bytes that an arena needs for each element beside the element.
const ArenaLink = 4

// NewArena makes an arena of n elements, of which 0 is none.
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
func (a *Arena[T]) Clear() { a.ClearFrom(1) }

// ClearFrom gives all elements back; those before first, at least 1, are never taken.
func (a *Arena[T]) ClearFrom(first uint32) { a.free, a.top, a.used = 0, first, 0 }

// Take is the index of an element, whose contents and link are stale; 0 where none is left.
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

// GiveAll gives back an element and those that are linked to it.
func (a *Arena[T]) GiveAll(i uint32) {
	for i != 0 {
		next := a.Next[i]
		a.Give(i)
		i = next
	}
}

// Used is the number of elements that are taken.
func (a *Arena[T]) Used() int { return a.used }

// Top is the least index that was never taken.
func (a *Arena[T]) Top() uint32 { return a.top }

// Free gives the memory back to the system.
func (a *Arena[T]) Free() error {
	err := errors.Join(a.maps[0].Free(), a.maps[1].Free())
	*a = Arena[T]{}
	return err
}
