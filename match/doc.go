// Package match plays games between two players and counts them.
//
// A player is a searcher in this process or any UCI engine in a process of its own. The rules are those of board.Game
// and the runner's alone: a player's word is taken for its move and its score, and for nothing else. An engine that
// crashes, hangs or plays an illegal move loses that game, is replaced by a fresh one for the next, and is counted.
//
// # Basics
//
//	config := match.Default()
//	config.A, err = match.ParsePlayer("name=new,search=bestfirst,threads=2")
//	config.B, err = match.ParsePlayer("cmd=/usr/bin/stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1800")
//	config.Games, config.Clock = 40, match.Clock{Base: 10 * time.Second, Increment: 100 * time.Millisecond}
//	config.Searcher = factory // makes the searchers of the players in process
//	result, err := match.Run(ctx, config)
//
// # Invariants
//
// Games 2k-1 and 2k are a pair: the same opening, with A as White in the first and as Black in the second. Which opening a
// pair gets depends on the file, the order and the seed alone, not on concurrency or on the results. Every game that was
// started and not cancelled is in the result and in the PGN file, whatever happened in it. All numbers of a Result are
// from A's side.
//
// # Statistics
//
// Result holds Elo, normalized Elo and what else follows from the pairs. An SPRT ends the match when it decides; it sees
// the pairs in game order, so that its decision is the same however many games run at a time and whichever end first.
// ReadGames reads the games of a journal or of a PGN file made elsewhere for the same numbers, and WriteReport plots them.
//
// # Caveats
//
// A searcher in process that hangs cannot be killed: it is abandoned, with its memory, and a new one is made. Players
// share the machine: with Concurrency above half of its cores, clocks measure the scheduler.
package match
