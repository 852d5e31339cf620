// Package pgn reads and writes games in Portable Game Notation (PGN standard, Edwards 1994), and moves in standard
// algebraic notation (SAN).
//
// A file is read in one of three ways. ReadLines plays the moves and returns lines, for openings. ReadSummaries does not
// play the moves and returns what each finished game says of itself, for statistics. ReadAnnotated returns all that stands
// in the games. They read what other programs write, in any encoding that Decode knows, with text around the games, and files
// that a kill has cut off: what they cannot read costs the game around it only, which they name.
package pgn
