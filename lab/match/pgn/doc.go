// Package pgn reads and writes games in Portable Game Notation (PGN standard, Edwards 1994), and moves in standard
// algebraic notation (SAN).
//
// A file is read in one of two ways. ReadLines plays the moves and returns lines, for openings. ReadSummaries does not
// play the moves and returns what each finished game says of itself, for statistics: it reads files that other programs
// wrote and that were cut off by a kill.
package pgn
