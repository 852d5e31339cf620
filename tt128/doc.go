// Package tt128 is the transposition table that all searchers share. Its 128-bit
// entries lie four to a 64-byte cache line and are read and written without
// locks. Invariant: what Probe returns was stored, whole, under the key that was
// asked for. Two positions with the same 64-bit key cannot be told apart; the
// move of an entry can, see the rules below.
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
// An entry carries an interval on the centipawn scale of package search instead
// of a score and a bound type. A fail-high is [v, +Infinity], a fail-low is
// [-Infinity, v], and an exact score is [v, v]. A null-window driver such as
// MTD(f) (Plaat et al. 1996) narrows the interval from both sides.
//
// Depth 0..127 is the draft of an alpha-beta search, and the interval is a pair
// of bounds. Depth 128..255 marks an entry of the best-first search: its interval
// [v - sigma, v + sigma] is an estimate and no bound. Such an entry gives its
// move and its midpoint; CutsAt never cuts on it.
//
// Bounds of the same position and draft are intersected. Where they contradict
// each other, the newer entry wins. At another draft or kind the newer entry
// replaces both ends, and keeps the older move when it brings none.
//
// # Race policy
//
// An entry is two words, written one after the other by any goroutine at any
// time, and nothing orders them. A reader that gets one word of one store and
// the other of another sees a key that is not the one it asked for, and misses:
// that is what key ^ data is for (Hyatt and Mann 2002). So torn entries are
// harmless, and lost stores are accepted.
//
// Loads are atomic. Stores are plain on purpose: on amd64 an atomic store is a
// locked exchange, which costs ten times as much, while a plain store of an
// aligned 64-bit word is one instruction. By the letter of the Go memory model
// that is a data race. The table is mapped outside the Go heap, where the race
// detector does not look. Under -race the table lives on the heap and stores are
// atomic. On 32-bit machines, where a 64-bit store is two instructions, stores
// are atomic, too. The test of torn entries checks the values in every build.
//
// New, Resize, Clear and Close need the table for themselves: no search may run.
// Everything else may be called from any goroutine.
//
// # Rules for callers
//
//   - Do not store the score of a node that is a draw by repetition or by the
//     fifty-move rule: the key knows neither the path nor the halfmove clock. For
//     the same reason, do not cut on an entry when the halfmove clock is near its
//     end, nor on a decided score that is farther away than the end.
//   - Store and Probe take the ply of the node. Callers count the distances of
//     decided scores (mates, and wins by endgame tables) from the root of their
//     search; the table keeps them counted from the node.
//   - A move from Probe must pass Position.IsLegal before it is made. That also
//     detects most collisions of keys.
package tt128
