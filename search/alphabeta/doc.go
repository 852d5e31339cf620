// Package alphabeta is the depth-first search of Tesla: principal variation search with the selective parts of a modern
// engine, on the value net of package nnue and the table of package tt128. It is used in two ways. New makes the
// reference searchers with several threads. NewLeaf deepens leaves of the best-first search.
//
// # How to read it
//
// A Thread (thread.go) searches one line. search.go lists the steps of the search and their sources; the steps are in
// selective.go, quiescence.go, picker.go and history.go, and Mode (mode.go) switches them off. iterate.go searches
// the root deeper and deeper.
//
// A Searcher (searcher.go) runs threads against the clock (clock.go) and ranks the lines that they find (ranking.go). A
// driver makes the threads work together: Lazy SMP (lazysmp.go), parallel MTD(f) (mtdf.go), principal variation
// splitting and Jamboree (splitting.go, split.go). The search calls a driver through the hooks of a Thread and nowhere
// else.
//
// # Invariants
//
// A Thread belongs to one goroutine, and allocates nothing for a node. Scores are on the centipawn scale of package
// search, from the side to move, and mates count from the root. Every search is fail-soft. A draw by repetition or by
// the fifty-move rule is returned, but not stored for the node where the rule applies. An exact mate is reported with a
// line that ends in mate after as many plies; a depth that was cut short gives a bound.
package alphabeta
