// Package match plays games between two players, or more, and counts them.
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
// Games 2k-1 and 2k are a pair: the same opening, with A as White in the first and as Black in the second. More than
// two players meet in rounds: every pairing plays a pair with the round's opening before the next round begins. Which
// opening a pair gets depends on the file, the order and the seed alone, not on concurrency or on the results. Every
// game that was started and not cancelled is in the result and in the PGN file, whatever happened in it, unless a Judge
// has ended the match before its turn. All numbers of a Result are from A's side, or that of a pairing's first player.
//
// A game depends on nothing that was played before it: players start each game with NewGame. At fixed nodes, with one
// thread and searchers in process, a match is the same each time, however many games run at once, and Config.PGNStable
// makes its PGN the same to the byte.
//
// # The journal
//
// Config.Journal is a file of JSON lines: the first describes the match, each other one is a finished game with all
// its moves. A line is written at once and is on the disk before the game counts. So whenever the program is killed, a
// game is either in the journal, whole, or has not been played; what is left of a line at the end is cut off.
// Config.Resume plays the games that the journal lacks, refuses a journal of another match, and makes the PGN file anew
// from the journal: the games of this match once each, behind what was in the file before the match.
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
