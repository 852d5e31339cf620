// Package treesearch is what bestfirst and puct share, the searches that keep a tree and evaluate its leaves in batches: the
// memory of the tree, the pipeline and how far it is filled, limits, clock and reports, and what becomes of a position that a
// search reaches (mates and draws, quiescence, a search that deepens it in place, priors).
//
// A Loop belongs to the goroutine that searches, PonderHit excepted. While one batch is filled, the one before is evaluated. A
// Leaf belongs to the search that made it, except while its batch is evaluated: then it belongs to the goroutine of the
// pipeline that has the batch.
package treesearch
