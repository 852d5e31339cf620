package treesearch

// pool holds the leaves of a search, by the number that items carry as Ref. It never grows, so that the pipeline's
// goroutines may read a leaf while the search takes another.
type pool struct {
	leaves []Leaf
	free   []uint32
}

// newPool makes a pool of n leaves.
func newPool(n int) pool {
	p := pool{make([]Leaf, n), make([]uint32, n)}
	for i := range p.free {
		p.free[i] = uint32(i)
	}
	return p
}

// TakeLeaf returns an empty leaf for an item whose Ref is ref. There is one: see MostLeaves.
func (p *pool) TakeLeaf() (ref uint32, l *Leaf) {
	last := len(p.free) - 1
	ref = p.free[last]
	p.free = p.free[:last]
	l = &p.leaves[ref]
	l.Further, l.Opens, l.Root = 0, false, false
	return ref, l
}

// GiveLeaf takes leaves back. Their contents are good until the next TakeLeaf.
func (p *pool) GiveLeaf(refs ...uint32) { p.free = append(p.free, refs...) }

// Leaf is the leaf of a number. It may be called from any goroutine.
func (p *pool) Leaf(ref uint32) *Leaf { return &p.leaves[ref] }
