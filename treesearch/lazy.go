package treesearch

import (
	"tesla/batcher"
	"tesla/board"
)

// Most leaves never get children, and only children need priors. So where the backend can leave policies out, leaves
// are evaluated without them, and the tree asks for the order of a node's moves when a descent first goes on from it.

// orders makes the orders of moves, one at a time, on the goroutine of the search.
type orders struct {
	fill   func(*batcher.Item) // the policy
	policy *Policy
	item   batcher.Item
	leaf   Leaf
}

// valuesOnly is a backend whose Evaluate leaves policies out.
type valuesOnly struct{ batcher.Lazy }

// Evaluate implements batcher.Backend.
func (v valuesOnly) Evaluate(items []*batcher.Item) error { return v.EvaluateValues(items) }

// beginOrders makes l.orders where the backend allows that, and returns the backend and the finish of the pipeline.
// What a Deepener found to be the best move is known with the leaf alone, so such leaves come with their orders.
func (l *Loop) beginOrders() (batcher.Backend, func(*batcher.Batch)) {
	policy := NewPolicy(l.opts.Temperature)
	lazy := batcher.LazyOf(l.opts.Backend)
	l.bare = Bare(l.opts.Backend, l.opts.Deepeners)
	if lazy != nil {
		l.orders = &orders{fill: lazy.Policies(), policy: policy}
	}
	if !l.bare {
		return l.opts.Backend, policy.Finish(l.tree.Leaf)
	}
	return valuesOnly{lazy}, nil
}

// Bare reports whether the leaves of a search come without the orders of their moves.
func Bare(b batcher.Backend, deepeners []Deepener) bool {
	return len(deepeners) == 0 && batcher.LazyOf(b) != nil
}

// Bare reports whether evaluated leaves come without the orders of their moves. Then the tree asks for those that it needs.
func (l *Loop) Bare() bool { return l.bare }

// Orders reports whether Order can be called. Where Bare is true, it can.
func (l *Loop) Orders() bool { return l.orders != nil }

// Order is the legal moves of a position, and their order. Both are good until the next call.
func (l *Loop) Order(p *board.Position) ([]board.Move, *Order) {
	o := l.orders
	o.item.Position, o.item.Moves = *p, p.LegalMoves(o.item.Moves[:0])
	o.leaf.Begin(p, o.item.Moves)
	o.fill(&o.item)
	o.policy.Order(&o.item, &o.leaf)
	return o.item.Moves, &o.leaf.Order
}
