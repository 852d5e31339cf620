// Package syzygy reads Syzygy endgame tables (Ronald de Man, 2013) of up to seven pieces, kings included: WDL tables (.rtbw)
// with the value of each position, and DTZ tables (.rtbz) with the distance to the next capture or pawn move. It is written
// in Go alone.
//
// # Reading
//
// A file is never mapped into memory, because a page fault would stop the thread that searches. Its header is read when it
// is opened; the rest goes through a cache of bounded size that all tables share. A hard probe reads from the disk what the
// cache lacks. A soft probe looks only in the cache and returns ErrNotCached where it would have to wait.
//
// # Values
//
// Tables know neither castling nor en passant, and the value of a position with a winning capture may be any. So a probe
// first searches the captures, en passant included, down to positions without captures (the tables contain the values of
// those), and takes the better of that and the table's own value. DTZ counts plies; 100 is added to the distance of a cursed
// win and a blessed loss, which the fifty-move rule makes a draw.
//
// # Invariants
//
// Files are hostile input. Whatever is read of a header is checked against the size of the file and the format before it is
// used; a table whose header fails is left out with an error that names the file and the byte. Nothing read later can make a
// probe panic, loop, or read outside the file: it gives an error. Tables may be used by any number of goroutines.
package syzygy
