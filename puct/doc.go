// Package puct is the baseline that the best-first search is compared with: a Monte Carlo tree search by predictor and
// upper confidence bounds (PUCT: Rosin 2011; Silver et al. 2017), on the same batches, leaves, nets and clock.
//
// A descent follows at each node the edge with the highest sum of its mean value and an exploration bonus,
//
//	Q + c(N) P sqrt(N) / (1 + n),  c(N) = CPuct + CPuctFactor ln((N + 19652) / 19652),
//
// where N and n count the evaluations below node and edge, pending ones included, P is the policy at a temperature, and
// c grows as AlphaZero's does (Silver et al. 2018). An edge that was never tried has the node's value, less FPU times
// the root of the policy that was tried. A pending evaluation counts as a visit, and not as
// a loss (docs/log/0014). An edge is skipped while its pending evaluations exceed Pending times its completed ones.
//
// The baseline also has what the best-first search has beside its idea, so that a comparison is of the idea alone: a
// correction history for the net's values (Correct, Learn), nodes that lines share (Share), and, since the best-first
// search asks where values still move, an exploration constant that follows the deviation of the values below a node
// (Deviation). The words "correct=0 share=off deviation=0" make the plain search of AlphaZero.
//
// A leaf that alpha-beta deepens is searched deeper when it is visited again, up to Deepen plies, before it gets
// children; its last value replaces the earlier ones in all means. A proven mate is never searched again. A draw is
// visited as often as the bounds say, and needs no net. A node is proven when one of its edges wins, or when all are
// proven (MCTS-Solver: Winands, Björnsson and Saito 2008). The move played is the one of the best value among those
// with Choice of the most evaluations.
//
// Files: tree.go memory; search.go the searcher and its tuning; descend.go selection and what is reached; backup.go
// values; share.go nodes of several lines; repetition.go draws of a tree that is kept; clock.go when it ends; report.go
// what it tells.
//
// Invariants: a node's n is its own evaluations and those of its edges, its q their mean; an edge's n is at most its
// node's, unless it is a proven draw; the edges that were tried are a prefix of the node's, except at the root; only the
// goroutine of Search reads or writes the tree.
package puct
