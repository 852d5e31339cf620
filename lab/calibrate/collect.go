// Package calibrate fits the change model of the best-first search (bestfirst.Fit) to a net: it lets the search play itself
// from random openings, logs every promotion, fits the model by maximum likelihood on four fifths of the searches, and measures
// it on the others.
package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"tesla/bestfirst"
	"tesla/board"
	"tesla/search"
)

// Plies are the numbers of further plies, doublings of the evaluations below a node, that its change is logged after.
var Plies = [3]int{1, 2, 4}

// Change is one logged promotion: a node, and how its value moved as more was spent below it.
type Change struct {
	Search  int
	N       float64 // evaluations below it
	Of      *bestfirst.Features
	Missing float64
	Asked   float64             // what the promotion hoped for, see bestfirst.Sample
	Moved   [len(Plies)]float64 // NaN where it did not get there
	Final   float64             // to the last value of the search where that had at least 32 times the evaluations, else NaN
}

// First is a first evaluation beside what the policy implied.
type First struct {
	Search int
	Nats   float64 // of the prior below the best sibling's
	Loss   float64 // the parent's q before it, less the move's
}

// Log is what searches have logged.
type Log struct {
	Searches int
	Changes  []Change
	Firsts   []First
}

// Promotions counts the changes of known outcome.
func (l *Log) Promotions() (count int) {
	for _, c := range l.Changes {
		for _, m := range c.Moved {
			if m == m {
				count++
			}
		}
	}
	return count
}

// Split holds the last fifth of the searches out.
func (l *Log) Split() (train, test *Log) {
	train, test = &Log{}, &Log{}
	limit := l.Searches * 4 / 5
	part := func(search int) *Log {
		if search < limit {
			return train
		}
		return test
	}
	for _, c := range l.Changes {
		p := part(c.Search)
		p.Changes = append(p.Changes, c)
	}
	for _, f := range l.Firsts {
		p := part(f.Search)
		p.Firsts = append(p.Firsts, f)
	}
	return train, test
}

// Games begin with random moves, and are left after so many plies.
const (
	openingPlies = 8
	gamePlies    = 80
)

// Open makes the searcher whose searches are logged. It calls trace as bestfirst.Options.Trace says.
type Open func(trace func(bestfirst.Sample)) (search.Searcher, error)

// Collect makes searches of so many evaluations each, from an empty tree, and logs them. It ends early with the error of ctx or of a
// search.
func Collect(ctx context.Context, open Open, searches int, evals int64, seed uint64) (l *Log, err error) {
	l = &Log{Searches: searches}
	traces, order := map[uint32][]bestfirst.Sample{}, []uint32(nil)
	s, err := open(func(x bestfirst.Sample) {
		if _, ok := traces[x.Node]; !ok {
			order = append(order, x.Node)
		}
		traces[x.Node] = append(traces[x.Node], x)
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	random := rand.New(rand.NewPCG(seed, 0))
	g := opening(random)
	for i := range searches {
		if len(g.Moves) >= gamePlies || g.Outcome() != board.Ongoing {
			g = opening(random)
		}
		clear(traces)
		order = order[:0]
		s.NewGame()
		r, err := s.Search(ctx, g, search.Limits{Evals: evals}, nil)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, id := range order {
			l.add(i, traces[id])
		}
		g.Play(r.Best)
	}
	return l, nil
}

// opening plays random moves.
func opening(random *rand.Rand) *board.Game {
	for {
		g := board.NewGame(board.StartPosition())
		for range openingPlies {
			if moves := g.Pos.LegalMoves(nil); len(moves) > 0 {
				g.Play(moves[random.IntN(len(moves))])
			}
		}
		if g.Outcome() == board.Ongoing {
			return g
		}
	}
}

// add turns a node's trace into changes. Values on the way to a proof count like others, proven ones end the trace. The root's,
// and what is left of a node that was reclaimed, are of no use.
func (l *Log) add(search int, t []bestfirst.Sample) {
	first := t[0]
	if first.Of == nil {
		return
	}
	if first.Nats >= 0 && !first.Proven {
		l.Firsts = append(l.Firsts, First{Search: search, Nats: float64(first.Nats), Loss: float64(first.Parent) + float64(first.Q)})
	}
	last := t[len(t)-1]
	for i, x := range t {
		if x.Proven {
			return
		}
		c := Change{Search: search, N: float64(x.N), Of: first.Of, Missing: float64(x.Missing), Asked: float64(x.Asked), Final: math.NaN()}
		for j, k := range Plies {
			c.Moved[j] = math.NaN()
			if i+k < len(t) {
				c.Moved[j] = clip(float64(t[i+k].Q)) - float64(x.Q)
			}
		}
		if last.N >= 32*x.N {
			c.Final = clip(float64(last.Q)) - float64(x.Q)
		}
		l.Changes = append(l.Changes, c)
	}
}

// clip keeps proven values within the range of the others.
func clip(q float64) float64 { return max(-1, min(1, q)) }
