package treesearch

import (
	"tesla/batcher"
	"tesla/board"
)

// Most leaves never get children, and only children need priors. So where the backend can leave policies out, leaves
// are evaluated without them, and a node's moves are ordered when a descent first goes on from it: mostly by the goroutine
// that then evaluates the position after the first of them, see Leaf.Opens.

// orders makes the orders of moves, on one goroutine.
type orders struct {
	fill   func(*batcher.Item) // the policy
	policy *Policy
	item   batcher.Item
	leaf   Leaf
}

// order fills the moves of an item, and the leaf's order of them.
func (o *orders) order(it *batcher.Item, l *Leaf) {
	it.Moves = it.Position.LegalMoves(it.Moves[:0])
	l.Begin(&it.Position, it.Moves)
	o.fill(it)
	o.policy.Order(it, l)
}

// open orders the moves of an item, and puts the position after the first of them in place of its position.
func (o *orders) open(it *batcher.Item, l *Leaf) {
	o.order(it, l)
	p := it.Position
	first, _ := l.Order.At(0)
	p.Make(it.Moves[first], &it.Position)
	l.Moves, it.Moves = it.Moves, it.Position.LegalMoves(l.Moves[:0])
	l.Over = l.Begin(&it.Position, it.Moves) != board.NullMove || len(it.Moves) == 0
}

// valuesOnly is a backend whose Evaluate opens nodes, and leaves all other policies out.
type valuesOnly struct {
	batcher.Lazy
	leaf func(ref uint32) *Leaf
	free chan *orders // one for each batch that is evaluated at a time
}

func (v valuesOnly) Evaluate(items []*batcher.Item) error {
	o := <-v.free
	for _, it := range items {
		if l := v.leaf(it.Ref); l.Opens {
			o.open(it, l)
		}
	}
	v.free <- o
	return v.EvaluateValues(items)
}

// beginOrders makes l.orders where the backend allows that, and returns the backend and the finish of the pipeline.
// What a Deepener found to be the best move is known with the leaf alone, so such leaves come with their orders.
func (l *Loop) beginOrders() (batcher.Backend, func(*batcher.Batch)) {
	policy := NewPolicy(l.opts.Temperature)
	policy.table = l.opts.Table
	lazy := batcher.LazyOf(l.opts.Backend)
	l.bare = Bare(l.opts.Backend, l.opts.Deepeners)
	if lazy != nil {
		l.orders = &orders{fill: lazy.Policies(), policy: policy}
	}
	if !l.bare {
		return l.opts.Backend, policy.Finish(l.Leaf)
	}
	values := valuesOnly{lazy, l.Leaf, make(chan *orders, lazy.Info().Streams)}
	for range cap(values.free) {
		values.free <- &orders{fill: lazy.Policies(), policy: policy}
	}
	return values, nil
}

// Bare reports whether the leaves of a search come without the orders of their moves.
func Bare(b batcher.Backend, deepeners []Deepener) bool {
	return len(deepeners) == 0 && batcher.LazyOf(b) != nil
}

// Bare reports whether evaluated leaves come without the orders of their moves. Then the tree asks for those that it needs.
func (l *Loop) Bare() bool { return l.bare }

// Opens reports whether leaves may open nodes: they come without orders, and nothing but the backend looks at them.
func (l *Loop) Opens() bool { return l.bare && !l.opts.Backend.Info().WantsQuiescence }

// Orders reports whether Order can be called. Where Bare is true, it can.
func (l *Loop) Orders() bool { return l.orders != nil }

// Order is the legal moves of a position, and their order. Both are good until the next call.
func (l *Loop) Order(p *board.Position) ([]board.Move, *Order) {
	o := l.orders
	o.item.Position = *p
	o.order(&o.item, &o.leaf)
	return o.item.Moves, &o.leaf.Order
}
