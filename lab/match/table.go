package match

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"unicode/utf8"
)

// Table is how a match stands: each pairing, and the ratings that follow from all of them.
type Table struct {
	Players  []Rating  `json:"players"`  // in the order of the configuration
	Pairings []Pairing `json:"pairings"` // in the order of the schedule
}

// Pairing is the result of two players from the first one's side.
type Pairing struct {
	First  string `json:"first"`
	Second string `json:"second"`
	Result
	sides [2]int // indices of the players
}

// Rating is where a player stands among all.
type Rating struct {
	Name   string  `json:"name"`
	Games  int     `json:"games"`
	Points float64 `json:"points"`
	Elo    float64 `json:"elo"`       // the mean of all players is 0; within MaxElo
	Error  float64 `json:"elo_error"` // half of the 95 % interval; MaxElo where it has no bound

	Incidents Incidents `json:"incidents"`
}

// table is how the match stands.
func (m *matchRun) table() Table {
	m.mu.Lock()
	defer m.mu.Unlock()
	var t Table
	incidents, overhead := m.venue.incidents(), m.venue.gaps.overhead()
	for i, name := range m.names {
		t.Players = append(t.Players, Rating{Name: name, Incidents: incidents[i]})
	}
	for i, sides := range m.schedule.pairings {
		r := m.result(i)
		r.Incidents, r.Overhead = [2]Incidents{incidents[sides[0]], incidents[sides[1]]}, overhead
		t.Pairings = append(t.Pairings, Pairing{First: m.names[sides[0]], Second: m.names[sides[1]], Result: r, sides: sides})
	}
	t.rate()
	return t
}

// First is the result of all games of the first player, from its side: that of the match where there are two players.
func (t *Table) First() Result {
	var results []*Result
	for i := range t.Pairings {
		if t.Pairings[i].sides[0] == 0 {
			results = append(results, &t.Pairings[i].Result)
		}
	}
	return total(results)
}

// first is the same while the match goes on.
func (m *matchRun) first() Result {
	var results []*Result
	for i, sides := range m.schedule.pairings {
		if sides[0] == 0 {
			r := m.result(i)
			results = append(results, &r)
		}
	}
	return total(results)
}

// total adds results up; a single one stays as it is.
func total(results []*Result) Result {
	var sum Result
	if len(results) == 1 {
		return *results[0]
	}
	for _, r := range results {
		sum.Incidents[0], sum.Overhead = r.Incidents[0], r.Overhead
		sum.Games += r.Games
		sum.Wins += r.Wins
		sum.Draws += r.Draws
		sum.Losses += r.Losses
		sum.Crashes += r.Crashes
		sum.Timeouts += r.Timeouts
		sum.Illegal += r.Illegal
		for i, n := range r.Ptnml {
			sum.Ptnml[i] += n
		}
	}
	sum.update()
	return sum
}

// points are the first player's.
func (r *Result) points() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Rating by maximum likelihood.
const (
	eloUnit = 400 / math.Ln10 // Elo of one unit of the logistic function
	// ratingPrior weighs a normal distribution of the strengths around 0, in 1 / unit^2. It keeps ratings finite where a
	// player has won or lost all games, and is too weak to be seen otherwise: a game weighs up to 1/4.
	ratingPrior = 1e-6
	ratingSteps = 500 // of Newton's method; some ten are needed
)

// rate fits the players' strengths x to all pairings: player i is expected to score 1/(1 + exp(x_j - x_i)) against j
// (Zermelo 1929; Bradley and Terry 1952), a draw counting half. The likelihood is concave, and its maximum is found by
// Newton's method. The errors are those of its curvature, times how much the pairs of games vary by: see dispersion.
func (t *Table) rate() {
	n := len(t.Players)
	for i := range t.Pairings {
		p := &t.Pairings[i]
		points := p.points()
		for side, player := range p.sides {
			t.Players[player].Games += p.Games
			t.Players[player].Points += points
			if side == 0 {
				points = float64(p.Games) - points
			}
		}
	}
	x := make([]float64, n)
	var curvature [][]float64
	for range ratingSteps {
		var slope []float64
		slope, curvature = t.slope(x)
		step := solve(curvature, slope)
		largest := 0.0
		for _, d := range step {
			largest = max(largest, math.Abs(d))
		}
		for i, d := range step {
			x[i] += d / max(1, largest) // at most one unit: far from the maximum the curvature misleads
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

// slope is the derivative of the log-likelihood at x, and its second derivative with the sign turned.
func (t *Table) slope(x []float64) ([]float64, [][]float64) {
	slope, curvature := make([]float64, len(x)), make([][]float64, len(x))
	for i := range x {
		curvature[i] = make([]float64, len(x))
		curvature[i][i] = ratingPrior
		slope[i] = -ratingPrior * x[i]
	}
	for k := range t.Pairings {
		p := &t.Pairings[k]
		i, j, games := p.sides[0], p.sides[1], float64(p.Games)
		expected := p.expected(x)
		d := p.points() - games*expected
		slope[i] += d
		slope[j] -= d
		c := games * expected * (1 - expected)
		curvature[i][i] += c
		curvature[j][j] += c
		curvature[i][j] -= c
		curvature[j][i] -= c
	}
	return slope, curvature
}

// expected is the score, 0..1, that the strengths give the first player of a pairing.
func (p *Pairing) expected(x []float64) float64 {
	return 1 / (1 + math.Exp(x[p.sides[1]]-x[p.sides[0]]))
}

// errors are half the 95 % intervals of the players, in Elo. The variance of a pairing's points, v, adds to that of the
// strengths what the vector inv(H) (e_i - e_j) makes of it: that vector has the sum 0, as the strengths have.
func (t *Table) errors(x []float64, curvature [][]float64) []float64 {
	dispersion := t.dispersion(x)
	variances := make([]float64, len(x))
	for k := range t.Pairings {
		p := &t.Pairings[k]
		e := p.expected(x)
		v := dispersion * float64(p.Games) * e * (1 - e)
		direction := make([]float64, len(x))
		direction[p.sides[0]], direction[p.sides[1]] = 1, -1
		for i, d := range solve(curvature, direction) {
			variances[i] += v * d * d
		}
	}
	for i, v := range variances {
		variances[i] = 1.959964 * math.Sqrt(v) * eloUnit
	}
	return variances
}

// dispersion is the variance of the points of pairs of games within pairings, over that of independent games without
// draws. Draws make it smaller, and so do openings that favour a colour, whose bias cancels in a pair. It is common to
// all pairings, since a single one has few pairs; 1 where none has two.
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

// solve returns x with a x = b for a symmetric positive definite matrix (Cholesky). a and b stay as they are.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	l := make([][]float64, n)
	x := append([]float64(nil), b...)
	for i := range l {
		l[i] = make([]float64, i+1)
		for j := range l[i] {
			sum := a[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
		for j := range i {
			x[i] -= l[i][j] * x[j]
		}
		x[i] /= l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for j := i + 1; j < n; j++ {
			x[i] -= l[j][i] * x[j]
		}
		x[i] /= l[i][i]
	}
	return x
}

// String is the cross table, the best player first: points of the row's player against the column's.
//
//	    name      elo    error  games   points    score      1      2      3
//	1.  new     +35.2     41.0     80     44.0   55.0 %      -  22/40  22/40
func (t *Table) String() string {
	order := make([]int, len(t.Players))
	width := len("name")
	for i := range order {
		order[i] = i
		width = max(width, utf8.RuneCountInString(t.Players[i].Name))
	}
	sort.SliceStable(order, func(a, b int) bool { return t.Players[order[a]].Elo > t.Players[order[b]].Elo })
	cells := map[[2]int]string{}
	for i := range t.Pairings {
		p := &t.Pairings[i]
		points := p.points()
		cells[p.sides] = fmt.Sprintf("%g/%d", points, p.Games)
		cells[[2]int{p.sides[1], p.sides[0]}] = fmt.Sprintf("%g/%d", float64(p.Games)-points, p.Games)
	}
	cell := 5
	for _, text := range cells {
		cell = max(cell, len(text))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%3s  %-*s %8s %8s %6s %8s %8s", "", width, "name", "elo", "error", "games", "points", "score")
	for i := range order {
		fmt.Fprintf(&b, "  %*d", cell, i+1)
	}
	for place, i := range order {
		p := &t.Players[i]
		limits := "-"
		if p.Error < MaxElo {
			limits = fmt.Sprintf("%.1f", p.Error)
		}
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(p.Name))
		fmt.Fprintf(&b, "\n%2d.  %s%s %+8.1f %8s %6d %8.1f %6.1f %%", place+1, p.Name, pad, p.Elo, limits, p.Games, p.Points,
			100*p.Points/float64(max(p.Games, 1)))
		for _, j := range order {
			text := cells[[2]int{i, j}]
			if text == "" {
				text = "-"
			}
			fmt.Fprintf(&b, "  %*s", cell, text)
		}
	}
	return b.String() + "\n"
}
