package stats

import "math"

// Pentanomial counts pairs of games by A's points: 0, 1/2, 1, 3/2, 2. The score of a pair is the mean of its two games:
// 0, 1/4, 1/2, 3/4, 1.
type Pentanomial [5]int

// nEloUnit is the normalized Elo of a score that lies one standard deviation of a single game above 1/2. It is chosen
// so that normalized and logistic Elo agree for small differences in games without draws (M. Van den Bergh,
// "Normalized Elo", 2021).
const nEloUnit = 800 / math.Ln10

// Pairs is the number of pairs.
func (c Pentanomial) Pairs() int { return c[0] + c[1] + c[2] + c[3] + c[4] }

// moments are the mean, the standard deviation, the skewness and the excess kurtosis of scores 0..1. counts[i] is how
// often the score i/(len(counts)-1) occurred. The last two results are 0 where all scores are equal.
func moments(counts []int) (mean, sigma, skew, excess float64) {
	n := 0.0
	for i, k := range counts {
		n += float64(k)
		mean += float64(k) * float64(i)
	}
	if n == 0 {
		return 0.5, 0, 0, 0
	}
	step := 1 / float64(len(counts)-1)
	mean *= step / n
	var second, third, fourth float64
	for i, k := range counts {
		d, p := float64(i)*step-mean, float64(k)/n
		second += p * d * d
		third += p * d * d * d
		fourth += p * d * d * d * d
	}
	if second < 1e-15 { // rounding
		return mean, 0, 0, 0
	}
	sigma = math.Sqrt(second)
	return mean, sigma, third / (second * sigma), fourth/(second*second) - 3
}

// NElo is the normalized Elo of A and half of its 95 % interval, which is MaxElo where there is no bound. With the
// mean m and the standard deviation s of a pair's score, (m - 1/2)/(s sqrt(2)) is the difference in standard
// deviations of a single game. Normalized Elo is that times 800/ln(10). Unlike Elo it does not depend on how many
// games are drawn, and it tells how many games are needed to measure the difference.
//
// The interval follows from t = (m - 1/2)/s by the delta method: with skewness g and excess kurtosis k, the variance
// of t over n pairs is (1 - g t + (k + 2) t^2/4)/n. fastchess uses the first term only, fishtest uses all.
func (c Pentanomial) NElo() (nelo, half float64) { return normalized(c[:], math.Sqrt2) }

// normalized is the normalized Elo of counted scores, each the mean of perUnit^2 games.
func normalized(counts []int, perUnit float64) (nelo, half float64) {
	n := 0
	for _, k := range counts {
		n += k
	}
	mean, sigma, skew, excess := moments(counts)
	if sigma == 0 {
		switch {
		case mean > 0.5:
			return MaxElo, MaxElo
		case mean < 0.5:
			return -MaxElo, MaxElo
		case n < 2:
			return 0, MaxElo
		}
		return 0, 0
	}
	t := (mean - 0.5) / sigma
	variance := max(1-skew*t+(excess+2)*t*t/4, 0) / float64(n)
	unit := nEloUnit / perUnit
	return max(-MaxElo, min(unit*t, MaxElo)), min(unit*z95*math.Sqrt(variance), MaxElo)
}

// PairsRatio is the number of won pairs divided by that of lost pairs: MaxRatio where none is lost, 1 where none is won
// either.
func (c Pentanomial) PairsRatio() float64 {
	won, lost := float64(c[3]+c[4]), float64(c[0]+c[1])
	switch {
	case won == 0 && lost == 0:
		return 1
	case lost == 0:
		return MaxRatio
	}
	return min(won/lost, MaxRatio)
}
