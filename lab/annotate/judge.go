package annotate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/search/sure"
)

// The formulas are those of Lichess: https://lichess.org/page/accuracy for the first two, and AccuracyPercent.scala of
// lichess-org/lila for a game. Scores beyond mostCP count as mostCP there.
const (
	mostCP     = 1000
	winScale   = 0.00368208 // fitted to games of players rated 2300
	accuracyA  = 103.1668100711649
	accuracyK  = 0.04354415386753951
	accuracyB  = -3.166924740191411
	accuracyUp = 1 // for the uncertainty of the search
)

// chances are the chances of winning at a score in centipawns: 1 is a certain win, -1 a certain loss.
func chances(cp int) float64 {
	if search.IsDecided(cp) {
		return math.Copysign(1, float64(cp))
	}
	return 2/(1+math.Exp(-winScale*float64(cp))) - 1
}

func bounded(cp int) int { return max(-mostCP, min(mostCP, cp)) }

// winPercent is the share of games that are won at a score.
func winPercent(cp int) float64 { return 50 + 50*chances(bounded(cp)) }

// moveAccuracy is the accuracy of a move, 0 to 100, from the mover's win percentages before and after it.
func moveAccuracy(before, after float64) float64 {
	if after >= before {
		return 100
	}
	return max(0, min(100, accuracyA*math.Exp(-accuracyK*(before-after))+accuracyB+accuracyUp))
}

// accuracy is that of the moves between positions, from their win percentages for White: the mean of the harmonic mean of
// the moves' accuracies and of their mean weighted by volatility, the standard deviation of the win percentages around
// the move. It is that of the moves of one side that count; those that are forced have all of it. It is NaN without any.
func accuracy(wins []float64, black bool, of func(move int) (counts, forced bool)) float64 {
	size := max(2, min(8, (len(wins)-1)/10))
	var all, weights, inverse []float64
	for i := range len(wins) - 1 {
		counts, forced := of(i)
		if !counts {
			continue
		}
		// The first windows are those at the beginning of the game; later ones end behind the move.
		first := max(0, i+2-size)
		deviation := stat.PopStdDev(wins[first:min(len(wins), first+size)], nil)
		a := moveAccuracy(wins[i], wins[i+1])
		if black {
			a = moveAccuracy(100-wins[i], 100-wins[i+1])
		}
		if forced {
			a = 100
		}
		all, weights, inverse = append(all, a), append(weights, max(0.5, min(12, deviation))), append(inverse, 1/max(1, a))
	}
	return (stat.Mean(all, weights) + 1/stat.Mean(inverse, nil)) / 2
}

// What a move has to lose to be marked, in chances (Lichess, Advice.scala), and what marks the only move.
const (
	inaccuracy = 0.1
	mistake    = 0.2
	blunder    = 0.3
	holds      = -0.2 // the least chances of a position that an only move holds
)

// mark is the verdict on a move: a NAG, 0 for none.
type mark int

const (
	onlyMove  mark = 1 // !
	wrong     mark = 2 // ?
	bad       mark = 4 // ??
	imprecise mark = 6 // ?!
)

func (m mark) String() string {
	return map[mark]string{onlyMove: "Only move", wrong: "Mistake", bad: "Blunder", imprecise: "Inaccuracy"}[m]
}

// ask names a search of a game: of the position before a move, or of the one after another move there.
type ask struct {
	Game  int    `json:"game"`            // from 0
	Ply   int    `json:"ply"`             // moves before the position
	Move  string `json:"move,omitempty"`  // made there, in UCI form; empty: none
	Level int    `json:"level,omitempty"` // doublings of the limit of a position
	Lines int    `json:"lines"`
}

// evaluation is what a search found in a position. Scores are the mover's, in centipawns with mates as in package search.
type evaluation struct {
	ask
	CP         int         `json:"cp"`
	Depth      int         `json:"depth"`
	Line       []string    `json:"line"`                  // moves in UCI form, castling as king takes rook; none where the game is over
	Second     *int        `json:"second,omitempty"`      // score of the second best move
	SecondLine []string    `json:"second_line,omitempty"` // as Line, beginning with that move
	Points     *sure.Value `json:"points,omitempty"`      // nil: nothing is stated
}

// judgement is the verdict on a move.
type judgement struct {
	mark          mark
	unclear       bool    // the mark is not sure enough to be written
	chance        float64 // that the mark is true; 0: nothing is stated
	before, after int     // scores for the mover
	isBest        bool    // the search before it chose it
	forced        bool    // it is the only legal move, and loses nothing
}

// judge compares the position before a move with the one after it, whatever the search before it thought of the move:
// that one has seen less. recaptures reports whether the move takes what has just taken: such a move is never marked as the
// only one.
func judge(before, after *evaluation, best bool, legal int, recaptures bool) judgement {
	j := judgement{before: before.CP, after: search.Towards(after.CP), isBest: best, forced: legal == 1}
	if j.forced {
		return j
	}
	known := min(chances(j.before), chances(j.after))
	switch lost := chances(j.before) - chances(j.after); {
	case lost >= blunder:
		j.mark = bad
	case lost >= mistake:
		j.mark = wrong
	case lost >= inaccuracy:
		j.mark = imprecise
	case best && before.Second != nil && !recaptures && known >= holds && known-chances(*before.Second) >= blunder:
		j.mark = onlyMove
	}
	return j
}

// loss is what the move loses, in centipawns, of scores within mostCP.
func (j *judgement) loss() int {
	if j.forced {
		return 0
	}
	return max(0, bounded(j.before)-bounded(j.after))
}

// Side is how one side played its judged moves.
type Side struct {
	Moves        int     `json:"moves"`
	Accuracy     float64 `json:"accuracy"` // 0 to 100
	Loss         float64 `json:"loss"`     // mean centipawns per move
	Only         int     `json:"only"`     // moves marked with !
	Inaccuracies int     `json:"inaccuracies"`
	Mistakes     int     `json:"mistakes"`
	Blunders     int     `json:"blunders"`
	Unclear      int     `json:"unclear"` // moves that may be one of the three before
}

func (s *Side) add(j *judgement) {
	s.Moves++
	s.Loss += float64(j.loss())
	if j.unclear {
		s.Unclear++
		return
	}
	switch j.mark {
	case onlyMove:
		s.Only++
	case imprecise:
		s.Inaccuracies++
	case wrong:
		s.Mistakes++
	case bad:
		s.Blunders++
	}
}

func (s *Side) String() string {
	if s.Moves == 0 {
		return "no move"
	}
	text := fmt.Sprintf("accuracy %.1f %%, average loss %.0f centipawns, %d ?!, %d ?, %d ??", s.Accuracy, s.Loss, s.Inaccuracies, s.Mistakes, s.Blunders)
	if s.Unclear > 0 {
		text += fmt.Sprintf(", %d unclear", s.Unclear)
	}
	return text
}

// scoreText is a score of the side to move as [%eval] has it: White's, in pawns, or #n for a mate in n moves.
func scoreText(cp int, black bool) string {
	if black {
		cp = -cp
	}
	s := search.ScoreFromCP(cp)
	if s.Mate != 0 {
		return fmt.Sprintf("#%d", s.Mate)
	}
	return fmt.Sprintf("%.2f", float64(s.CP)/100)
}

// IsRecapture reports whether a move takes on the square on which the move before it has taken.
func IsRecapture(before, m board.Move) bool {
	return before.IsCapture() && m.IsCapture() && before.To().Flip() == m.To()
}

func (m mark) glyph() pgn.Element { return pgn.Element{Kind: pgn.Glyph, Glyph: int(m)} }
