package alphabeta

import "math"

// Mode is what a Thread leaves out. The zero value plays.
type Mode struct {
	Plain  bool // the selective parts: a search as in 1984. What orders moves, windows and corrections stay
	Verify bool // these and all else that makes a value inexact: it is that of brute force without a table
}

// selective reports whether moves and nodes are pruned, reduced and extended.
func (t *Thread) selective() bool { return t.mode == Mode{} }

// Constants of the parts. Depths are in plies and margins in centipawns. Margins and slopes were tuned by scripts/tune
// in 4,544 games of 10,000 nodes a move. The others are common practice of engines; those of null moves, razoring, ProbCut,
// futility and histories (history.go) are Stockfish 15.1's.
const (
	nullDepth         = 3  // the least depth of a null move
	nullReduction     = 4  // plies; a third of the depth is added,
	nullMargin        = 47 // and a ply for each margin by which the value exceeds beta,
	nullMost          = 7  // at most these
	nullAbove         = 64 // the static value must exceed beta by this
	nullAbovePly      = 11 // less half of this for each ply of depth
	verificationDepth = 12 // the least depth at which a null move is verified

	reverseDepth  = 8  // the greatest depth of reverse futility
	reverseMargin = 39 // above beta, for each ply of depth

	razorMargin    = 102 // below alpha,
	razorMarginPly = 70  // and this times the square of the depth

	probCutDepth     = 5  // the least depth of ProbCut
	probCutMargin    = 53 // above beta
	probCutImproving = 15 // is taken off where the value improves
	probCutReduction = 4  // plies

	futilityDepth   = 13  // the greatest depth, after reduction
	futilityMargin  = 40  // below alpha, for each ply of depth
	futilityBase    = -11 // is added to it
	futilityHistory = 188 // history that counts as a centipawn

	historyPruningDepth = 5    // the greatest depth of pruning by history, after reduction
	historyPruningPly   = 3875 // of the histories by earlier moves, below zero, for each ply of depth but one

	lateDepth = 8 // the greatest depth of late move pruning

	reductionBase    = 0.65  // plies
	reductionSlope   = 1.76  // divides the product of the logarithms of the depth and of the number of the move
	reductionDepth   = 3     // the least depth
	reductionMoves   = 2     // the first moves are not reduced
	reductionMiddle  = 4433  // the history of a quiet move that is reduced neither less nor more
	reductionHistory = 13628 // history beyond it for which a quiet move is reduced by a ply less, or more where it is negative

	deeperMargin    = 32 // a reduced move that exceeds the best value by this is searched again a ply deeper
	shallowerMargin = 4  // and one that does not exceed it by this a ply less deep

	seeDepth         = 8  // the greatest depth of pruning by static exchange
	seeQuietMargin   = 50 // a quiet move may lose this for each ply of depth, after reduction
	seeCaptureMargin = 95 // a capture may lose this for each ply of depth

	singularDepth  = 7  // the least depth
	singularDraft  = 3  // plies by which the table's draft may be less than the depth
	singularMargin = 51 // below the table's value for each ply of depth, in 1/16 centipawns
	doubleMargin   = 15 // the move is extended by two plies if the others stay this much lower still

	internalDepth = 4 // the least depth of internal reductions

	aspirationDepth  = 4   // the least depth
	aspirationWindow = 14  // to each side of the guess; it doubles when the value is outside,
	aspirationMost   = 600 // and the window is open beyond this

	tableHalfmoves = 90 // from this halfmove clock on the table does not cut, because the fifty moves are near
)

// reductions are the plies of reduction by depth and number of the move.
var reductions = func() (r [64][64]int8) {
	for d := 1; d < len(r); d++ {
		for m := 1; m < len(r[d]); m++ {
			r[d][m] = int8(reductionBase + math.Log(float64(d))*math.Log(float64(m))/reductionSlope)
		}
	}
	return r
}()

func reduction(depth, move int) int { return int(reductions[min(depth, 63)][min(move, 63)]) }

// lateMoves is the number of moves that are tried at a depth before late move pruning leaves out the other quiet moves.
func lateMoves(depth int, improving bool) int {
	n := 3 + depth*depth
	if !improving {
		n /= 2
	}
	return n
}
