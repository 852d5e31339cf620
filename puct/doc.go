// Package puct is the baseline that the best-first search is compared with: a Monte Carlo tree search by predictor and upper
// confidence bounds (Rosin 2011; Silver et al. 2017), on the same batches, leaves, nets and clock.
//
// A descent follows at each node the edge of the highest sum of its mean value and an exploration bonus,
//
//	Q + c(N) P sqrt(N) / (1 + n),  c(N) = CPuct + CPuctFactor ln((N + 19652) / 19652),
//
// where N and n count the evaluations below node and edge, those under way included, and P is the policy at a temperature.
// An edge that was never tried has the node's value less FPU times the root of the policy mass that was. While an evaluation
// is under way it counts as VirtualLoss of a loss; edges below which more is under way than Flight of what is known there are passed by.
// A leaf that alpha-beta searches is searched deeper when it is visited again, up to Deepen plies, before it gets children; its last value
// takes the place of the earlier ones in all means. A mate that is proven is never searched again; a draw is visited as often as the bounds
// say, and needs no net. A node all of whose edges are proven, or one of whose edges wins, is proven itself (Winands, Björnsson and Saito 2008).
// The move played is the one of the best value among those with Choice of the most evaluations.
//
// Files: tree.go memory; descend.go selection and what is reached; backup.go values; search.go the loop; clock.go when it
// ends; report.go what is told about it.
//
// Invariants: an edge's n and pend are the evaluations below it, done and under way; edges that were tried are a prefix of the
// node's, but at the root; only the goroutine of Search reads or writes the tree.
package puct
