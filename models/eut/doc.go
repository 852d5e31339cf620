// Package eut holds the efficiently updatable transformer: the format of its net files, the features of a position, and
// the accumulator, which is its first layer.
//
// A net file is, with all integers little-endian:
//
//	 0  "TESLANET"
//	 8  uint32 version (2)
//	12  uint32 length of the header
//	16  header, JSON; see Header
//	    int32  table [features][width], row-major
//	    uint64 length of the graph
//	    graph, an ONNX model: input acc int32 [N, row]; outputs wdl float [N, 3], sigma float [N, 1] and
//	    policy float [N, 4120]
//	    SHA-256 of everything before it, 32 bytes
//
// A row of the graph's input is the accumulator, then the codes that Squares.Write writes. The accumulator of a position
// is the sum of the table's rows of its features. Sums are integers, so an accumulator that was updated along a line
// equals one that was computed from an empty board, bit for bit. This is the invariant of the package.
package eut
