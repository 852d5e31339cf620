// Package oracle holds the rules of package board and the notation of package pgn against those of notnil/chess, which share
// no code with them: legal moves, the text of each move, positions after moves, ends of games, perft, and games written by
// one and read by the other. Whatever differs is named with the position and both answers.
//
// What the library is known to read otherwise is a row of [Known], with both answers, and each run asks both again. The
// library has no Chess960, so positions of it are left out.
//
// It is slow, some 30,000 lists of moves a second. No package of the engine imports this one.
package oracle
