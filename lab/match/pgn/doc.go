// Package pgn reads and writes games in Portable Game Notation (PGN standard, Edwards 1994), and moves in standard
// algebraic notation (SAN).
//
// A file is read in one of two ways. ReadLines plays the moves and returns lines, for openings. ReadSummaries does not
// play the moves and returns what each finished game says of itself, for statistics. Both read what other programs write,
// and files that a kill has cut off: what they cannot read costs the game around it only, which they name.
package pgn
