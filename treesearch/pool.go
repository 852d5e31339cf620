package treesearch

// Pool holds the leaves of a search, by the number that items carry as Ref. It never grows, so that the pipeline's
// goroutines may read a leaf while the search takes another.
type Pool[L any] struct {
	leaves []L
	free   []uint32
}

// NewPool makes a pool of n leaves.
func NewPool[L any](n int) *Pool[L] {
	p := &Pool[L]{leaves: make([]L, n), free: make([]uint32, n)}
	for i := range p.free {
		p.free[i] = uint32(i)
	}
	return p
}

// Take returns a leaf that is not in use, whose contents are stale, and its number. There must be one: see
// Loop.MostLeaves.
func (p *Pool[L]) Take() (ref uint32, l *L) {
	last := len(p.free) - 1
	ref = p.free[last]
	p.free = p.free[:last]
	return ref, &p.leaves[ref]
}

// At is the leaf of a number.
func (p *Pool[L]) At(ref uint32) *L { return &p.leaves[ref] }

// Give gives a leaf back. Its contents are good until the next Take.
func (p *Pool[L]) Give(ref uint32) { p.free = append(p.free, ref) }
