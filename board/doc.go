// Package board holds the rules of chess: positions, moves, legal move generation, Zobrist keys, FEN, UCI move text,
// static exchange evaluation, repetition and perft. Chess960 needs no mode: in every game castling is stored as the
// king taking its own rook.
//
// # Side to move's view
//
// A [Position] is written from the side to move. "Ours" are the pieces of the player to move, rank 1 is that player's
// own back rank, and pawns always move up. Each move mirrors the board (bits.ReverseBytes64 on eight words), so move
// generation does not depend on colour. Only Zobrist keys, FEN and UCI text use absolute colours and squares;
// [Position.Absolute] converts squares.
//
// # Legal generation
//
// The generator first finds checkers and pinned pieces. Every later step then produces legal moves only, and no move
// has to be made to test it. En passant captures have a test of their own, because they remove two pieces from one
// rank.
//
// # Invariants
//
// The following holds for each Position that comes from [StartPosition], [ReadFEN] or [ParseEPD] by legal moves of
// [Position.Make]. Each side has exactly one king. The side that is not to move is not in check. Castling holds only
// rooks that may still castle. EnPassant is set only where an en passant capture is legal. Key equals the key computed
// from the board. Make does not check its move: a move from outside must pass [Position.IsLegal] or come from
// [Position.ParseMove].
//
// # Caveats
//
// Halfmove and Fullmove saturate at 255 and 65535. Static exchanges ignore pins. [Position.InsufficientMaterial]
// finds positions that are drawn by material alone, but not blocked ones.
package board
