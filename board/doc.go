// Package board holds the rules of chess: positions, moves, legal move generation, Zobrist keys, FEN, UCI move text,
// static exchange evaluation, repetition and perft. Chess960 is not a mode: castling is the king taking its own rook.
//
// # Side to move's view
//
// A [Position] is written from the side to move. "Ours" are the pieces of the player to move, rank 1 is that player's
// own back rank, and pawns always go up. After every move the board is mirrored (bits.ReverseBytes64 on eight words),
// so nothing in generation asks whose colour it is. Only Zobrist keys, FEN and UCI text are in absolute colours and
// squares; [Position.Absolute] converts.
//
// # Legal generation
//
// Checkers and pinned pieces are found first; every other step then produces legal moves only. Nothing is made and
// tested, except the en passant capture, which removes two pieces from one line and has a check of its own.
//
// # Invariants
//
// A Position that came from [StartPosition], [ParseFEN] or [ParseEPD] and went through [Position.Make] with legal
// moves has exactly one king on each side, the side not to move is not in check, Castling names only rooks on the back ranks
// of kings that have not moved, EnPassant is set only where a capture is legal, and Key equals what a recomputation
// from the board gives. Make does not check its move: values from outside go through [Position.IsLegal] or
// [Position.ParseMove].
//
// # Caveats
//
// Halfmove and Fullmove saturate at 255 and 65535. Static exchanges ignore pins. [Position.InsufficientMaterial]
// covers the positions that are dead by material alone, not blocked ones.
package board
