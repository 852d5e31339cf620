// Package engine is the room between the protocol and the searchers: it makes a searcher from settings. The commands of
// tesla, the players of matches and the scripts make their searchers here.
//
// Settings say what is wanted, and Settings.Options declares each of them once. Open makes a Searcher or says why it
// cannot. An Engine keeps what a change of settings leaves as it is: the net, the transposition table. NewFallback
// makes one for a game that must go on: what cannot be had gives way to the next best, and a note says so.
//
// Invariant: a Searcher owns all that it was made with; closing it frees the net's memory, the table and the tree.
package engine
