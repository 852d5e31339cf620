package alphabeta

import "math"

// Parts switches the selective parts of the search. With Verify alone it is exact: what brute force without a table finds.
type Parts struct {
	Verify            bool // static leaves, and table hits at equal depth only
	NullMove          bool // a pass that still fails high cuts (Donninger 1993)
	Verification      bool // of null moves at high depth, by a search without them (Tabibi and Netanyahu 2002)
	ReverseFutility   bool // a static value far above beta cuts
	Futility          bool // quiet moves that cannot reach alpha are left out
	LateMovePruning   bool // so are those far down the list
	LateMoveReduction bool // moves further down are searched less deep first
	SEEPruning        bool // moves that lose too much in exchange are left out
	Singular          bool // a table move that stands alone is extended (Anantharaman, Campbell and Hsu 1990)
	InternalReduction bool // nodes without a table move are searched less deep
	Aspiration        bool // the root's window lies around the value of the depth before
	FailHighReduction bool // a depth that fails high at the root is searched again a ply less deep
	Butterfly         bool // history of quiet moves by squares (Schaeffer 1989)
	CaptureHistory    bool // of captures by piece, square and victim
	Continuation      bool // of quiet moves by the moves before
	Correction        bool // of static values by the structure of either side's men and the last moves
}

// AllParts is everything on: the default.
func AllParts() Parts {
	return Parts{
		NullMove: true, Verification: true, ReverseFutility: true, Futility: true, LateMovePruning: true,
		LateMoveReduction: true, SEEPruning: true, Singular: true, InternalReduction: true, Aspiration: true, FailHighReduction: true,
		Butterfly: true, CaptureHistory: true, Continuation: true, Correction: true,
	}
}

// Constants of the parts: depths in plies, margins in centipawns. Margins and slopes were tuned by scripts/tune in
// 4,544 games of 10,000 nodes a move; the rest is common practice of engines.
const (
	nullDepth         = 3   // least depth of a null move
	nullReduction     = 3   // of the depth, with a third of the depth and more for a value above beta
	nullMargin        = 280 // above beta for each further ply of reduction,
	nullMost          = 3   // at most
	nullAbove         = 111 // above beta the static value must lie,
	nullAbovePly      = 23  // less for each ply of depth
	verificationDepth = 12  // least depth

	reverseDepth  = 8  // most depth
	reverseMargin = 39 // above beta for each ply

	futilityDepth  = 7
	futilityMargin = 84 // below alpha for each ply, with futilityBase
	futilityBase   = 19

	lateDepth = 8

	reductionBase    = 0.65 // plies by the logarithms of the depth and of the number of the move
	reductionSlope   = 1.76
	reductionDepth   = 3    // least depth
	reductionMoves   = 2    // that are not reduced
	reductionHistory = 9040 // of a quiet move: a ply less, or more

	deeperMargin    = 32 // above the best value, a reduced move is searched a ply deeper than otherwise
	shallowerMargin = 4  // and below this a ply less

	seeDepth         = 8
	seeQuietMargin   = 50 // for each ply
	seeCaptureMargin = 95

	singularDepth  = 7
	singularDraft  = 3  // plies by which the table's draft may be less than the depth
	singularMargin = 51 // below the table's value for each ply, in 1/16 centipawns
	doubleMargin   = 15 // below that, the move is extended by two plies

	internalDepth = 4

	aspirationDepth  = 4
	aspirationWindow = 14  // either way, doubled where the value is outside,
	aspirationMost   = 600 // and infinite beyond this

	tableHalfmoves = 90 // nearer to the fifty moves the table does not cut
)

// reductions are plies by depth and number of the move.
var reductions = func() (r [64][64]int8) {
	for d := 1; d < len(r); d++ {
		for m := 1; m < len(r[d]); m++ {
			r[d][m] = int8(reductionBase + math.Log(float64(d))*math.Log(float64(m))/reductionSlope)
		}
	}
	return r
}()

func reduction(depth, move int) int { return int(reductions[min(depth, 63)][min(move, 63)]) }

// lateMoves is how many moves are tried at a depth before the rest is left out.
func lateMoves(depth int, improving bool) int {
	n := 3 + depth*depth
	if !improving {
		n /= 2
	}
	return n
}
