package stats

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Constants of the rating by maximum likelihood.
const (
	eloUnit = 400 / math.Ln10 // Elo of one unit of the logistic function
	// ratingPrior is the weight of a normal prior of the strengths around 0, in 1 / unit^2. It keeps the rating of a
	// player finite who has won or lost all games. A game weighs up to 1/4, so it has no visible effect otherwise.
	ratingPrior = 1e-6
	ratingSteps = 500 // limit of Newton's method, which needs about ten
)

// NewTable is the table of players with a name and incidents, and of the results between them.
func NewTable(players []Rating, pairings []Pairing) Table {
	t := Table{Players: players, Pairings: pairings}
	t.count()
	t.rate()
	return t
}

func (t *Table) count() {
	for i := range t.Pairings {
		p := &t.Pairings[i]
		points := p.points()
		for side, player := range p.Sides {
			t.Players[player].Games += p.Games
			t.Players[player].Ponder.add(p.Ponder[side])
			t.Players[player].Points += points
			if side == 0 {
				points = float64(p.Games) - points
			}
		}
	}
}

// rate fits the players' strengths x to all pairings: player i is expected to score 1/(1 + exp(x_j - x_i)) against j
// (Zermelo 1929; Bradley and Terry 1952), and a draw counts half. The likelihood is concave, and Newton's method finds
// its maximum. The errors follow from its curvature and from the dispersion of the pairs of games.
func (t *Table) rate() {
	x := make([]float64, len(t.Players))
	var curvature *mat.SymDense
	for range ratingSteps {
		var slope []float64
		slope, curvature = t.slope(x)
		step := solve(curvature, slope)
		largest := 0.0
		for _, d := range step {
			largest = max(largest, math.Abs(d))
		}
		for i, d := range step {
			x[i] += d / max(1, largest) // at most one unit, because the curvature misleads far from the maximum
		}
		if largest < 1e-10 {
			break
		}
	}
	errors := t.errors(x, curvature)
	for i := range t.Players {
		p := &t.Players[i]
		p.Elo = max(-MaxElo, min(x[i]*eloUnit, MaxElo))
		p.Error = min(errors[i], MaxElo)
		if p.Games < 2 || p.Points == 0 || p.Points == float64(p.Games) {
			p.Error = MaxElo
		}
	}
}

// slope returns the derivative of the log-likelihood at x, and the negative of its second derivative.
func (t *Table) slope(x []float64) ([]float64, *mat.SymDense) {
	slope, curvature := make([]float64, len(x)), mat.NewSymDense(len(x), nil)
	add := func(i, j int, c float64) { curvature.SetSym(i, j, curvature.At(i, j)+c) }
	for i := range x {
		add(i, i, ratingPrior)
		slope[i] = -ratingPrior * x[i]
	}
	for k := range t.Pairings {
		p := &t.Pairings[k]
		i, j, games := p.Sides[0], p.Sides[1], float64(p.Games)
		expected := p.expected(x)
		d := p.points() - games*expected
		slope[i] += d
		slope[j] -= d
		c := games * expected * (1 - expected)
		add(i, i, c)
		add(j, j, c)
		add(i, j, -c)
	}
	return slope, curvature
}

// expected is the expected score, 0..1, of the first player of a pairing at the strengths x.
func (p *Pairing) expected(x []float64) float64 {
	return 1 / (1 + math.Exp(x[p.Sides[1]]-x[p.Sides[0]]))
}

// errors are half the 95 % intervals of the players, in Elo. With the curvature H, a change of one point in the
// pairing of i and j changes the strengths by the vector inv(H) (e_i - e_j). Its squares, times the variance of the
// pairing's points, add up to the variances of the strengths.
func (t *Table) errors(x []float64, curvature *mat.SymDense) []float64 {
	dispersion := t.dispersion(x)
	variances := make([]float64, len(x))
	for k := range t.Pairings {
		p := &t.Pairings[k]
		e := p.expected(x)
		v := dispersion * float64(p.Games) * e * (1 - e)
		direction := make([]float64, len(x))
		direction[p.Sides[0]], direction[p.Sides[1]] = 1, -1
		for i, d := range solve(curvature, direction) {
			variances[i] += v * d * d
		}
	}
	for i, v := range variances {
		variances[i] = z95 * math.Sqrt(v) * eloUnit
	}
	return variances
}

// dispersion is the observed variance of the points of pairs of games, divided by that of independent games without
// draws. Draws make it smaller, and so do openings that favour one colour, because their bias cancels within a pair.
// One value serves all pairings, as each of them has few pairs. It is 1 where no pairing has two pairs.
func (t *Table) dispersion(x []float64) float64 {
	seen, model := 0.0, 0.0
	for k := range t.Pairings {
		p := &t.Pairings[k]
		n, sum, squares := 0.0, 0.0, 0.0
		for i, count := range p.Ptnml {
			points := float64(i) / 2
			n += float64(count)
			sum += float64(count) * points
			squares += float64(count) * points * points
		}
		if n < 2 {
			continue
		}
		e := p.expected(x)
		seen += max(squares-sum*sum/n, 0)
		model += (n - 1) * 2 * e * (1 - e)
	}
	if model == 0 {
		return 1
	}
	return seen / model
}

// solve returns x with a x = b. The prior keeps a positive definite.
func solve(a *mat.SymDense, b []float64) []float64 {
	var factors mat.Cholesky
	factors.Factorize(a)
	x := mat.NewVecDense(len(b), nil)
	// The error is a warning of a bad condition: the prior is small beside the games.
	_ = factors.SolveVecTo(x, mat.NewVecDense(len(b), b))
	return x.RawVector().Data
}
