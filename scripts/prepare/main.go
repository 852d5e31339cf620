// Command prepare turns games into shards of positions, on which all nets are trained, and has a net judge them as a
// teacher. It reads both the text and the binary form of package games.
//
//	prepare -out DIR games.txt varied.games ...
//	prepare -out DIR -teacher eut-m.tesla -backend cuda -every 3
//	prepare -out DIR -scores stockfish-15.1/src/stockfish
//
// Positions come in the order of the files; games are numbered from 0 across all files. DIR holds
//
//	00000.positions, 00001.positions, ...  records of 39 bytes, 2^20 in each shard but the last
//	manifest.json                          what the shards hold, written last: without it the shards are not complete
//	00000.teacher, ...                     what a teacher says of the legal moves of each position; see teach
//	teacher.json                           which net is the teacher
//	00000.scores, ...                      how far each legal move is behind the best one by a shallow search; see scorer
//	scores.json                            which program searched, and how
//
// A record, seen from the side to move, with all integers little-endian:
//
//	 0  uint64     occupied squares, bit 0 = a1
//	 8  [32]uint4  what stands on them, in the order of squares, the lower half of a byte first: 0 to 5 our pawn to king,
//	               6 to 11 theirs, 12 our rook and 13 their rook that may castle, 14 their pawn that may be taken en passant
//	24  uint32     number of the game
//	28  [2]int16   the mover's score, and the same side's score two plies later, in centipawns; a mate is 32000 less its
//	               distance, with its sign; games.Missing where the game ended before
//	32  uint16     the best move: 64 * from + to, plus 4096 * {1 knight, 2 bishop, 3 rook} for an underpromotion;
//	               castling goes to the rook
//	34  uint8      number of legal moves
//	35  int8       the mover's result: 1, 0 or -1
//	36  uint8      number of the file
//	37  uint8      flags: 1 the mover is in check, 2 the best move is a capture or pawn promotion, 4 a mate score, 8 black is
//	               to move
//	38  uint8      plies since the last capture or pawn move
//
// What nets read beside (attacks, features, legal moves) is computed while they are trained, by scripts/shards/position.c.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"tesla/batcher"
	"tesla/board"
	"tesla/engine"
	"tesla/lab/games"
)

// options are what the user asks for.
type options struct {
	out     string
	games   []string
	teacher string
	backend string
	threads int
	every   int
	scores  string
	search  scoring
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "", "folder of the shards")
	flag.StringVar(&o.teacher, "teacher", "", "net file of an EUT whose policy is written beside the shards")
	flag.StringVar(&o.backend, "backend", "cpu", "backend of the teacher")
	flag.IntVar(&o.threads, "threads", runtime.NumCPU(), "threads of the teacher")
	flag.IntVar(&o.every, "every", 1, "the teacher judges every N-th game")
	flag.StringVar(&o.scores, "scores", "", "program of scripts/labels/stockfish.sh whose scores of all moves are written beside the shards")
	flag.IntVar(&o.search.Depth, "depth", 3, "depth to which it searches the position after each move")
	flag.IntVar(&o.search.Window, "window", 1000, "centipawns below the best move within which scores are exact")
	flag.Parse()
	o.games = flag.Args()
	if o.out == "" || len(o.games) == 0 && o.teacher == "" && o.scores == "" || o.every < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(&o); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(1)
	}
}

// run writes the shards of the games, where games are named, and then the parts of scores and of the teacher, where they are asked for.
func run(o *options) error {
	if len(o.games) > 0 {
		if err := writeShards(o.out, o.games); err != nil {
			return err
		}
	}
	if o.scores != "" {
		if err := score(o.out, o.scores, o.search); err != nil {
			return err
		}
	}
	if o.teacher == "" {
		return nil
	}
	set := engine.Default()
	set.Backend, set.Threads, set.WeightsFile = o.backend, o.threads, o.teacher
	backend, _, notes, err := engine.OpenBackend(set, batcher.Options{MaxBatch: teacherBatch})
	for _, note := range notes {
		fmt.Println(note)
	}
	if err != nil {
		return err
	}
	began := time.Now()
	n, err := teach(o.out, backend, o.every)
	if seconds := time.Since(began).Seconds(); n > 0 {
		fmt.Printf("teacher %s: %d positions in %.0f s, %.0f a second\n", backend.Info().Model, n, seconds, float64(n)/seconds)
	}
	return errors.Join(err, backend.Close())
}

// writeShards writes the positions of the games in some files.
func writeShards(dir string, paths []string) error {
	if len(paths) > math.MaxUint8+1 {
		return fmt.Errorf("%d files of games, want at most %d", len(paths), math.MaxUint8+1)
	}
	w, err := newWriter(dir)
	if err != nil {
		return err
	}
	number := uint32(0)
	for i, path := range paths {
		var count games.Count
		err := games.EachOf(path, func(g *games.Game) error {
			_, err := g.Labels(func(ply int, p *board.Position, best board.Move) error {
				r, err := newRecord(p, best, g.Scores(ply), g.ResultFor(p))
				if err != nil {
					return err
				}
				r.game, r.file = number, uint8(i)
				return w.add(&r)
			})
			number++
			count.Add(g)
			return err
		})
		if err != nil {
			return errors.Join(err, w.endShard())
		}
		fmt.Printf("%s: %s\n", path, &count)
		w.files = append(w.files, source{Name: path, Count: count})
	}
	if w.positions == 0 {
		return cmp.Or(w.endShard(), errors.New("the games have no positions"))
	}
	return w.close()
}
