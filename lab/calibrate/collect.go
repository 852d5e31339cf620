// Package calibrate fits the change model of the best-first search (bestfirst.Fit) to a net. The search plays against
// itself from random openings, and the package logs how the values of nodes change while it runs. The model is fitted
// to four fifths of the searches by maximum likelihood, and measured on the last fifth.
package calibrate

import (
	"context"
	"math"
	"math/rand/v2"

	"tesla/bestfirst"
	"tesla/board"
	"tesla/lab/sweep"
	"tesla/search"
)

// Plies are the depths for which a change is logged. A ply is a doubling of the evaluations below a node.
var Plies = [3]int{1, 2, 4}

// Change is one logged promotion: a node, and how its value moved as its evaluations doubled.
type Change struct {
	Search  int
	N       float64 // completed evaluations below the node
	Sigma   float64 // the net's own, see bestfirst.Sample
	Missing float64
	Asked   float64             // the gap that the promotion was to cross, see bestfirst.Sample
	Moved   [len(Plies)]float64 // how q moved; NaN where the search ended before that depth
	Final   float64             // how q moved by the end of the search; NaN unless the evaluations grew by a factor of 32 or more
}

// First compares the first evaluation of a node with what the policy implied.
type First struct {
	Search int
	Nats   float64 // by how much the log of its prior lies below that of its best sibling
	Loss   float64 // q of its parent before the evaluation, less the value of the move
}

// Log holds what was logged of searches.
type Log struct {
	Searches int
	Changes  []Change
	Firsts   []First
}

// Promotions counts the outcomes that are known, up to one for each of Plies and each change.
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

// Split divides the log by searches: the last fifth is held out as test.
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

const (
	openingPlies = 8  // random moves at the beginning of a game
	gamePlies    = 80 // moves after which a game is abandoned
)

// Open makes the searcher whose searches are logged. It calls trace as bestfirst.Options.Trace says.
type Open func(trace func(bestfirst.Sample)) (search.Searcher, error)

// Collect makes searches, every one from an empty tree, and logs them. It ends early with the error of ctx or of a search.
func Collect(ctx context.Context, open Open, cfg Config) (l *Log, err error) {
	l = &Log{Searches: cfg.Searches}
	traces, order := map[uint32][]bestfirst.Sample{}, []uint32(nil)
	trace := func(x bestfirst.Sample) {
		if _, ok := traces[x.Node]; !ok {
			order = append(order, x.Node)
		}
		traces[x.Node] = append(traces[x.Node], x)
	}
	random := rand.New(rand.NewPCG(cfg.Seed, 0))
	g := opening(random)
	by := sweep.Searcher{Name: "bestfirst", Open: func() (search.Searcher, error) { return open(trace) }}
	all := &sweep.Sweep{Steps: cfg.Searches, What: "searches", Progress: cfg.Progress}
	err = all.With(ctx, by, func(ctx context.Context, s *sweep.Searcher, i int) error {
		if len(g.Moves) >= gamePlies || g.Outcome() != board.Ongoing {
			g = opening(random)
		}
		clear(traces)
		order = order[:0]
		if err := s.NewGame(ctx); err != nil {
			return err
		}
		r, err := s.Search(ctx, g, search.Limits{Evals: cfg.Evals}, nil)
		if err != nil {
			return err
		}
		for _, id := range order {
			l.add(i, traces[id])
		}
		g.Play(r.Best)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// opening returns a game that has not ended after openingPlies random moves.
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

// add turns the trace of a node into changes. A proven value ends the trace: the change up to it counts, but none
// begins there. A trace without a first sample, such as that of the root, is dropped. When a node is reclaimed, another
// one takes its number, so a second first sample begins another trace.
func (l *Log) add(search int, t []bestfirst.Sample) {
	for i := 1; i < len(t); i++ {
		if t[i].New {
			l.add(search, t[:i])
			l.add(search, t[i:])
			return
		}
	}
	first := t[0]
	if !first.New {
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
		c := Change{Search: search, N: float64(x.N), Sigma: float64(first.Sigma), Missing: float64(x.Missing), Asked: float64(x.Asked), Final: math.NaN()}
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

// clip brings proven values, which lie beyond -1 and 1, into the range of the others.
func clip(q float64) float64 { return max(-1, min(1, q)) }
