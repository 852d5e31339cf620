// Package leaves is what tree searches do with a position that they reach, beside asking a net: mates and draws, the quiet
// position that a static value holds for, a search that deepens it in place, and priors that are no less than a move deserves.
//
// A Leaf belongs to the search that made it but while its batch is under way: then to the goroutine of the pipeline that has the batch.
package leaves
