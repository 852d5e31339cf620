// Package bestfirst is the Tesla search: one thread, the promoter, follows at each node of a tree the move whose next plies are
// most likely to change which move is best there, per evaluation that they cost, and fills batches that a batcher.Pipeline
// evaluates meanwhile.
//
// A descent begins at the root. Which move is best at a node changes if the best one's value falls to the second best's
// (disprove), or another's rises to the best's (prove): each move has a gap to cross, and a direction. The change model says how
// likely it is crossed for how many evaluations; in trees of many leaves it says how likely each move is the best after all, by an error that
// falls as the node's evaluations grow (Tuning.Settle). The edge with the best ratio is followed until one without a node is reached:
// the leaf that is evaluated next.
//
// Files: tree.go memory; model.go what depth is expected to change (fitted, see docs/change-model.md); promote.go the
// descent; rank.go and asm the kernels; leaf.go what a reached leaf is; correct.go what the net is corrected by; ahead.go
// what joins a batch before it is needed; share.go nodes of several lines; backup.go values; search.go the searcher;
// satisfy.go when a clock ends it; report.go what is told about it; dump.go the tree as JSON.
//
// Memory, both arenas allocated once and addressed by index:
//
//	node, 64 bytes                              edges, 16 bytes, in chunks of eight, best prior first
//	+-----+-------+--------+---+------+----+    +------+------+-----+-------+-------+
//	| key | chunk | parent | n | .... | q  | -> | move | child|  n  | prior | value | x 8 -> next chunk
//	+-----+-------+--------+---+------+----+    +------+------+-----+-------+-------+
//
// Invariants: a node's n is the evaluations spent below it, pending ones included, and at least its edge's unless it is shared; the edges
// that have been tried are a prefix of the node's edges (but at the root); a node with pending evaluations below it is
// never reclaimed; values are written by the promoter only.
//
// After Palay (Searching with Probabilities, 1985), Rivest (Game Tree Searching by Min/Max Approximation, 1987),
// Russell and Wefald (Principles of Metareasoning, 1991), Baum and Smith (A Bayesian Approach to Relevance in Game
// Playing, 1997).
package bestfirst

//go:generate sh -c "cd asm && go run . -pkg bestfirst -out ../rank_amd64.s -stubs ../rank_amd64_stubs.go"
