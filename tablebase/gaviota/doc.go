// Package gaviota reads Gaviota endgame tables (Miguel A. Ballicora, 2010) of three to five pieces, kings included.
// They hold the distance to mate (DTM) of each position. It is written in Go alone.
//
// # Files
//
// A file such as kqkr.gtb.cp4 has a value of one byte for each index, first those with White to move, then those with
// Black to move. White has the pieces that the name begins with. Blocks of 16,384 values are compressed one by one. The
// last digit of the name says how: 1 is a Huffman code, 2 is LZF, 3 is zlib and 4 is LZMA.
//
// # Reading
//
// A file is never mapped into memory, because a page fault would stop the thread that searches. Its header is read when
// it is opened; blocks go through a cache of bounded size that all tables share, as bytes that are decompressed. A hard
// probe reads and decompresses the block that the cache lacks. A soft probe looks only in the cache and returns
// ErrNotCached where it would have to wait.
//
// # Values
//
// Tables know neither castling nor the fifty-move rule. They know no en passant either: a probe of a position with such
// a capture takes the better of the table's value and those of the captures.
//
// # Invariants
//
// Files are hostile input. Whatever is read of them is checked against the size of the file and the format before it is
// used. A table with an error is left out from then on, and each probe of it returns that first error, which names the
// file. Files have no checksum, and nothing in them names their material. Tables may be used by any number of
// goroutines.
package gaviota
