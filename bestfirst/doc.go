// Package bestfirst is the Tesla search: one thread, the promoter, keeps the whole tree in memory. At each node it
// follows the move most likely, per evaluation spent, to overturn the current best move, and fills batches that a
// batcher.Pipeline evaluates meanwhile. The baseline that it is compared with, PUCT, is another policy on the same tree.
//
// A search repeats five stages, a file each; docs/search.md tells them as a story:
//
//  1. choose.go: which edge of a node is worth the next evaluation;
//  2. descend.go: from the root along chosen edges, until a position needs to be looked at;
//  3. gather.go: such positions are settled at once, or fill a batch;
//  4. absorb.go: an evaluated leaf becomes a node;
//  5. backup.go: the nodes on the path to it are recomputed.
//
// Two of these are a search's own: which edge is chosen, and what a node is worth. policy.go says what a policy is; ranking, in
// choose.go and backup.go, is that of the best-first search, and puct.go the other.
//
// What they use: tree.go nodes and edges, reclaim.go what happens when memory is full, share.go nodes of several lines,
// repetition.go draws of a tree that is kept (new ones: search/treesearch/leaf.go), value.go how values are kept; fit.go and tables.go
// the change model (docs/change-model.md), frame.go and asm the arithmetic of eight edges at a time (docs/formula.md);
// correction.go what the net is corrected by, table.go the transposition table.
// Around them: tuning.go, search.go the searcher, satisfaction.go when a clock ends the best-first search, report.go what it tells,
// trace.go what it tells package calibrate, snapshot.go the tree as JSON, save.go and load.go the tree in a file.
//
// Nodes and edges lie in two arenas, allocated once and addressed by index. A node has no edges, those of one, two or four
// chunks, or all, see furnish:
//
//	node, 64 bytes                              edges, 16 bytes, in chunks of four, best prior first
//	+-----+-------+--------+---+------+----+    +------+------+-----+-------+-------+
//	| key | chunk | parent | n | .... | q  | -> | move | child|  n  | prior | value | x 4 -> next chunk
//	+-----+-------+--------+---+------+----+    +------+------+-----+-------+-------+
//
// Invariants: only the promoter reads and writes the tree. A node's n is the evaluations spent below it, pending ones
// and detours included, and at least its edge's unless it is shared. The edges with an evaluation, or a pending one,
// are a prefix of the node's edges, except at the root. A node with pending evaluations is never reclaimed.
//
// After Palay (Searching with Probabilities, 1985), Rivest (Game Tree Searching by Min/Max Approximation, 1987),
// Russell and Wefald (Principles of Metareasoning, 1991), Baum and Smith (A Bayesian Approach to Relevance in Game
// Playing, 1997).
package bestfirst

//go:generate sh -c "cd asm && go run . -pkg bestfirst -out ../rank_amd64.s -stubs ../rank_amd64_stubs.go"
