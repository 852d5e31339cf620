// Command prepare turns games into flat little-endian arrays, on which the value and policy nets are trained. It reads
// both the text and the binary form of package games.
//
//	prepare -out DIR games.txt varied.txt ...
//
// Positions come in the order of the files. Games are numbered from 0 across all files. N is the number of positions, F
// that of features and M that of legal moves, in all files together:
//
//	features.u16 [F]    active features of the policy net (see package nnue); those of pieces precede those of pins
//	foffset.u32  [N+1]  where each position's features start
//	men.u8       [N]    number of pieces, kings and pawns included: the number of their features
//	kings.u8     [N][2] squares of the mover's king and the opponent's, in the frame of the features
//	flags.u8     [N]    sum of 1: the mover is in check, 2: the best move is a capture or pawn promotion, 4: a mate score
//	score.i16    [N][2] the mover's score, and the same side's score two plies later (games.Missing: there is none)
//	result.i8    [N]    the mover's result: 1, 0 or -1
//	played.u8    [N]    index of the best move among the legal ones
//	game.u32     [N]    number of the game
//	file.u8      [N]    number of the file
//	moffset.u32  [N+1]  where each position's legal moves start
//	row1.u16     [M]    2 * geometry + exchange; exchange is 1 if the static exchange does not lose material, else 0
//	row2.u16     [M]    (2 * type after the move + check) * 64 + to
//	scalar.u8    [M]    ((captured + 1, or 0) * 6 + type) * 4 + 2 * exchange + check
//
// The frame is the mover's view, with files mirrored if its king stands on a file from e to h. A piece's feature is
// ((side*6 + type)*4 + 2*attacked + defended)*64 + square. The value net's feature of a piece has no such states: it is
// (side*6 + type)*64 + square.
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"tesla/board"
	"tesla/lab/games"
	"tesla/nnue"
)

// Bits of flags.u8.
const (
	inCheck = 1 << iota
	tactical
	mateScore
)

// decided is the largest score, in centipawns, that is not a mate.
const decided = 30000

// column writes one array. Its first error is kept and returned by Flush.
type column struct {
	*bufio.Writer
	file *os.File
}

func (c *column) u8(v ...uint8) { _, _ = c.Write(v) }
func (c *column) u16(v uint16) {
	_, _ = c.Write(binary.LittleEndian.AppendUint16(c.AvailableBuffer(), v))
}
func (c *column) u32(v uint32) {
	_, _ = c.Write(binary.LittleEndian.AppendUint32(c.AvailableBuffer(), v))
}

// arrays holds the columns and the numbers of elements written.
type arrays struct {
	features, foffset, men, kings, flags, score, result, played, game, file, moffset, row1, row2, scalar column

	nfeatures, nmoves uint64
	positions         int
}

// columns returns the columns by the names of their files.
func (a *arrays) columns() map[string]*column {
	return map[string]*column{
		"features.u16": &a.features, "foffset.u32": &a.foffset, "men.u8": &a.men, "kings.u8": &a.kings, "flags.u8": &a.flags,
		"score.i16": &a.score, "result.i8": &a.result, "played.u8": &a.played, "game.u32": &a.game, "file.u8": &a.file,
		"moffset.u32": &a.moffset, "row1.u16": &a.row1, "row2.u16": &a.row2, "scalar.u8": &a.scalar,
	}
}

func main() {
	out := flag.String("out", "", "folder to write the arrays to")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Args(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(1)
	}
}

// run reads games from files and writes the arrays into folder dir.
func run(paths []string, dir string) error {
	a, err := create(dir)
	if err != nil {
		return err
	}
	first := uint32(0)
	for i, path := range paths {
		n, err := a.addFile(path, uint8(i), first)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		first += n
	}
	return a.close()
}

// create opens the files of all arrays in folder dir.
func create(dir string) (*arrays, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create %s: %w", dir, err)
	}
	a := &arrays{}
	for name, c := range a.columns() {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("create array: %w", err)
		}
		*c = column{bufio.NewWriterSize(f, 1<<18), f}
	}
	return a, a.putOffsets()
}

// close flushes and closes the files. Its error may be that of an earlier write.
func (a *arrays) close() error {
	for name, c := range a.columns() {
		if err := c.Flush(); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := c.file.Close(); err != nil {
			return fmt.Errorf("close %s: %w", name, err)
		}
	}
	return nil
}

// addFile writes the positions of the games in one file. It numbers the games from first on and returns their count.
func (a *arrays) addFile(path string, file uint8, first uint32) (uint32, error) {
	var count games.Count
	err := games.EachOf(path, func(g *games.Game) error {
		number := first + uint32(count.Games())
		count.Add(g)
		_, err := g.Labels(func(ply int, pos *board.Position, best board.Move) error {
			return a.addPosition(pos, best, g.Scores(ply), g.ResultFor(pos), number, file)
		})
		return err
	})
	fmt.Printf("%s: %s\n", path, &count)
	return uint32(count.Games()), err
}

// addPosition writes one position. played is its best move, by the label of the game.
func (a *arrays) addPosition(pos *board.Position, played board.Move, score [2]int16, result int8, game uint32, file uint8) error {
	mirror := nnue.Mirror(pos)
	legal := pos.LegalMoves(make([]board.Move, 0, board.MaxMoves))
	features, moves := nnue.PolicyInput(pos, legal, make([]uint32, 0, 64), make([]nnue.PolicyMove, 0, board.MaxMoves))
	for _, m := range moves {
		a.row1.u16(uint16(m.Row1))
		a.row2.u16(uint16(m.Row2))
		a.scalar.u8(uint8(m.Scalar))
	}
	index := slices.Index(legal, played)
	if index < 0 {
		return fmt.Errorf("the labelled move %d is not legal", played)
	}
	var flags byte
	if pos.InCheck() {
		flags |= inCheck
	}
	if played.IsCapture() || pos.Promotion(played) != board.None {
		flags |= tactical
	}
	if score[0] > decided || score[0] < -decided {
		flags |= mateScore
	}
	for _, f := range features {
		a.features.u16(uint16(f))
	}
	theirs := (pos.Kings & pos.Theirs).First()
	a.kings.u8(uint8(pos.King()^mirror), uint8(theirs^mirror))
	a.men.u8(uint8(bits.OnesCount64(uint64(pos.Occupied()))))
	a.flags.u8(flags)
	a.score.u16(uint16(score[0]))
	a.score.u16(uint16(score[1]))
	a.result.u8(uint8(result))
	a.played.u8(uint8(index))
	a.game.u32(game)
	a.file.u8(file)
	a.nfeatures += uint64(len(features))
	a.nmoves += uint64(len(legal))
	a.positions++
	return a.putOffsets()
}

// putOffsets writes where the features and legal moves of the next position begin.
func (a *arrays) putOffsets() error {
	if max(a.nfeatures, a.nmoves) > math.MaxUint32 {
		return fmt.Errorf("more than 2^32 features or moves")
	}
	a.foffset.u32(uint32(a.nfeatures))
	a.moffset.u32(uint32(a.nmoves))
	return nil
}
