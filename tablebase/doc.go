// Package tablebase says what endgame tables know of a position, those of both formats together: Syzygy tables give the
// value under the fifty-move rule (WDL) and the distance to a capture or pawn move (DTZ), Gaviota tables the distance
// to mate (DTM). It also checks folders of tables.
//
// Its invariant: what one format lacks is left out, and tables that contradict each other are an error.
package tablebase
