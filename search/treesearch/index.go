package treesearch

import (
	"math/bits"
	"unsafe"

	"tesla/internal/memory"
	"tesla/search"
)

// Lines that reach a position after the same number of moves may share one node, so that a tree is a graph without
// cycles. An Index finds such nodes.

// ShareHalfmove is the halfmove clock from which positions are not shared.
const ShareHalfmove = 80

// InTime reports whether the end of a decided score, mate or a position that tables know, comes before the fifty moves
// where the halfmove clock stands at some plies. A node of several lines is a proven mate only where the fifty moves
// come too late in all of them.
func InTime(cp int, clock uint8) bool {
	return !search.IsDecided(cp) || int(clock)+search.Plies(cp) <= 100
}

// Index finds nodes by key and ply of the game: a hash table with open addressing and linear probing.
type Index struct {
	slots   []place
	mapping memory.Mapping
	of      func(node uint32) (key uint64, ply uint16)
}

// place is where a node is, and its hash, so that looking for a position touches no other node.
type place struct {
	node uint32 // 0: empty
	hash uint32
}

// NewIndex makes an index for a number of nodes, of which at most four fifths of the slots are in use. of is a node's
// position and ply.
func NewIndex(nodes int, of func(node uint32) (key uint64, ply uint16)) (x Index, err error) {
	x.of = of
	x.mapping, x.slots, err = memory.Map[place](int64(1) << bits.Len(uint(nodes+nodes/4)))
	return x, err
}

// hash is of a position and the plies of its game. Its low bits are the first slot to look at.
func hash(key uint64, ply uint16) uint32 {
	const mix = 0x9e3779b97f4a7c15
	return uint32((key ^ uint64(ply)*mix) * mix >> 32)
}

// mask is one less than the number of slots, a power of two.
func (x *Index) mask() uint32 { return uint32(len(x.slots) - 1) }

// Prefetch fetches the memory where a position would be found.
func (x *Index) Prefetch(key uint64, ply uint16) {
	memory.Prefetch(unsafe.Pointer(&x.slots[hash(key, ply)&x.mask()]))
}

// locate is the slot of a position, or the empty one where it would be.
func (x *Index) locate(key uint64, ply uint16) uint32 {
	h := hash(key, ply)
	for k := h & x.mask(); ; k = (k + 1) & x.mask() {
		p := x.slots[k]
		if p.node == 0 {
			return k
		}
		if p.hash == h {
			if its, at := x.of(p.node); its == key && at == ply {
				return k
			}
		}
	}
}

// Find is the node of a position after some plies of its game; 0 where there is none.
func (x *Index) Find(key uint64, ply uint16) uint32 { return x.slots[x.locate(key, ply)].node }

// Enter makes a node known, in place of another of the same position.
func (x *Index) Enter(node uint32) {
	key, ply := x.of(node)
	x.slots[x.locate(key, ply)] = place{node, hash(key, ply)}
}

// Leave makes a node unknown. It empties the slot by backward-shift deletion (Knuth, The Art of Computer Programming 3,
// 6.4, algorithm R): each later entry of the run that may lie in the empty slot moves there, so that no deleted entries
// have to be marked.
func (x *Index) Leave(node uint32) {
	mask, k := x.mask(), x.locate(x.of(node))
	if x.slots[k].node != node {
		return
	}
	for next := (k + 1) & mask; x.slots[next].node != 0; next = (next + 1) & mask {
		if (next-x.slots[next].hash)&mask >= (next-k)&mask {
			x.slots[k], k = x.slots[next], next
		}
	}
	x.slots[k] = place{}
}

// Clear makes all nodes unknown.
func (x *Index) Clear() { clear(x.slots) }

// Free gives the memory back to the system.
func (x *Index) Free() error { return x.mapping.Free() }
