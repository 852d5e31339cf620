// Command prepare turns games (see package games, either form) into flat little-endian arrays for training.
//
//	prepare -out DIR games.txt varied.games ...
//
// Positions are written from the side to move, in the order of the files. With N positions and M legal moves in all:
//
//	code.u8     [N][64]  what stands on each square: 0 empty, 1..6 ours, 7..12 theirs (pawn to king)
//	attack.u8   [N][64]  how each square is attacked: 16 times our eut.AttackCodes code plus their one
//	kings.u8    [N][64]  eut.KingCodes of each square
//	attacks.u64 [N][64]  the squares that the piece on each square attacks, as bits
//	flags.u8    [N][2]   castling rights (bit 0 ours kingside, 1 ours queenside, 2 theirs kingside, 3 theirs
//	                     queenside), en passant file (8: none)
//	score.i16   [N][2]   the mover's score, and the same side's two plies later; centipawns, mates at +-32000
//	                     less the distance; games.Missing where the game ended first
//	result.i8   [N]      the mover's result: 1, 0 or -1
//	played.u8   [N]      index of the best move among the legal ones
//	game.u32    [N]      number of the game
//	offset.u32  [N+1]    where each position's legal moves start
//	context.u32 [N][2]   rows of what a search would have known when it met this position, see origins; the top bit tells that the
//	                     other side is to move there; 0xffffffff: none
//	moves.u16   [M]      from*64+to, plus 4096 * {1 knight, 2 bishop, 3 rook} for an underpromotion
//
// and with -shallow, by the net for processors, embedded or of a file:
//
//	shallow.i16 [N]      the mover's score after quiescence, centipawns
//	share.u8    [M]      a softmax of what quiescence finds after each legal move, the best one's 255
package main

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tesla/eut"

	"tesla/board"
	"tesla/lab/games"
	"tesla/models"
	"tesla/nnue"
)

// arrays holds one buffered writer per output file and the counts of what was written.
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
	out := flag.String("out", "", "folder for the arrays")
	look := flag.Bool("shallow", false, "also what a shallow search finds")
	weights := flag.String("weights", "", "net of -shallow (default: the embedded one)")
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

// run writes the arrays of the games of files into folder dir.
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

// addFile writes the games of a file, numbered on from those counted.
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

// create opens the files.
func (a *arrays) create(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", dir, err)
	}
	for name, w := range map[string]**bufio.Writer{
		"code.u8": &a.code, "attack.u8": &a.attack, "kings.u8": &a.kings, "attacks.u64": &a.attacks, "flags.u8": &a.flags, "score.i16": &a.score, "result.i8": &a.result,
		"played.u8": &a.played, "game.u32": &a.game, "context.u32": &a.context, "offset.u32": &a.offset, "moves.u16": &a.moves,
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

// close flushes all files; bufio keeps the first write error, so checking here covers every write.
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
		return fmt.Errorf("played move %d is not among the legal ones", played)
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

// put writes a fixed-size value; the writer keeps its error for close.
func put(w io.Writer, v any) {
	_ = binary.Write(w, binary.LittleEndian, v)
}

// castling gives the four rights as bits: a rook beyond its king's file is the kingside one.
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
