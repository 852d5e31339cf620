// Package sure turns what a search knows at a moment into calibrated statements about its choice (search.Sureness). A
// search fills Facts, a Choice follows which move is first while the effort grows, and a Model, fitted to one searcher
// and net, makes the statements. Where nothing was fitted there is no Model, and nothing is stated (docs/sure.md).
package sure

import (
	"math"

	"tesla/board"
)

// Facts are what a search knows of its choice at a moment. Values are q in [-1, 1] for the side to move.
type Facts struct {
	First   board.Move `json:"-"`
	Effort  float64    `json:"effort"`            // nodes of alpha-beta, evaluations of a tree's root
	Moves   int        `json:"moves"`             // root moves
	Q       float64    `json:"q"`                 // of the first move
	Draws   float64    `json:"draws"`             // the net's probability of a draw at the root
	Share   float64    `json:"share"`             // of the effort that was spent on the first move
	Next    float64    `json:"next"`              // and on the move, other than the first, on which most was spent
	Depth   int        `json:"depth,omitempty"`   // of alpha-beta, plies
	Age     float64    `json:"age"`               // see Choice, as the next four
	Changes int        `json:"changes"`           //
	Turmoil float64    `json:"turmoil"`           //
	Swing   float64    `json:"swing"`             //
	Drop    float64    `json:"drop"`              //
	Rivals  []Rival    `json:"rivals,omitempty"`  // of a tree: the root moves with an evaluation, the first before all others
	Untried float64    `json:"untried,omitempty"` // of a tree: the prior of the moves without an evaluation
}

// Rival is a root move of a tree.
type Rival struct {
	Move  board.Move `json:"-"`
	N     float64    `json:"n"`
	Q     float64    `json:"q"`
	Prior float64    `json:"prior"`
	Error float64    `json:"error"` // scale of the distance of Q to the value after very many evaluations, by the change model
}

// Choice follows the first move of a search. The zero value is at its beginning.
type Choice struct {
	move    board.Move
	effort  float64 // at the last look
	since   float64 // the effort at which the move became first
	changes int
	changed float64 // sum of the efforts at which another move became first
	q       float64 // at the last look
	swing   float64 // sum of squared changes of q, each halved for each doubling of the effort since
	past    float64 // q as it was about a doubling of the effort ago
}

// See takes a look: the first move, its q, and the effort so far, which does not fall.
func (c *Choice) See(m board.Move, q, effort float64) {
	if c.effort == 0 {
		c.move, c.since, c.q, c.past, c.effort = m, effort, q, q, effort
		return
	}
	fade := c.effort / max(effort, c.effort) // a half for a doubling
	c.swing = c.swing*fade + (q-c.q)*(q-c.q)
	c.past = c.q + (c.past-c.q)*fade
	if m != c.move {
		c.move, c.since = m, effort
		c.changes++
		c.changed += effort
	}
	c.q, c.effort = q, max(effort, c.effort)
}

// First is the first move at the last look.
func (c *Choice) First() board.Move { return c.move }

// Fill writes what the looks so far say into f.
func (c *Choice) Fill(f *Facts) {
	f.Age = math.Log2(max(1, c.effort/max(1, c.since)))
	f.Changes = c.changes
	f.Turmoil = c.changed / max(1, c.effort)
	f.Swing = math.Sqrt(c.swing)
	f.Drop = c.past - c.q
}

// Scale is the score of Stockfish, in centipawns, at which the expected points are 1 / (1 + 1/e).
const Scale = 250

// Points is the expected points, 0 to 1, at a score of the reference.
func Points(cp int) float64 { return logistic(float64(cp) / Scale) }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Within is how far below the best move a move may be and still count as best, in expected points.
const Within = 0.02

// ownBest is the probability that no other move is better than the first by more than Within, if values had independent normal
// errors. There is a first move.
func (f *Facts) ownBest() float64 {
	const margin = 2 * Within // q
	first, p := &f.Rivals[0], 1.0
	for i := range f.Rivals[1:] {
		r := &f.Rivals[i+1]
		p *= 1 - 0.5*math.Erfc((first.Q-r.Q+margin)/(math.Sqrt2*math.Hypot(first.Error, r.Error)+1e-9))
	}
	return p
}
