package tablefile

import (
	"fmt"
	"iter"

	"tesla/board"
)

// Set holds what there is of each material, E. The zero value is empty.
type Set[E any] struct{ byKey map[uint64]*entry[E] } // by the keys of a material with either side first

type entry[E any] struct {
	material Material
	key      uint64 // of the material
	value    E
}

// Add is what there is of a material, which is new and zero where there was nothing. The first material that is added is
// that of the tables, either side first.
func (s *Set[E]) Add(m Material) (have Material, value *E) {
	e := s.byKey[m.Key()]
	if e == nil {
		if s.byKey == nil {
			s.byKey = map[uint64]*entry[E]{}
		}
		e = &entry[E]{material: m, key: m.Key()}
		other := m.Swapped()
		s.byKey[e.key], s.byKey[other.Key()] = e, e
	}
	return e.material, &e.value
}

// Find is what there is of a position's material, or ErrNoTable. swapped tells that the side to move has what the
// material of the tables has second.
func (s *Set[E]) Find(p *board.Position) (value *E, swapped bool, err error) {
	key := KeyOf(p)
	e := s.byKey[key]
	if e == nil {
		return nil, false, fmt.Errorf("%w for %s", ErrNoTable, MaterialOf(p).Ordered())
	}
	return &e.value, key != e.key, nil
}

// All are the materials, each once, and what there is of them.
func (s *Set[E]) All() iter.Seq2[Material, *E] {
	return func(yield func(Material, *E) bool) {
		for key, e := range s.byKey {
			if key == e.key && !yield(e.material, &e.value) {
				return
			}
		}
	}
}
