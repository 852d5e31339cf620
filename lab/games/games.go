// Package games keeps games with scores in compact, checksummed files, to which games are appended as they are made.
// Every game in a file is whole: a kill leaves at most a torn last record, and a power cut a damaged tail. Resume cuts
// both off.
//
//	 0  "TESLAGMS"
//	 8  uint32 version, 1
//	12  uint32 length of the header
//	16  header, JSON: what made the games
//	    records to the end of the file
//
// A record is the length of its body (uvarint), the body, and the CRC-32 of the body (IEEE, uint32). A body is
//
//	uvarint  number of the game, unique in the file
//	byte     White's result: 0 lost, 1 drawn, 2 won; 4 more where the game does not begin in the initial position
//	         there: uvarint length and FEN
//	uvarint  number of opening moves, which no player chose; each uint16
//	uvarint  number of further moves; each
//	         uint16  the move, see Code; its highest bit says that choices follow
//	         varint  the mover's score before the move, centipawns, plus that of the ply before. The other side had
//	                 that score, so the sum is small
//	         where choices follow: uvarint their number; each uint16 move, varint score less the mover's
//
// Integers are little-endian; uvarint and varint are those of encoding/binary. The score of a mate is 32000 less the
// plies to it. A move with its score takes a little more than three bytes.
package games

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"tesla/board"
)

// MateScore less the plies to a mate is the score of that mate.
const MateScore = 32000

// Code is a move in a file: origin and destination (six bits each, a1 = 0, from White's side), and the piece of a pawn
// promotion (three bits, 0: none, 1 to 4: knight to queen). Castling is written as king takes rook.
type Code uint16

// choices is the bit of a Code that says that choices follow.
const choices = 1 << 15

// Encode is the code of a legal move.
func Encode(p *board.Position, m board.Move) Code {
	c := Code(p.Absolute(m.From())) | Code(p.Absolute(m.To()))<<6
	if t := p.Promotion(m); t != 0 {
		c |= Code(t-board.Knight+1) << 12
	}
	return c
}

// Move is the legal move of the code.
func (c Code) Move(p *board.Position) (board.Move, error) {
	var buffer [board.MaxMoves]board.Move
	for _, m := range p.LegalMoves(buffer[:0]) {
		if Encode(p, m) == c {
			return m, nil
		}
	}
	return board.NullMove, fmt.Errorf("move %v is illegal in %s", c, p.FEN(true))
}

// String is the move in UCI form, castling as king takes rook.
func (c Code) String() string {
	text := board.Square(c&63).String() + board.Square(c>>6&63).String()
	if t := c >> 12 & 7; t > 0 && t <= 4 {
		text += "nbrq"[t-1 : t]
	}
	return text
}

// Choice is a move and its score for the mover.
type Choice struct {
	Move  Code
	Score int16
}

// Ply is a move that was played, with the mover's score before it. Choices are the moves that were considered, the best
// first; empty: not known.
type Ply struct {
	Choice
	Choices []Choice
}

// Game is a game with scores.
type Game struct {
	Number  uint64
	Start   board.Position
	Opening []Code // moves that no player chose
	Plies   []Ply
	Result  int8 // for White: 1, 0 or -1
}

// Play makes the moves. It calls visit before each move with its number: below zero in the opening, then the index of
// its Ply. It returns the last position.
func (g *Game) Play(visit func(ply int, p *board.Position, m board.Move) error) (board.Position, error) {
	p := g.Start
	for i := range len(g.Opening) + len(g.Plies) {
		ply := i - len(g.Opening)
		var c Code
		if ply < 0 {
			c = g.Opening[i]
		} else {
			c = g.Plies[ply].Move
		}
		m, err := c.Move(&p)
		if err == nil {
			err = visit(ply, &p, m)
		}
		if err != nil {
			return p, fmt.Errorf("game %d, move %d: %w", g.Number, i+1, err)
		}
		p = p.After(m)
	}
	return p, nil
}

// Labels calls visit with the positions that a player searched, the index of their Ply, and the best move found there:
// the first of the choices, or the move that was played where there are none. It returns the last position.
func (g *Game) Labels(visit func(ply int, p *board.Position, best board.Move) error) (board.Position, error) {
	return g.Play(func(ply int, p *board.Position, m board.Move) (err error) {
		if ply < 0 {
			return nil
		}
		if c := g.Plies[ply].Choices; len(c) > 0 {
			if m, err = c[0].Move.Move(p); err != nil {
				return err
			}
		}
		return visit(ply, p, m)
	})
}

// append appends the body of a game to a record.
func (g *Game) append(b []byte) []byte {
	b = binary.AppendUvarint(b, g.Number)
	initial := board.StartPosition()
	if result := byte(g.Result + 1); g.Start == initial {
		b = append(b, result)
	} else {
		fen := g.Start.FEN(true)
		b = binary.AppendUvarint(append(b, result|4), uint64(len(fen)))
		b = append(b, fen...)
	}
	b = binary.AppendUvarint(b, uint64(len(g.Opening)))
	for _, c := range g.Opening {
		b = binary.LittleEndian.AppendUint16(b, uint16(c))
	}
	b = binary.AppendUvarint(b, uint64(len(g.Plies)))
	before := int16(0)
	for i := range g.Plies {
		p := &g.Plies[i]
		move := p.Move
		if len(p.Choices) > 0 {
			move |= choices
		}
		b = binary.LittleEndian.AppendUint16(b, uint16(move))
		b = binary.AppendVarint(b, int64(p.Score)+int64(before))
		before = p.Score
		if len(p.Choices) == 0 {
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(p.Choices)))
		for _, c := range p.Choices {
			b = binary.LittleEndian.AppendUint16(b, uint16(c.Move))
			b = binary.AppendVarint(b, int64(c.Score)-int64(p.Score))
		}
	}
	return b
}

// MarshalBinary implements encoding.BinaryMarshaler: it returns the body of a record.
func (g *Game) MarshalBinary() ([]byte, error) { return g.append(nil), nil }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Whether the moves are legal, Play tells.
func (g *Game) UnmarshalBinary(body []byte) error {
	read, err := decode(body)
	if err != nil {
		return fmt.Errorf("games: %w", err)
	}
	*g = *read
	return nil
}

// decoder reads a body. After its first error it returns zeros.
type decoder struct {
	rest []byte
	err  error
}

var (
	errShort  = errors.New("the record ends too early")
	errResult = errors.New("its result is not known")
)

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.rest = nil
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.fail(errShort)
		return make([]byte, min(n, 2))
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uvarint() uint64 {
	x, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail(errShort)
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

// score reads a score that is written as a difference to another.
func (d *decoder) score(other int64) int16 {
	x, n := binary.Varint(d.rest)
	if n <= 0 {
		d.fail(errShort)
		return 0
	}
	d.rest = d.rest[n:]
	if x += other; x < math.MinInt16 || x > math.MaxInt16 {
		d.fail(fmt.Errorf("score %d is out of range", x))
		return 0
	}
	return int16(x)
}

func (d *decoder) code() Code { return Code(binary.LittleEndian.Uint16(d.take(2))) }

// count reads the number of items that follow. Each takes at least the given number of bytes.
func (d *decoder) count(each uint64) int {
	n := d.uvarint()
	if n > uint64(len(d.rest))/each {
		d.fail(errShort)
		return 0
	}
	return int(n)
}

func decode(body []byte) (*Game, error) {
	d := decoder{rest: body}
	number := d.uvarint()
	kind := d.take(1)[0]
	if kind&^7 != 0 || kind&3 == 3 {
		d.fail(errResult)
	}
	if d.err != nil { // early, for findRecord tries every byte
		return nil, d.err
	}
	g := &Game{Number: number, Start: board.StartPosition(), Result: int8(kind&3) - 1}
	if kind&4 != 0 {
		fen := string(d.take(d.uvarint()))
		if start, err := board.ParseFEN(fen); err != nil {
			d.fail(fmt.Errorf("start position: %w", err))
		} else {
			g.Start = start
		}
	}
	for range d.count(2) {
		g.Opening = append(g.Opening, d.code())
	}
	before := int64(0)
	for range d.count(3) {
		move := d.code()
		p := Ply{Choice: Choice{Move: move &^ choices, Score: d.score(-before)}}
		before = int64(p.Score)
		if move&choices != 0 {
			for range d.count(3) {
				p.Choices = append(p.Choices, Choice{Move: d.code(), Score: d.score(before)})
			}
		}
		g.Plies = append(g.Plies, p)
	}
	if d.err == nil && len(d.rest) > 0 {
		d.fail(fmt.Errorf("%d bytes are left over", len(d.rest)))
	}
	return g, d.err
}
