// Package tt128 is the transposition table that all searchers share: 128-bit
// entries, four to a 64-byte cache line, read and written without locks. Its
// invariant: what Probe returns was stored, whole, under the key that was asked
// for (up to collisions of 64-bit keys, see PV below).
//
// # Memory layout
//
//	cluster (64 bytes, aligned)
//	+------------+------------+------------+------------+
//	|   slot 0   |   slot 1   |   slot 2   |   slot 3   |
//	+------------+------------+------------+------------+
//	slot (128 bits)        data (64 bits, most significant first)
//	+------------+------+  +-----+-------+----+------+-------+-------+
//	| key ^ data | data |  | age | depth | PV | move | upper | lower |
//	+------------+------+  |  5  |   8   |  1 |  18  |  16   |  16   |
//	                       +-----+-------+----+------+-------+-------+
//
// # Intervals, drafts and estimates
//
// An entry carries an interval of centipawns (or mate distances, see MateScore)
// instead of a score and a bound type: a fail-high is [v, +Infinity], a fail-low
// [-Infinity, v], an exact score [v, v]. A null-window driver such as MTD(f)
// (Plaat et al. 1996) narrows it from both sides.
//
// Depth 0..127 is the draft of an alpha-beta search, and the interval is a pair
// of bounds. Depth 128..255 marks an entry of the best-first search: its interval
// [v - sigma, v + sigma] is an estimate and no bound. Such an entry gives its
// move and its midpoint; CutsAt never cuts on it.
//
// Bounds of the same position and draft are intersected; when they contradict
// each other the newest wins. At another draft or kind the newer entry replaces
// both ends, and keeps the older move when it brings none.
//
// # Race policy
//
// An entry is two words, written one after the other by any goroutine at any
// time, and nothing orders them. A reader that gets one word of one store and
// the other of another sees a key that is not the one it asked for, and misses:
// that is what key ^ data is for (Hyatt and Mann 2002). So torn entries are
// harmless, and lost stores are accepted.
//
// Loads are atomic. Stores are plain, on purpose: an atomic store is a locked
// exchange on amd64, an order of magnitude dearer, and each word is an aligned
// 64-bit store, one instruction on the 64-bit machines this runs on. By the
// letter of the Go memory model that is a data race. The table is mapped outside
// the Go heap, where the race detector does not look; under -race, where it
// would report the stores, the table lives on the heap and stores are atomic,
// as they are on 32-bit machines, whose 64-bit stores are two instructions.
// The test of torn entries asserts the values themselves in every build.
//
// New, Resize, Clear and Close need the table for themselves: no search may run.
// Everything else may be called from any goroutine.
//
// # Rules for callers
//
//   - Never store a score that rests on the path: a draw by repetition or by the
//     fifty-move rule seen on the way, or a bound derived from one. The key knows
//     neither the path nor the halfmove clock. For the same reason do not cut on
//     an entry when the halfmove clock is near its end.
//   - Scores are given and returned from the root's point of view in distance
//     (mate in plies from the root); Store and Probe take the ply of the node and
//     keep them from the node's.
//   - A move from Probe must pass Position.IsLegal before it is made.
//   - At PV nodes use Lookup, which walks the line of a PV entry on the board.
package tt128
