// Package book reads opening books in Polyglot's format (F. Letouzey and M. Kervinck, "Book format",
// hardy.uhasselt.be/Toga/book_format.html, 2007), which most programs write and read.
//
// A book is a list of entries of 16 bytes, big-endian: the key of a position (8), a move (2), its weight (2), and four
// bytes for learning, which nobody needs. The key is a Zobrist key of 781 published numbers.
//
// Invariant: a Book gives legal moves only, whatever its file holds. It is not changed after Read, so that several
// goroutines may share it.
package book

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"tesla/board"
)

const (
	entryBytes = 16
	// mostBytes is the largest file that is read: forty times the largest books that people share.
	mostBytes = 4 << 30
)

// Book is a book in memory.
type Book struct{ entries []entry }

// entry is a move for a position.
type entry struct {
	key          uint64
	move, weight uint16
}

// Choice is a move that a book has for a position.
type Choice struct {
	Move   board.Move
	Weight int // in relation to the position's other moves; 0: it is known, and not to be played
}

// Open reads a book from a file. The error names the file.
func Open(path string) (*Book, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("book: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("book %s: not a regular file", path)
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("book %s: %d bytes, want at most %d", path, info.Size(), int64(mostBytes))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	b, err := Read(data)
	if err != nil {
		return nil, fmt.Errorf("book %s: %w", path, err)
	}
	return b, nil
}

// Read reads the bytes of a book. Entries should be in the order of their keys; where they are not, they are sorted.
func Read(data []byte) (*Book, error) {
	if len(data) == 0 {
		return nil, errors.New("empty file")
	}
	if n := len(data) % entryBytes; n != 0 {
		return nil, fmt.Errorf("no Polyglot book of %d bytes: %d come after the last whole entry, an entry has %d", len(data), n, entryBytes)
	}
	b := &Book{make([]entry, len(data)/entryBytes)}
	for i := range b.entries {
		at := data[entryBytes*i:]
		b.entries[i] = entry{binary.BigEndian.Uint64(at), binary.BigEndian.Uint16(at[8:]), binary.BigEndian.Uint16(at[10:])}
	}
	order := func(a, b entry) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(b.entries, order) {
		slices.SortStableFunc(b.entries, order)
	}
	if !slices.ContainsFunc(b.Moves(board.NewGame(board.StartPosition())), func(c Choice) bool { return c.Weight > 0 }) && !b.plausible() {
		return nil, errors.New("no Polyglot book: most of its moves cannot be moves")
	}
	return b, nil
}

// plausible reports whether most entries may be moves: from one square to another, with a piece that may be promoted to.
func (b *Book) plausible() bool {
	good := 0
	for _, e := range b.entries {
		if from, to, piece := e.move>>6&63, e.move&63, e.move>>12; from != to && piece <= 4 {
			good++
		}
	}
	return 2*good > len(b.entries)
}

// Len is the number of entries.
func (b *Book) Len() int { return len(b.entries) }

// Moves are the legal moves that the book has for the position of a game, the heaviest first.
func (b *Book) Moves(g *board.Game) []Choice {
	key := Key(g)
	at, found := slices.BinarySearchFunc(b.entries, key, func(e entry, key uint64) int { return cmp.Compare(e.key, key) })
	var all []Choice
	for ; found && at < len(b.entries) && b.entries[at].key == key; at++ {
		e := b.entries[at]
		m, ok := decode(&g.Pos, e.move)
		if ok && !slices.ContainsFunc(all, func(c Choice) bool { return c.Move == m }) {
			all = append(all, Choice{m, int(e.weight)})
		}
	}
	slices.SortStableFunc(all, func(a, b Choice) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}

// Pick is a move of the book, drawn by weight with a random number below 1; false where the book has none to play.
func (b *Book) Pick(g *board.Game, random float64) (m board.Move, ok bool) {
	moves, sum := b.Moves(g), 0
	for _, c := range moves {
		sum += c.Weight
	}
	at := int(random * float64(sum))
	for _, c := range moves {
		if at -= c.Weight; at < 0 {
			return c.Move, true
		}
	}
	return board.NullMove, false
}

// Lines are the lines of the book from the start of standard chess: each ends after some plies, or where the book ends;
// 0 plies is no limit. Of the lines that lead to one position only the first, by length and weight, goes on.
func (b *Book) Lines(plies int) (lines [][]board.Move) {
	seen := map[uint64]bool{}
	for open := []*board.Game{board.NewGame(board.StartPosition())}; len(open) > 0; {
		var next []*board.Game
		for _, g := range open {
			inner := false
			for _, c := range b.Moves(g) {
				if c.Weight == 0 || plies > 0 && len(g.Moves) >= plies {
					continue
				}
				inner = true
				after := g.Clone()
				after.Play(c.Move)
				if key := after.Pos.Key; !seen[key] && after.Outcome() == board.Ongoing {
					seen[key] = true
					next = append(next, after)
				}
			}
			if !inner && len(g.Moves) > 0 {
				lines = append(lines, g.Moves)
			}
		}
		open = next
	}
	return lines
}

// promotions are the letters of the pieces in a move's last bits.
const promotions = " nbrq"

// decode is the legal move of a position that a move of the format stands for: three bits each for file and rank of the
// target, file and rank of the origin, and the new piece. Castling is the king taking its rook; some books have the
// king's own target, which is read as well.
func decode(p *board.Position, move uint16) (board.Move, bool) {
	from, to, piece := board.Square(move>>6&63), board.Square(move&63), int(move>>12)
	if piece >= len(promotions) {
		return board.NullMove, false
	}
	text := from.String() + to.String()
	if piece > 0 {
		text += promotions[piece : piece+1]
	}
	m, err := p.ParseMove(text)
	return m, err == nil
}
