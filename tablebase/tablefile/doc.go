// Package tablefile holds what the readers of endgame tables share: the material that a table is named after, files
// that are opened at their first use, and a cache of bounded size for what is read of them.
//
// Its invariants: a file is opened once at most, and its first error is the answer to every later probe. What is cached
// is at most what the cache was made for, and nobody changes it. Everything here may be used by any number of
// goroutines.
package tablefile
