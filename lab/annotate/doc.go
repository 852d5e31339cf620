// Package annotate scores the moves of games in PGN files and writes what it found into them.
//
// Every position is searched on its own, from an empty tree and an empty table, so a record of the journal does not depend
// on those before it. Where values are stated (doubt.go), what was found decides which search comes next, and the journal
// gives it again in the same order: under limits that do not depend on time, and with one thread, a run that was killed and started
// again writes the same file as one that was not.
//
// # Invariants
//
// What stands in a game stays: its moves, variations, comments, glyphs, escapes and tags. Only evaluations that an earlier
// run wrote ([%eval ..]) give way to new ones, where there are new ones. A game that cannot be read ends the run before
// the first search, or goes as it is into a file of its own. The file of annotated games is whole or not there.
package annotate
