// Package bestfirst is the Tesla search: one thread, the promoter, ranks the nodes of a tree by how likely more depth below
// them is to change the decision at the root per evaluation that it costs, and fills batches that a batcher.Pipeline
// evaluates meanwhile.
//
// A descent starts at the root with a question: by how much must which value move for the decision to change? The best
// move's value must fall to the second best's (disprove), or another's must rise to the best's (prove). The gap and
// its direction are handed down: where a node's own value must rise, some move must exceed its best one by the gap;
// where it must fall, the best move and every sibling within the gap must. At each node the edge with the best ratio of
// benefit to cost is followed until an edge without a node is reached: the leaf that is evaluated next.
//
// Files: tree.go memory; model.go what depth is expected to change (fitted, see docs/change-model.md); promote.go the
// descent; leaf.go what a reached leaf is; share.go nodes of several lines; learn.go what the tree tells of the net's errors;
// backup.go values; search.go the searcher; satisfy.go limits and satisfaction; report.go what is told about it; dump.go the tree as JSON.
//
// Memory, both arenas allocated once and addressed by index:
//
//	node, 64 bytes                              edges, 16 bytes, in chunks of eight, best prior first
//	+-----+-------+--------+---+------+----+    +------+------+-----+-------+----+
//	| key | chunk | parent | n | .... | q  | -> | move | child|  n  | prior | cp | x 8 -> next chunk
//	+-----+-------+--------+---+------+----+    +------+------+-----+-------+----+
//
// Invariants: a node's n is the evaluations spent below it, pending ones included, and equals its edge's unless it is shared; the edges
// that have been tried are a prefix of the node's edges (but at the root); a node with pending evaluations below it is
// never reclaimed; values are written by the promoter only.
//
// After Palay (Searching with Probabilities, 1985), Rivest (Game Tree Searching by Min/Max Approximation, 1987),
// Russell and Wefald (Principles of Metareasoning, 1991), Baum and Smith (A Bayesian Approach to Relevance in Game
// Playing, 1997).
package bestfirst
