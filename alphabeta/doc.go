// Package alphabeta is the depth-first search that the reference searchers share and by which leaves of the best-first
// search are deepened: principal variation search with the selective parts of a modern engine, each of which Parts can
// switch off, on the value net of package nnue and the table of package tt128. Searchers with several threads are made by
// New: Lazy SMP, parallel MTD(f), principal variation splitting, Jamboree.
//
// # Invariants
//
// A Thread belongs to one goroutine. It allocates nothing for a node. Scores are centipawns from the side to
// move, mates as in package tt128; every search is fail-soft. A score that rests on a repetition or the fifty-move rule
// is returned as it is, but nothing is stored for the node where the rule applies.
package alphabeta
