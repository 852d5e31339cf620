// Package treesearch drives a search that keeps a tree in memory and evaluates its leaves in batches, as bestfirst does.
//
// A Loop drives a Tree. It fills the batches of a pipeline with the leaves that the tree gathers, hands evaluated
// leaves back to it, and ends the search at a limit. While one batch is filled, others are evaluated.
//
// Files: tree.go the interface Tree; loop.go the loop: fill, absorb, run; limits.go when a search ends; report.go what
// it tells, mate.go the ends of its mates; tuning.go how tunables are declared. A leaf: leaf.go what settles it and what
// its value is, pool.go where it lies, tables.go how it waits for endgame tables, quiescence.go its quiet position,
// deepen.go its deeper search, policy.go the priors of its moves, correction.go what the net's value is corrected by,
// lazy.go when policies are computed. memory.go holds nodes and edges, index.go finds nodes that several lines share.
//
// A Loop belongs to the goroutine that searches, except for PonderHit and Stats. A Leaf belongs to the search that took
// it, except while its batch is evaluated: then it belongs to the goroutine of the pipeline that has the batch.
package treesearch
