package bestfirst

import (
	"math/bits"
	"unsafe"

	"tesla/board"
	"tesla/memory"
	"tesla/search"
	"tesla/treesearch"
)

// Positions that several lines reach after as many moves share one node, so the tree is a graph without cycles. Its values
// are functions of its children; a parent that did not lead to a node last learns of its value when it is next passed.
// An edge counts the evaluations that came through it alone, as in Monte Carlo graph search (Czech, Korus, Kersting 2021): else a move that is
// little looked at would weigh in its node's mean by what other lines spent on the position after it.
//
// What depends on the path stays on edges: a draw by repetition or fifty moves is settled before a node is looked for, and no further line
// joins a node that is proven drawn, or one near the fifty moves. (Lines that joined it before take its draw for theirs.)

// shareHalfmove is the halfmove clock from which positions are not shared.
const shareHalfmove = 80

// index finds nodes by key and ply: open addressing with linear probing.
type index struct {
	slots   []place
	mapping memory.Mapping
}

// place is where a node is, and the hash that it is found by, so that looking for a position touches its own node alone.
type place struct {
	node uint32 // none: empty
	hash uint32
}

// indexShare of the tree's memory is the index's: a node takes some 660 bytes, so that at most four fifths of it are in use.
const indexShare = 32

func newIndex(bytes int) (x index, err error) {
	n := int64(1) << (bits.Len(uint(bytes/indexShare/8)) - 1)
	x.mapping, x.slots, err = memory.Map[place](n)
	return x, err
}

// hash is that of a position after so many plies of its game. The first slot to look at is its low bits.
func hash(key uint64, ply uint16) uint32 {
	const mix = 0x9e3779b97f4a7c15
	return uint32((key ^ uint64(ply)*mix) * mix >> 32)
}

// mask is one less than the number of slots, a power of two.
func (x *index) mask() uint32 { return uint32(len(x.slots) - 1) }

// prefetch asks for the memory where a position after so many plies would be found.
func (x *index) prefetch(key uint64, ply uint16) {
	memory.Prefetch(unsafe.Pointer(&x.slots[hash(key, ply)&x.mask()]))
}

// locate is the slot of a position after so many plies, or the empty one where it would be.
func (t *tree) locate(key uint64, ply uint16) uint32 {
	x, h := &t.index, hash(key, ply)
	for k := h & x.mask(); ; k = (k + 1) & x.mask() {
		p := x.slots[k]
		if p.node == none {
			return k
		}
		if p.hash == h {
			if n := &t.Nodes.Items[p.node]; n.key == key && n.ply == ply {
				return k
			}
		}
	}
}

// find is the node of a position after so many plies; none where there is none.
func (t *tree) find(key uint64, ply uint16) uint32 { return t.index.slots[t.locate(key, ply)].node }

// enter makes a node known, in place of another of the same position.
func (t *tree) enter(i uint32) {
	n := &t.Nodes.Items[i]
	t.index.slots[t.locate(n.key, n.ply)] = place{i, hash(n.key, n.ply)}
}

// leave makes a node unknown, and moves those up that were put aside for it.
func (t *tree) leave(i uint32) {
	x, n := &t.index, &t.Nodes.Items[i]
	mask, k := x.mask(), t.locate(n.key, n.ply)
	if x.slots[k].node != i {
		return
	}
	for next := (k + 1) & mask; x.slots[next].node != none; next = (next + 1) & mask {
		if (next-x.slots[next].hash)&mask >= (next-k)&mask {
			x.slots[k], k = x.slots[next], next
		}
	}
	x.slots[k] = place{}
}

// parent is an edge that leads to a shared node.
type parent struct {
	node uint32
	slot uint8
}

// attach hangs a node below the edge of another; false where there is no memory to remember a further parent.
func (t *tree) attach(at uint32, slot uint8, i uint32) bool {
	n := &t.Nodes.Items[i]
	if n.parent == none {
		n.parent, n.slot = at, slot
	} else {
		k := t.parents.Take()
		if k == none {
			return false
		}
		t.parents.Items[k], t.parents.Next[k] = parent{at, slot}, n.others
		n.others = k
	}
	t.edge(&t.Nodes.Items[at], int(slot)).child = i
	t.Nodes.Items[at].kids++
	return true
}

// detach takes a node from the edges that lead to it.
func (t *tree) detach(n *node) {
	free := func(at uint32, slot uint8) {
		p := &t.Nodes.Items[at]
		e := t.edge(p, int(slot))
		if n.flags&nodeProven == 0 { // a proof is backed up, or not told
			e.learn(n)
		}
		e.child = none
		p.kids--
	}
	if n.parent != none {
		free(n.parent, n.slot)
	}
	for k := n.others; k != none; k = t.parents.Next[k] {
		free(t.parents.Items[k].node, t.parents.Items[k].slot)
	}
	t.parents.GiveAll(n.others)
	n.parent, n.others = none, none
}

// slotOf is the slot of an edge of a node.
func (t *tree) slotOf(n *node, e *edge) uint8 {
	for slot, c := 0, n.chunk; ; slot, c = slot+treesearch.ChunkSize, t.Chunks.Next[c] {
		for k := range t.Chunks.Items[c] {
			if &t.Chunks.Items[c][k] == e {
				return uint8(slot + k)
			}
		}
	}
}

// known is the node of a position after so many plies of its game, unless it is proven drawn, perhaps by what was played
// before; none where there is none.
func (t *tree) known(key uint64, ply uint16) uint32 {
	i := t.find(key, ply)
	if n := &t.Nodes.Items[i]; n.flags&nodeProven != 0 && n.value < search.Proven && n.value > -search.Proven {
		return none
	}
	return i
}

// shared is the node of a position reached after so many plies of the search that another line may share.
func (pr *promoter) shared(p *board.Position, ply int) uint32 {
	if !pr.opts.Share || p.Halfmove >= shareHalfmove {
		return none
	}
	return pr.tree.known(p.Key, pr.plies+uint16(ply))
}

// join hangs a node that is there below the last edge of a path, too, and backs its value up; false where there is no memory.
func (pr *promoter) join(path []step, i uint32) bool {
	last := path[len(path)-1]
	p, n := &pr.tree.Nodes.Items[last.node], &pr.tree.Nodes.Items[i]
	if n.parent == none { // asked ahead: the position was perhaps known here before it was reclaimed
		n.n = max(n.n, last.edge.n)
	}
	if !pr.tree.attach(last.node, pr.tree.slotOf(p, last.edge), i) {
		return false
	}
	pr.arrived(last)
	last.edge.setSigma(n.sigma)
	n.flags |= nodeTouched
	pr.backup(path)
	return true
}

// learn brings an edge up to date with its node, which other lines may have changed.
func (e *edge) learn(n *node) {
	flags := uint32(0)
	if n.flags&nodeProven != 0 {
		flags = edgeProven
	}
	e.settle(search.Towards(int(n.value)), flags)
}
