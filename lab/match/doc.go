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
// share the machine: games at a time are limited by its cores, see below, but other programs are not asked.
//
// # Clocks
//
// An external engine's move takes from just before its position and go are written, which is one write, to the return
// of the read that holds the end of its bestmove. Included are the write, the pipe both ways, the engine's reading of
// the position and what the system needs to wake it; not included are the reading of lines, the logs of what it says
// and the rules. What the engine says is read all the time by a goroutine that waits for nobody: neither a slow game
// nor another engine's flood makes an answer later than it was. A searcher in process is timed from the call of
// Search to its return. What lies between two moves is on nobody's clock: Result.Overhead. At 1+0.01 on two cores with
// other programs at work it was a median of 0.05 ms and 0.18 ms at the 99th percentile in process, and of 0.04 ms and
// 0.25 ms between two engines.
//
// # Engines that misbehave
//
// A crash is an engine that ends, or closes its output, while it plays; a hang is one that has not moved when its
// time, its margin and then Config.Grace after stop are over. Both lose the game, and the next begins with a fresh
// process; so does a player that fails at ucinewgame, which costs no game. Three starts in a row that fail end the
// match, with the engine's last words. With a process ends all that is in its group. Lines are cut at 64 KiB, and
// what is no UCI is passed over. What costs no game is counted in Result.Incidents and told to Config.Warn: illegal
// moves in variations, moves other than the variation's first, moves that nobody asked for (from then on the engine
// is asked isready before each move), bad ends. Player.Log gets all that passes, up to 1 MiB of output for each
// command, in a file of at most 16 MiB and the one before it, FILE.1.
//
// # Cores
//
// Nobody ponders, so a game needs as many cores as the player with more threads. As many games are played at a time
// as Concurrency says and the cores allow, and one for each accelerator where a player computes on it;
// Config.Oversubscribe plays all of them. Config.Pin keeps external engines on the cores of their game. It is off
// unless asked for: two matches on one machine would both take its first cores, and an engine whose options do not
// tell all of its threads would run them on too few. Where neither holds it pays on a busy machine: of two games at a
// time on two cores with as much other work again, engines of one thread searched 126,000 and 153,000 nodes a second
// free, 191,000 and 211,000 pinned.
package match
