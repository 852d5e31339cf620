package match

import (
	"fmt"
	"math"
)

// MaxElo stands for an infinite difference: that of a score of 0 or 1.
const MaxElo = 2000

// Result counts a match from A's side.
type Result struct {
	Games  int `json:"games"`
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
	// Ptnml counts complete pairs by A's points: 0, 1/2, 1, 3/2, 2.
	Ptnml    [5]int  `json:"ptnml"`
	Elo      float64 `json:"elo"`       // within MaxElo
	EloError float64 `json:"elo_error"` // half of the 95 % interval; MaxElo where it has no bound
	LOS      float64 `json:"los"`       // probability that A is the stronger one, 0..1
	Crashes  int     `json:"crashes"`   // of either player, as the next two
	Timeouts int     `json:"timeouts"`  // hangs included
	Illegal  int     `json:"illegal"`

	Incidents [2]Incidents `json:"incidents"` // of A and B: what cost no game
	Overhead  Overhead     `json:"overhead"`
}

// update computes Elo, its error and LOS from the counts.
//
// The score's variance is that of pairs, not of games: the two games of a pair share an opening, and its bias cancels in
// their sum. The model is the logistic one, the interval the normal one on the score, mapped to Elo. Without two complete
// pairs it is that of single games.
func (r *Result) update() {
	n := float64(r.Games)
	mean, deviation := 0.5, 0.0
	if n > 0 {
		mean = (float64(r.Wins) + float64(r.Draws)/2) / n
	}
	pairs := 0
	for _, k := range r.Ptnml {
		pairs += k
	}
	if pairs >= 2 {
		deviation = math.Sqrt(variance(r.Ptnml[:]) / float64(pairs))
	} else if n > 0 {
		deviation = math.Sqrt(variance([]int{r.Losses, r.Draws, r.Wins}) / n)
	}
	const z = 1.959964 // of the normal distribution, two-sided 95 %
	r.Elo = elo(mean)
	r.EloError = min((elo(mean+z*deviation)-elo(mean-z*deviation))/2, MaxElo)
	if n < 2 || mean == 0 || mean == 1 {
		r.EloError = MaxElo
	}
	switch {
	case deviation > 0:
		r.LOS = math.Erfc((0.5-mean)/deviation/math.Sqrt2) / 2
	case r.Wins+r.Losses > 0: // decisive games alone, as if each were a coin's toss
		r.LOS = math.Erfc(float64(r.Losses-r.Wins)/math.Sqrt(2*float64(r.Wins+r.Losses))) / 2
	default:
		r.LOS = 0.5
	}
}

// variance is the sample variance of scores 0..1, counts[i] of which are i/(len(counts)-1).
func variance(counts []int) float64 {
	var n, sum, squares float64
	for i, k := range counts {
		x := float64(i) / float64(len(counts)-1)
		n += float64(k)
		sum += float64(k) * x
		squares += float64(k) * x * x
	}
	if n < 2 {
		return 0
	}
	return max(squares-sum*sum/n, 0) / (n - 1)
}

// elo is the logistic rating difference of an expected score.
func elo(score float64) float64 {
	if score <= 0 {
		return -MaxElo
	}
	if score >= 1 {
		return MaxElo
	}
	return max(-MaxElo, min(400*math.Log10(score/(1-score)), MaxElo))
}

// add counts a finished game.
func (r *Result) add(g *record) {
	r.Games++
	switch points := g.pointsOfA(); points {
	case 2:
		r.Wins++
	case 1:
		r.Draws++
	default:
		r.Losses++
	}
	switch g.failure {
	case errCrash:
		r.Crashes++
	case errTime, errHang:
		r.Timeouts++
	case errIllegal:
		r.Illegal++
	}
}

// pointsOfA are A's half points, 0..2.
func (r *record) pointsOfA() int {
	if r.aWhite {
		return 1 + int(r.score)
	}
	return 1 - int(r.score)
}

// String is the result in one line.
func (r *Result) String() string {
	s := fmt.Sprintf("%d-%d-%d of %d, elo %+.1f ± %.1f, los %.1f %%, ptnml %v",
		r.Wins, r.Draws, r.Losses, r.Games, r.Elo, r.EloError, 100*r.LOS, r.Ptnml)
	if r.EloError == MaxElo {
		s = fmt.Sprintf("%d-%d-%d of %d, elo %+.1f (no bound), los %.1f %%, ptnml %v",
			r.Wins, r.Draws, r.Losses, r.Games, r.Elo, 100*r.LOS, r.Ptnml)
	}
	if r.Crashes+r.Timeouts+r.Illegal > 0 {
		s += fmt.Sprintf("; crashes %d, timeouts %d, illegal %d", r.Crashes, r.Timeouts, r.Illegal)
	}
	return s
}
