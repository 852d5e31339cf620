// Package tablebase says what endgame tables know of a position, those of both formats together: Syzygy tables give the
// value under the fifty-move rule (WDL) and the distance to a capture or pawn move (DTZ), Gaviota tables the distance
// to mate (DTM). It also checks folders of tables.
//
// A search uses a Prober: the tables by the rules of its options. Below the root it asks for scores by soft probes, which
// never wait, and has what they miss read in the background (prober.go, reading.go). Before it begins, the root's moves
// are ranked (root.go).
//
// Its invariants: what one format lacks is left out, and tables that contradict each other are an error. A bad file is
// told of once. Close leaves no goroutine behind.
package tablebase
