// Package engine is the room between the protocol and the searchers: it makes a searcher from settings. The commands of
// tesla, the players of matches and the scripts make their searchers here.
//
// # Basics
//
//	set := engine.Default()
//	set.Search, set.Backend, set.Threads = "puct", "nnue", 2
//	s, notes, err := engine.Open(set) // notes are for the user
//	...
//	defer s.Close()
//
// Settings say what is wanted, and Settings.Options declares each of them once. Open makes a Searcher or returns an
// error. An Engine can be opened again with other settings; it then keeps the net and the transposition table if they
// still fit. NewFallback makes an engine for a game that must go on: if something is missing, it takes the next best,
// and a note says so.
//
// # Invariants
//
// A Searcher owns all that it was made with: closing it frees the net's memory, the table and the tree. A game depends
// on nothing that was searched before NewGame.
package engine
