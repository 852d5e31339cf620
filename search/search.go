// Package search is what all searchers share: the interface Searcher, its limits and results (search.go), the score
// scale (score.go), the division of a clock into budgets (clock.go), weaker play (strength.go), and options given as
// words (options.go).
//
// It knows no algorithm. Packages bestfirst, puct and alphabeta implement Searcher. The protocol and the laboratory
// call it. Neither side sees more of the other than the types of this package.
package search

import (
	"context"
	"math"
	"time"

	"tesla/board"
)

// Limits say when a search has to end. Fields that are zero do not limit. The first limit that is reached ends the
// search.
type Limits struct {
	Depth     int              // plies of the principal variation; in the best-first search its nominal depth
	Nodes     int64            // nodes, as in Info
	Evals     int64            // evaluations, whether a net, a cache or a rule answers them
	Mate      int              // moves: the search ends when it has proven that either side mates in this number or fewer
	MoveTime  time.Duration    // for this move
	Infinite  bool             // the search returns only when it is cancelled
	Ponder    bool             // the search is infinite until PonderHit, and then limited by the clock
	Time, Inc [2]time.Duration // clock and increment of the side to move, and of the other side
	HasClock  bool             // Time[0] was given; it may be zero or negative

	MovesToGo    int           // until the next time control; 0: none comes
	SearchMoves  []board.Move  // the root moves that are searched; empty: all
	Ranks        Ranks         // of the root moves, by endgame tables; nil: the tables do not know them
	MoveOverhead time.Duration // lost on each move outside the search
	MultiPV      int           // lines to report, at least 1
	Current      bool          // after CurrentAfter, alpha-beta searches report each root move that they begin

	Temperature float64 // see Strength; 0: the best move is played
	Sure        float64 // the search ends when Sureness.Best is this or more; 0: it does not end by that
}

// Judged reports whether a search of these limits states its sureness: one of all moves, for one line, that plays the best
// of them. Others were never measured.
func (l *Limits) Judged() bool {
	return len(l.SearchMoves) == 0 && l.Ranks == nil && l.Temperature == 0 && l.MultiPV <= 1
}

// SureAlone reports whether nothing but its sureness ends the search.
func (l *Limits) SureAlone() bool {
	return l.Sure > 0 && !l.Infinite && !l.bounded() && !l.HasClock && l.MoveTime == 0 && l.Time[1] == 0
}

// CurrentAfter is how long a search lasts before it reports root moves that it begins: the moves of a shorter one would
// only flicker.
const CurrentAfter = 3 * time.Second

// MateFound reports whether the score of a search that was done to its end is the mate that Mate asks for.
func (l *Limits) MateFound(s Score) bool {
	return l.Mate > 0 && s.Mate != 0 && max(s.Mate, -s.Mate) <= l.Mate
}

// Ranks are root moves in the order that endgame tables give them. A move of a higher rank is played before one of a
// lower rank, whatever the search finds; moves of one rank are the search's to choose from.
type Ranks map[board.Move]int

// Score is the reported value of a position for the side to move.
type Score struct {
	CP   int // centipawns, see CPToQ
	Mate int // moves to mate, negative when being mated; 0: no mate was found, and CP counts
}

// Bound is whether a score is the value itself or a bound of it.
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
	WDL             [3]int // win, draw, loss in per mille for the side to move; all zero: unknown
	Nodes, Evals    int64
	NPS             int64   // nodes per second; nodes include those of deepened leaves, see EvalRate
	Hashfull        int     // per mille
	TBHits          int64   // positions that were found in endgame tables
	Fill            float64 // the mean share of a batch that was filled, 0..1; 0: unknown
	Time            time.Duration
	Sure            Sureness
	PV              []board.Move
	Text            string     // where not empty, this is a line of text, and the other fields are unused
	Current         board.Move // where not NullMove, this root move is searched now at Depth; only Number counts beside them
	Number          int        // of Current, from 1 in the order of the search
	Roots           []RootMove // where not empty, these are the root moves, worst first, and the other fields are unused
}

// Shown is the score that outputs print: the score of the search, stretched where that is stated. Score itself is what searches,
// labels of training data, marks and signatures go by. Mates, wins by tables and draws are as they are, and a bound keeps its sense.
func (in *Info) Shown() Score {
	s := in.Score
	if in.Sure.Stretch > 0 && !IsDecided(s.Value()) {
		s.CP = int(math.Round(max(-MaxCP, min(MaxCP, in.Sure.Stretch*float64(s.CP)))))
	}
	return s
}

// EvalRate is the number of evaluations a second: the share that NPS has of them. Every output takes it from here.
func (in *Info) EvalRate() float64 {
	return float64(in.NPS) * float64(in.Evals) / max(1, float64(in.Nodes))
}

// Sureness is how sure a search is of what it reports, as calibrated probabilities (docs/sure.md). A field that is 0 states
// nothing. All are of the first line.
type Sureness struct {
	Best      float64 // that no move is better than the first by more than 0.02 expected points
	Stays     float64 // that the first move is still first after ten times the effort
	Low, High float64 // the expected points of the first move, 0 to 1, lie between them in 90 of 100 cases
	Stretch   float64 // the factor by which the score falls short of that of a far deeper search; see Info.Shown
}

// RootMove is what a search reports of one root move: VerboseMoveStats.
type RootMove struct {
	Move   board.Move
	N      int64   // evaluations spent below it
	Policy float64 // prior, 0..1
	Q      float64 // expected score for the side to move, -1..1
	V      float64 // the net's value of the position after it, NaN where there is none
	Sigma  float64 // expected change of Q under deeper search
	Gain   float64 // expected gain in Q per evaluation, of the best promotion below it
	Proven bool
	Behind float64      // probability that the move to play is better than this one; 0: unknown, or this is the move to play
	PV     []board.Move // the line that begins with it; nil where that was not asked for
}

// Result ends a search.
type Result struct {
	Best   board.Move // NullMove only where there is no legal move
	Ponder board.Move // the expected reply, NullMove where it is unknown
	Info   Info       // the last report of the PV
	End    End        // why the search ended
}

// Searcher finds moves. One search runs at a time.
type Searcher interface {
	// Search blocks until a limit is reached, ctx is cancelled or the searcher is satisfied. It never returns NullMove
	// while there is a legal move, among SearchMoves if these are given. report may be nil. Search calls it from its
	// own goroutine or from one that it waits for, and never after it has returned. A pondering or infinite search
	// returns only when ctx is cancelled or when it fails.
	//
	// An error says that the evaluation failed in the middle of the search. The Result then holds a legal move, for a
	// game that must go on: the best move known at that time. It is not the result of a search and must not be counted
	// or kept as one. A cancelled search is no failure. The searcher can be used again after an error.
	Search(ctx context.Context, g *board.Game, lim Limits, report func(Info)) (Result, error)
	// PonderHit starts the clock of a search with Limits.Ponder. It is called while Search runs, and does not block.
	PonderHit()
	// NewGame forgets everything that was learned in earlier searches. No search may run.
	NewGame()
	// Close frees what the searcher holds. No search may run.
	Close() error
}
