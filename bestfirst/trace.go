package bestfirst

import (
	"math"
	"slices"

	"tesla/batcher"
)

// Sample is the argument of Options.Trace: a node's value after N completed evaluations, a power of two or a little more.
type Sample struct {
	Node    uint32 // identifies the node within a search, until it is reclaimed
	N       uint32
	Q       float32 // backed-up value, for the side to move
	Asked   float32 // by how much Q had to rise (or fall, where negative) to change which move is best at its parent
	Missing float32 // doublings of evaluations by which the node's are fewer than its parent's, less one
	Proven  bool

	New    bool    // its first sample, below the root: then the following are set
	Sigma  float32 // the net's own, q units
	Nats   float32 // how far its prior lies below its best sibling's
	Parent float32 // its parent's q before it
}

// trace tells Options.Trace the value of the node some plies along a path, whose completed evaluations have doubled.
// fresh is the evaluation of a new node.
func (rk *ranking) trace(path []step, ply int, fresh *batcher.Eval) {
	i, parent := path[0].node, (*node)(nil)
	if ply > 0 {
		i, parent = path[ply-1].edge.child, &rk.tree.Nodes.Items[path[ply-1].node]
	}
	n := &rk.tree.Nodes.Items[i]
	sample := Sample{Node: i, N: n.n - uint32(n.pend), Q: n.q, Proven: n.flags&nodeProven != 0}
	if parent != nil {
		sample.Asked = path[ply-1].asked
		sample.Missing = float32(math.Log2(float64(parent.n)/float64(n.n))) - 1
	}
	if fresh != nil {
		best := rk.tree.Chunks.Items[parent.chunk][0].prior
		sample.New, sample.Sigma, sample.Parent = true, fresh.Sigma, parent.q
		sample.Nats = rk.tables.natsOf(path[ply-1].edge.prior) - rk.tables.natsOf(best)
	}
	rk.opts.Trace(sample)
}

// asked is by how much the child of an edge that was just chosen must rise, or fall, where negative.
func (rk *ranking) asked(n *node, e *edge, slot int) float32 {
	gap, way := float32(0), rises
	if n == rk.root() {
		r := &rk.roots[slices.IndexFunc(rk.roots, func(r rootMove) bool { return r.slot == slot })]
		gap, way = r.gap, r.way
	} else {
		gap, way = rk.frame.gapOf(n, e, slot == int(n.best))
	}
	if way == falls {
		return -gap
	}
	return gap
}
