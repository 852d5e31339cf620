// Package match plays games between two or more players and counts the results.
//
// A player is a searcher in this process or a UCI engine in a process of its own. The runner alone knows the rules
// (board.Game) and the clocks. It believes a player's move and score, and nothing else that the player says. An
// engine that crashes, hangs or plays an illegal move loses that game and is counted; a fresh one plays the next
// game.
//
// # Basics
//
//	config := match.Default()
//	config.Players[0], err = player.Parse("name=new,search=bestfirst,threads=2")
//	config.Players[1], err = player.Parse("cmd=/usr/bin/stockfish,option.UCI_LimitStrength=true,option.UCI_Elo=1800")
//	config.Games = 40
//	config.Condition.Clock = player.Clock{Base: 10 * time.Second, Increment: 100 * time.Millisecond}
//	config.InProcess.Searcher = factory // makes the searchers of the players in process
//	table, err := match.Play(ctx, config)
//
// # Rooms
//
// The parts below this package know nothing of it: match/player says who plays, match/pgn reads and writes games, and
// match/stats turns results into numbers. Here are the schedule (who meets whom, in which game), openings, slots
// (which game gets which cores), seats (a player at one board: started, replaced, closed), games (clocks and
// failures), adjudication, the journal, and run.go, which deals games to workers.
//
// # Invariants
//
// Games 2k-1 and 2k are a pair: the same opening, with A as White in the first and as Black in the second. More than
// two players meet in rounds: every pairing plays a pair with the round's opening before the next round begins. The
// opening of a pair depends on the file, the order and the seed alone, not on concurrency or on the results. Every
// game that was played to its end is in the result and in the PGN file, whatever happened in it, unless an SPRT ended
// the match before that game's turn. A game that was cancelled is in neither.
//
// A game depends on nothing that was played before it: players start each game with NewGame. With fixed nodes, one
// thread and searchers in process, a match gives the same games each time, however many run at once. Files.PGNStable
// makes its PGN the same to the byte.
//
// # The journal
//
// Files.Journal is a file of JSON lines. The first describes the match, and each other one is a finished game with
// all its moves. A game counts only after its line is on the disk. So whenever the program is killed, a game is
// either in the journal as a whole or has not been played; an incomplete line at the end is cut off. Files.Resume
// plays the games that the journal lacks and refuses the journal of another match. It writes the PGN file again from the
// journal. The tag MatchId tells the match's games from those of others, of which no byte changes. A line such as
// {"without":["w1"]} takes back the games of a worker that are before it. A game may then come again.
//
// # Distribution
//
// Config.Distributor has the games played by other processes, see package fleet: order.go is what they need to know,
// boards.go plays for them, and distribute.go takes what they played. The games, the journal and the statistics are the same.
//
// # Statistics
//
// stats.Result holds Elo, normalized Elo and other numbers that follow from the pairs. An SPRT ends the match when it
// decides. It sees the pairs in the order of the games, so its decision does not depend on how many games run at a
// time or which of them end first. ReadGames reads the games of a journal, or of a PGN file made elsewhere, for the
// same numbers.
//
// # Failures
//
// A crash is an engine that ends, or closes its output, while it plays. A hang is a player that has not moved when
// its time, Patience.Margin and then, after stop, Patience.Grace are over. Both lose the game, and the next one
// begins with a fresh player. A player that fails as it gets ready costs no game, but three such failures in a row
// end the match, with the last output of the engine.
//
// Each player is started before the first game. An option that an engine does not declare or refuses, an error that a
// Tesla reports, or another backend than asked ends the match there. Later, errors that an engine reports and a start
// with another backend or net are incidents. The incidents of a game are in its line of the journal and in its PGN.
//
// A search that fails ends the match with its error: an evaluator broke, and the game in hand says nothing about
// either player. No game in progress then counts, and a resumed match plays them again.
//
// A searcher in process that hangs cannot be killed. It is abandoned with its memory, see package watchdog, and a new
// one is made; three games in a row that hang end the match. Whatever hangs, the match ends within the grace time of each
// player after its context was cancelled.
//
// When a process ends, all of its process group is ended. Lines are cut at 64 KiB, and lines that are not UCI are
// ignored. What costs no game is counted in stats.Incidents and reported to Output.Warn: illegal moves in variations,
// moves other than the first of the variation, moves that nobody asked for (from then on the engine gets isready
// before each move), failures at quit. A player's log gets all that passes, up to 1 MiB of output for each command,
// in a file of at most 16 MiB and the one before it, FILE.1.
//
// # Clocks
//
// The time of an external engine's move runs from just before its position and go commands are written, in one write,
// to the return of the read that holds the end of its bestmove. It includes the write, both ways through the pipe,
// the engine's reading of the position and the time in which the system wakes it. It does not include the parsing of
// lines, the log and the rules. A goroutine reads the engine's output at all times and waits for nothing, so that
// neither a slow game nor the flood of another engine delays an answer. A searcher in process is timed from the call
// of Search to its return. The time between two moves is on nobody's clock: it is stats.Overhead. At 1+0.01 on two
// cores, beside other programs, it had a median of 0.05 ms and a 99th percentile of 0.18 ms in process, and 0.04 ms
// and 0.25 ms between two engines.
//
// # Cores
//
// A game needs as many cores as the player with more threads: the two think in turn. With Config.Ponder they think at
// once, and it needs as many as both together. The number of games at a time is
// Machine.Concurrency, or less where there are too few cores, or too few accelerators for players that use one.
// Machine.Oversubscribe plays that many games in any case. Other programs on the machine are not considered.
//
// Machine.Pin keeps external engines on the cores of their game. It is off by default, because two matches on one
// machine would both take its first cores, and an engine whose options do not tell all of its threads would run them
// on too few. Where neither holds, pinning pays on a busy machine: with two games at a time on two cores, and as much
// other work again, engines of one thread searched 126,000 and 153,000 nodes a second free, and 191,000 and 211,000
// pinned.
package match
