// Package search holds what every searcher of Tesla shares: the limits of a search, what it reports, the interface
// that the protocol and the match runner drive it by, and the division of a clock into budgets.
//
// It knows no algorithm. A searcher (bestfirst and its rivals) implements Searcher; package uci and package match
// call it; neither side sees more of the other than the types of this package.
package search

import (
	"context"
	"time"

	"tesla/board"
)

// Limits says when a search has to end. Zero fields do not limit. Several may be set: the first that is reached ends
// the search.
type Limits struct {
	Depth     int   // plies of the principal variation (best-first: nominal depth)
	Nodes     int64 // nodes made
	Evals     int64 // leaf evaluations requested, cached or not
	Mate      int   // moves: end when a mate in so many moves is proven
	MoveTime  time.Duration
	Infinite  bool // return only on cancellation
	Ponder    bool // return only on cancellation until PonderHit, then by the clock
	Time, Inc [2]time.Duration
	HasClock  bool // Time[0], the side to move's clock, was given (it may be zero or negative)

	MovesToGo    int
	SearchMoves  []board.Move // root moves to consider; empty: all
	MoveOverhead time.Duration
	MultiPV      int // lines to report, at least 1

	Temperature float64 // see Strength; 0: the best move
}

// Score is what a search says of a position, from the side to move.
type Score struct {
	CP   int // centipawns, q = tanh(CP/700)
	Mate int // moves to mate, negative when being mated; 0: no mate, CP counts
}

// Bound tells whether a score is the value or only limits it.
type Bound uint8

// The bounds of a reported score.
const (
	Exact Bound = iota
	Lower
	Upper
)

// Info is one progress report.
type Info struct {
	Depth, SelDepth int // plies
	MultiPV         int // rank of this line, from 1; 0 reads as 1
	Score           Score
	Bound           Bound
	WDL             [3]int // win, draw, loss in per mille for the side to move; all zero: not known
	Nodes, Evals    int64
	NPS             int64   // nodes per second
	Hashfull        int     // per mille
	Fill            float64 // mean share of the net's batches that was filled, 0..1; 0: not known
	Time            time.Duration
	PV              []board.Move
	Text            string     // when not empty: a line of plain text, the other fields unused
	Roots           []RootMove // when not empty: the root moves, worst first; the other fields unused
}

// RootMove is what a search knows of one root move: VerboseMoveStats.
type RootMove struct {
	Move   board.Move
	N      int64   // evaluations (or visits) spent below it
	Policy float64 // prior, 0..1
	Q      float64 // value for the side to move, -1..1
	V      float64 // the net's own value of it, NaN where it has none
	Sigma  float64 // expected change of Q under deeper search, q units
	Gain   float64 // expected gain of the best promotion below it per evaluation, q units
}

// Result ends a search.
type Result struct {
	Best   board.Move // NullMove only when there is no legal move
	Ponder board.Move // expected reply, NullMove when unknown
	Info   Info       // the last report of the first line
}

// Searcher finds moves. One search runs at a time.
type Searcher interface {
	// Search blocks until a limit is reached, ctx is cancelled or the searcher is satisfied. It never returns NullMove
	// while there is a legal move (among SearchMoves when given). report may be nil; it is called from the calling
	// goroutine or one that Search waits for, never after Search has returned. A pondering or infinite search returns
	// only when ctx is cancelled or it fails.
	//
	// An error says that the evaluation failed in the middle of the search. The Result then holds a legal move, the best
	// of what was known, for a game that must go on; it is not the result of a search, and must not be counted or kept
	// as one. A cancelled search is no failure. The searcher can be used again after an error.
	Search(ctx context.Context, g *board.Game, lim Limits, report func(Info)) (Result, error)
	// PonderHit, called from another goroutine while Search runs with Limits.Ponder, starts the clock.
	PonderHit()
	// NewGame forgets everything learned from earlier searches. Not during a search.
	NewGame()
	// Close frees what the searcher holds. Not during a search.
	Close() error
}
