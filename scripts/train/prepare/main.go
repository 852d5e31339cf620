// Command prepare turns games into flat little-endian arrays, on which the transformer is trained. It reads both the
// text and the binary form of package games.
//
//	prepare -out DIR games.txt varied.games ...
//
// Positions come in the order of the files, seen from the side to move. Games are numbered from 0 across all files. N
// is the number of positions and M that of legal moves, in all files together:
//
//	code.u8     [N][64]  piece on each square: 0 none, 1..6 ours, 7..12 theirs, from pawn to king
//	attack.u8   [N][64]  attacks on each square: 16 times our code plus theirs, see eut.AttackCodes
//	kings.u8    [N][64]  eut.KingCodes of each square
//	attacks.u64 [N][64]  bitboard of the squares that the piece on each square attacks
//	flags.u8    [N][2]   castling rights (bit 0 ours kingside, 1 ours queenside, 2 theirs kingside, 3 theirs
//	                     queenside), then en passant file (8: none)
//	score.i16   [N][2]   the mover's score, and the same side's score two plies later, in centipawns; a mate is 32000
//	                     less its distance, with its sign; games.Missing where the game ended before
//	result.i8   [N]      the mover's result: 1, 0 or -1
//	played.u8   [N]      index of the best move among the legal ones
//	game.u32    [N]      number of the game
//	offset.u32  [N+1]    where each position's legal moves start
//	context.u32 [N][2]   rows of two positions that a search which reaches this one has already evaluated, see origins; the
//	                     top bit is set where the other side is to move there; 0xffffffff: none
//	moves.u16   [M]      from*64+to, plus 4096 * {1 knight, 2 bishop, 3 rook} for an underpromotion
//
// With -shallow, what the value net of package nnue (embedded or from -weights) finds by quiescence:
//
//	shallow.i16 [N]      the mover's score after quiescence, centipawns
//	share.u8    [M]      softmax of the values after each legal move, scaled so that the best move has 255
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tesla/board"
	"tesla/eut"
	"tesla/lab/games"
	"tesla/models"
	"tesla/nnue"
)

// arrays holds one buffered writer for each file, and the numbers of elements written.
type arrays struct {
	code, attack, kings, attacks, flags, score, result, played, game, context, offset, moves, shallow, share *bufio.Writer

	files   []*os.File
	writers []*bufio.Writer // all of them
	rows    uint32
	legal   uint32
	origins origins
	look    *shallow // nil without -shallow
	shares  []uint8
}

func main() {
	out := flag.String("out", "", "folder to write the arrays to")
	look := flag.Bool("shallow", false, "also write what a quiescence search finds")
	weights := flag.String("weights", "", "net file for -shallow (default: the embedded net)")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Args(), *out, *look, *weights); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(1)
	}
}

// run reads games from files and writes the arrays into folder dir.
func run(files []string, dir string, look bool, weights string) error {
	a := &arrays{origins: newOrigins()}
	if look {
		net, err := models.OpenNNUE(weights)
		if err != nil {
			return err
		}
		a.look = &shallow{worker: nnue.NewWorker(net)}
	}
	if err := a.create(dir); err != nil {
		return err
	}
	var count games.Count
	for _, path := range files {
		if err := a.addFile(path, &count); err != nil {
			return err
		}
	}
	fmt.Printf("%s, legal moves %d\n", &count, a.legal)
	return a.close()
}

// addFile writes the positions of the games in one file. It numbers games by count, and adds to count.
func (a *arrays) addFile(path string, count *games.Count) error {
	return games.EachOf(path, func(g *games.Game) error {
		number := uint32(count.Games())
		count.Add(g)
		a.origins.begin(g, a.rows)
		_, err := g.Labels(func(ply int, pos *board.Position, best board.Move) error {
			return a.addPosition(pos, best, g.Scores(ply), g.ResultFor(pos), number)
		})
		return err
	})
}

// create opens the files of all arrays in folder dir.
func (a *arrays) create(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", dir, err)
	}
	for name, w := range map[string]**bufio.Writer{
		"code.u8": &a.code, "attack.u8": &a.attack, "kings.u8": &a.kings, "attacks.u64": &a.attacks,
		"flags.u8": &a.flags, "score.i16": &a.score, "result.i8": &a.result, "played.u8": &a.played,
		"game.u32": &a.game, "context.u32": &a.context, "offset.u32": &a.offset, "moves.u16": &a.moves,
		"shallow.i16": &a.shallow, "share.u8": &a.share,
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("create array: %w", err)
		}
		a.files = append(a.files, f)
		*w = bufio.NewWriterSize(f, 1<<18)
		a.writers = append(a.writers, *w)
	}
	a.putOffset()
	return nil
}

// close flushes and closes all files. Its error covers every write: bufio keeps the first one.
func (a *arrays) close() error {
	for _, w := range a.writers {
		if err := w.Flush(); err != nil {
			return fmt.Errorf("write array: %w", err)
		}
	}
	for _, f := range a.files {
		if err := f.Close(); err != nil {
			return fmt.Errorf("close array: %w", err)
		}
	}
	return nil
}

// addPosition writes one position. played is its best move, by the label of the game.
func (a *arrays) addPosition(pos *board.Position, played board.Move, score [2]int16, result int8, game uint32) error {
	var codes eut.Squares
	codes.Set(pos)
	attack := codes.Theirs
	for s, c := range codes.Ours {
		attack[s] |= c << 4
	}
	legal := pos.LegalMoves(make([]board.Move, 0, board.MaxMoves))
	index := -1
	for i, m := range legal {
		if m == played {
			index = i
		}
		v := uint16(m.From())<<6 | uint16(m.To())
		if p := pos.Promotion(m); p != board.None && p != board.Queen {
			v += 4096 * uint16(p-board.Knight+1)
		}
		put(a.moves, v)
	}
	if index < 0 {
		return fmt.Errorf("the labelled move %d is not legal", played)
	}
	a.legal += uint32(len(legal))
	if a.look != nil {
		put(a.shallow, a.look.score(pos))
		a.shares = a.look.shares(a.shares[:0], pos, legal)
		a.share.Write(a.shares)
	}
	a.code.Write(codes.Piece[:])
	a.attack.Write(attack[:])
	a.kings.Write(codes.Kings[:])
	put(a.attacks, codes.Attacks)
	a.flags.Write([]byte{castling(pos), enPassantFile(pos)})
	put(a.score, score)
	put(a.result, result)
	put(a.played, uint8(index))
	put(a.game, game)
	put(a.context, a.origins.of(pos, a.rows))
	a.rows++
	a.putOffset()
	return nil
}

func (a *arrays) putOffset() { put(a.offset, a.legal) }

// put writes a value of fixed size. The writer keeps the error for close.
func put(w io.Writer, v any) {
	_ = binary.Write(w, binary.LittleEndian, v)
}

// castling returns the four rights as the bits of flags.u8. A rook to the right of its king is the kingside one.
func castling(pos *board.Position) byte {
	var bits byte
	for rooks := pos.Castling; rooks != 0; {
		s := rooks.Pop()
		kings, shift := pos.Kings&pos.Ours, 0
		if s >= 32 {
			kings, shift = pos.Kings&pos.Theirs, 2
		}
		if s&7 < kings.First()&7 {
			shift++
		}
		bits |= 1 << shift
	}
	return bits
}

func enPassantFile(pos *board.Position) byte {
	if pos.EnPassant == board.NoSquare {
		return 8
	}
	return byte(pos.EnPassant & 7)
}
