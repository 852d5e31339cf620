package stats

import (
	"fmt"
	"math"
	"strings"
)

// MaxElo stands for an infinite difference, which a score of 0 or 1 gives.
const MaxElo = 2000

// MaxRatio stands for an infinite ratio, which a match without a lost pair gives.
const MaxRatio = 1e6

// z95 is the quantile of the normal distribution for a two-sided interval of 95 %.
const z95 = 1.959963984540054

// Result counts a match from A's side.
type Result struct {
	Games  int `json:"games"`
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
	// Ptnml counts complete pairs by A's points: 0, 1/2, 1, 3/2, 2.
	Ptnml      Pentanomial `json:"ptnml"`
	Elo        float64     `json:"elo"`         // logistic, within MaxElo
	EloError   float64     `json:"elo_error"`   // half of the 95 % interval; MaxElo where there is no bound
	NElo       float64     `json:"nelo"`        // normalized, within MaxElo; see Pentanomial.NElo
	NEloError  float64     `json:"nelo_error"`  // of NElo, as EloError is of Elo
	LOS        float64     `json:"los"`         // probability that A is the stronger one, 0..1
	DrawRatio  float64     `json:"draw_ratio"`  // share of drawn pairs; of drawn games while there is no pair; 0..1
	PairsRatio float64     `json:"pairs_ratio"` // won pairs per lost pair; 1 where there is neither; at most MaxRatio
	LLR        float64     `json:"llr"`         // of the SPRT: when it decided, or now; 0 without one
	SPRT       *SPRTResult `json:"sprt"`        // nil without one
	Crashes    int         `json:"crashes"`     // of either player, as are the next two
	Timeouts   int         `json:"timeouts"`    // hangs included
	Illegal    int         `json:"illegal"`
	Tables     int         `json:"tables"` // games that endgame tables ended

	Ponder    [2]Pondering `json:"ponder,omitzero"` // hits of A and B
	Forfeits  [2]int       `json:"forfeits"`        // games that A and B lost by a crash, on time or by an illegal move
	Incidents [2]Incidents `json:"incidents"`       // of A and B in the whole match
	Plays     [2]string    `json:"plays"`           // backend and net of A and B, as they said at first; empty: not known
	Reports   [2][]string  `json:"reports"`         // of A and B: what may have changed their evaluation, in words
	Overhead  Overhead     `json:"overhead"`        // of the whole match
}

// update computes the numbers that follow from the counts.
//
// The variance of the score is that of pairs, because the bias of an opening cancels within a pair. With fewer than
// two complete pairs it is that of single games. The interval is the normal one around the score, mapped to Elo by the
// logistic model. Variances are divided by n, not by n-1, as in fishtest and fastchess, so that numbers can be
// compared.
func (r *Result) update() {
	games := []int{r.Losses, r.Draws, r.Wins}
	n := float64(r.Games)
	mean, deviation := 0.5, 0.0
	if n > 0 {
		mean = (float64(r.Wins) + float64(r.Draws)/2) / n
	}
	pairs := r.Ptnml.Pairs()
	switch {
	case pairs >= 2:
		_, sigma, _, _ := moments(r.Ptnml[:])
		deviation = sigma / math.Sqrt(float64(pairs))
		r.NElo, r.NEloError = r.Ptnml.NElo()
	case n > 0:
		_, sigma, _, _ := moments(games)
		deviation = sigma / math.Sqrt(n)
		r.NElo, r.NEloError = normalized(games, 1)
	default:
		r.NElo, r.NEloError = 0, MaxElo
	}
	r.Elo = elo(mean)
	r.EloError = min((elo(mean+z95*deviation)-elo(mean-z95*deviation))/2, MaxElo)
	if n < 2 || deviation == 0 { // games that all end alike tell of no spread
		r.EloError, r.NEloError = MaxElo, MaxElo
	}
	switch {
	case deviation > 0:
		r.LOS = math.Erfc((0.5-mean)/deviation/math.Sqrt2) / 2
	case r.Wins+r.Losses > 0: // decisive games only, each taken as the toss of a coin
		r.LOS = math.Erfc(float64(r.Losses-r.Wins)/math.Sqrt(2*float64(r.Wins+r.Losses))) / 2
	default:
		r.LOS = 0.5
	}
	r.PairsRatio = r.Ptnml.PairsRatio()
	r.DrawRatio = float64(r.Ptnml[2]) / float64(max(pairs, 1))
	if pairs == 0 && n > 0 {
		r.DrawRatio = float64(r.Draws) / n
	}
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

// add counts a finished game, but not the pair that it belongs to.
func (r *Result) add(g *GameFact) {
	r.Games++
	switch g.Points {
	case 2:
		r.Wins++
	case 1:
		r.Draws++
	default:
		r.Losses++
	}
	if g.Failure != FailureNone && g.Points != 1 {
		r.Forfeits[g.Points/2]++ // a win of A is a loss of B
	}
	if g.Tables {
		r.Tables++
	}
	r.Ponder[0].add(g.Ponder[0])
	r.Ponder[1].add(g.Ponder[1])
	switch g.Failure {
	case FailureCrash:
		r.Crashes++
	case FailureTime:
		r.Timeouts++
	case FailureIllegal:
		r.Illegal++
	}
}

// points are those of the first player.
func (r *Result) points() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// EloText is a difference with half of its interval, to a number of decimals. A score of 0 or 1 has no finite one.
func EloText(elo, half float64, decimals int) string {
	switch {
	case elo >= MaxElo:
		return "+inf (no bound)"
	case elo <= -MaxElo:
		return "-inf (no bound)"
	case half >= MaxElo:
		return fmt.Sprintf("%+.*f (no bound)", decimals, elo)
	}
	return fmt.Sprintf("%+.*f +- %.*f", decimals, elo, decimals, half)
}

// forfeited reports whether most games were lost by a crash, on time or by an illegal move: then Elo says nothing.
func (r *Result) forfeited() bool { return 2*(r.Forfeits[0]+r.Forfeits[1]) > r.Games }

// eloText is Elo as a line of text has it.
func (r *Result) eloText() string {
	if r.forfeited() {
		return "none"
	}
	return EloText(r.Elo, r.EloError, 1)
}

// String is the result in one line.
func (r *Result) String() string {
	s := fmt.Sprintf("+%d -%d =%d of %d, elo %s, los %.1f %%, ptnml %v", r.Wins, r.Losses, r.Draws, r.Games, r.eloText(),
		100*r.LOS, r.Ptnml)
	if r.SPRT != nil {
		s += fmt.Sprintf(", llr %.2f (%.2f, %.2f)", r.LLR, r.SPRT.Lower, r.SPRT.Upper)
	}
	if r.Crashes+r.Timeouts+r.Illegal > 0 {
		s += fmt.Sprintf("; crashes %d, timeouts %d, illegal %d", r.Crashes, r.Timeouts, r.Illegal)
	}
	return s
}

// Text is the whole result, with a line for each group of numbers.
func (r *Result) Text() string {
	var b strings.Builder
	ratio := fmt.Sprintf("%.2f", r.PairsRatio)
	if r.PairsRatio == MaxRatio {
		ratio = "inf"
	}
	points := r.points()
	fmt.Fprintf(&b, "Games: %d, wins %d, losses %d, draws %d, points %.1f (%.2f %%)\n",
		r.Games, r.Wins, r.Losses, r.Draws, points, 100*points/float64(max(r.Games, 1)))
	fmt.Fprintf(&b, "Pairs: %d, ptnml(0-2) %v, draw ratio %.2f %%, pairs ratio %s\n",
		r.Ptnml.Pairs(), r.Ptnml, 100*r.DrawRatio, ratio)
	if r.forfeited() {
		fmt.Fprintf(&b, "Elo: none, since %d of %d games were lost by a crash, on time or by an illegal move\n", r.Forfeits[0]+r.Forfeits[1], r.Games)
	} else {
		fmt.Fprintf(&b, "Elo: %s, normalized %s (95 %%), LOS %.2f %%\n",
			EloText(r.Elo, r.EloError, 2), EloText(r.NElo, r.NEloError, 2), 100*r.LOS)
	}
	fmt.Fprintf(&b, "Failures: crashes %d, timeouts %d, illegal %d", r.Crashes, r.Timeouts, r.Illegal)
	if lost := r.Forfeits; lost != [2]int{} {
		fmt.Fprintf(&b, "; of the games above a lost %d and b %d in this way", lost[0], lost[1])
	}
	b.WriteByte('\n')
	if r.Tables > 0 {
		fmt.Fprintf(&b, "Ended by endgame tables: %d\n", r.Tables)
	}
	if r.Ponder != [2]Pondering{} {
		fmt.Fprintf(&b, "Ponder hits: a %s, b %s\n", r.Ponder[0], r.Ponder[1])
	}
	if r.SPRT != nil {
		fmt.Fprintf(&b, "SPRT: LLR %.2f (%.2f, %.2f) of %s after %d pairs: %s\n",
			r.LLR, r.SPRT.Lower, r.SPRT.Upper, &r.SPRT.SPRT, r.SPRT.Pairs, r.SPRT.Decision)
		if r.SPRT.Pairs < r.Ptnml.Pairs() {
			fmt.Fprintf(&b, "LLR of all %d pairs: %.2f\n", r.Ptnml.Pairs(), r.SPRT.LLR(r.Ptnml))
		}
	}
	return b.String()
}
