package main

import (
	"encoding/binary"
	"fmt"

	"tesla/board"
)

const (
	recordSize = 39
	maxPieces  = 32

	// Offsets in a record.
	gameAt     = 24
	movesAt    = 34
	flagsAt    = 37
	halfmoveAt = 38
)

// Flags of a record.
const (
	inCheck = 1 << iota
	tactical
	mateScore
	black
)

// noMate is the largest score, in centipawns, that is not a mate.
const noMate = 30000

// Pieces of a record that say more than their type and side. The others are the type less one, and 6 more for theirs.
const (
	ourCastlingRook = 12 + iota
	theirCastlingRook
	enPassantPawn
)

// record is one position with its labels; see the command's documentation.
type record struct {
	occupied board.Bitboard
	pieces   [maxPieces / 2]uint8
	game     uint32
	score    [2]int16
	best     uint16
	moves    uint8
	result   int8
	file     uint8
	flags    uint8
	halfmove uint8
}

// newRecord is the record of a position and its labels, without game and file.
func newRecord(p *board.Position, best board.Move, score [2]int16, result int8) (record, error) {
	r := record{
		occupied: p.Occupied(), score: score, best: moveCode(p, best), moves: uint8(p.CountLegal()),
		result: result, halfmove: p.Halfmove,
	}
	if n := r.occupied.Count(); n > maxPieces {
		return r, fmt.Errorf("%d pieces in %s, want at most %d", n, p.FEN(true), maxPieces)
	}
	if p.InCheck() {
		r.flags |= inCheck
	}
	if best.IsCapture() || p.Promotion(best) != board.None {
		r.flags |= tactical
	}
	if score[0] > noMate || score[0] < -noMate {
		r.flags |= mateScore
	}
	if p.Black {
		r.flags |= black
	}
	i := 0
	for b := r.occupied; b != 0; i++ {
		r.pieces[i/2] |= pieceCode(p, b.Pop()) << (4 * (i % 2))
	}
	return r, nil
}

// pieceCode is what stands on an occupied square.
func pieceCode(p *board.Position, s board.Square) uint8 {
	t, ours := p.PieceAt(s)
	switch {
	case p.Castling.Has(s) && ours:
		return ourCastlingRook
	case p.Castling.Has(s):
		return theirCastlingRook
	case p.EnPassant != board.NoSquare && s == p.EnPassant-8:
		return enPassantPawn
	case ours:
		return uint8(t - board.Pawn)
	}
	return uint8(t-board.Pawn) + 6
}

// moveCode is the number of a legal move in a record.
func moveCode(p *board.Position, m board.Move) uint16 {
	code := uint16(m.From())<<6 | uint16(m.To())
	if t := p.Promotion(m); t != board.None && t != board.Queen {
		code |= uint16(t-board.Knight+1) << 12
	}
	return code
}

// append appends the record's bytes.
func (r *record) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(r.occupied))
	b = append(b, r.pieces[:]...)
	b = binary.LittleEndian.AppendUint32(b, r.game)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.score[0]))
	b = binary.LittleEndian.AppendUint16(b, uint16(r.score[1]))
	b = binary.LittleEndian.AppendUint16(b, r.best)
	return append(b, r.moves, uint8(r.result), r.file, r.flags, r.halfmove)
}

// position is the position of a record's bytes, without its key and the number of its move.
func position(b []byte) (board.Position, error) {
	p := board.Position{EnPassant: board.NoSquare, Black: b[flagsAt]&black != 0, Halfmove: b[halfmoveAt]}
	boards := [6]*board.Bitboard{&p.Pawns, &p.Knights, &p.Bishops, &p.Rooks, &p.Queens, &p.Kings}
	i := 0
	for left := board.Bitboard(binary.LittleEndian.Uint64(b)); left != 0 && i < maxPieces; i++ {
		s := left.Pop()
		code := b[8+i/2] >> (4 * (i % 2)) & 15
		side, kind := &p.Theirs, code%6
		switch {
		case code < 6:
			side = &p.Ours
		case code == ourCastlingRook:
			side, kind, p.Castling = &p.Ours, uint8(board.Rook-board.Pawn), p.Castling|s.Bitboard()
		case code == theirCastlingRook:
			kind, p.Castling = uint8(board.Rook-board.Pawn), p.Castling|s.Bitboard()
		case code == enPassantPawn:
			kind, p.EnPassant = 0, s+8
		case code > enPassantPawn:
			return p, fmt.Errorf("piece %d on %v, want at most %d", code, s, enPassantPawn)
		}
		*side |= s.Bitboard()
		*boards[kind] |= s.Bitboard()
	}
	if (p.Kings&p.Ours).Count() != 1 || (p.Kings&p.Theirs).Count() != 1 || p.EnPassant > board.NoSquare {
		return p, fmt.Errorf("no position: kings %x, en passant %v", uint64(p.Kings), p.EnPassant)
	}
	return p, nil
}
