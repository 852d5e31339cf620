// Command fit fits the change model of the best-first search (bestfirst.Fit) to a net.
//
// It lets the search play itself from random openings, logs every promotion, fits the model by maximum likelihood on
// four fifths of the searches, and measures it on the others: the log-loss of predicted flips beside the best constant's. It writes the fit as JSON and a calibration plot.
//
//	go run ./scripts/fit -searches 600 -evals 2000 -seed 1 -out bestfirst/fit.json -plot docs/change-model.svg
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"

	"tesla/batcher"
	"tesla/bestfirst"
	"tesla/board"
	"tesla/search"
)

func main() {
	log.SetFlags(0)
	searches := flag.Int("searches", 600, "searches to log")
	evals := flag.Int64("evals", 2000, "evaluations a search")
	seed := flag.Uint64("seed", 1, "of the random openings")
	backend := flag.String("backend", "cpu", "as tesla --backend")
	weights := flag.String("weights", "", "net file, empty: the embedded one")
	threads := flag.Int("threads", 2, "of the backend")
	out := flag.String("out", "", "JSON file to write the fit to")
	plot := flag.String("plot", "", "SVG or PNG file to draw the calibration in")
	flag.Parse()
	if err := run(*searches, *evals, *seed, *backend, *weights, *threads, *out, *plot); err != nil {
		log.Fatal("fit: ", err)
	}
}

func run(searches int, evals int64, seed uint64, name, weights string, threads int, out, plotFile string) error {
	backend, _, err := batcher.Open(name, weights, batcher.Options{Threads: threads})
	if err != nil {
		return err
	}
	defer backend.Close()
	d, err := collect(backend, searches, evals, seed)
	if err != nil {
		return err
	}
	train, test := d.split()
	fmt.Printf("%d promotions logged in %d searches of %d evaluations; %d first evaluations\n", d.promotions(), searches,
		evals, len(d.firsts))
	fit := estimate(train)
	fit.Net = backend.Info().Model
	text, err := json.Marshal(fit)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", text)
	report(fit, train, test)
	if plotFile != "" {
		if err := calibration(fit, test, plotFile); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}

// change is one logged promotion: a node and how its value moved as more was spent below it.
type change struct {
	search int
	n      float64
	sigma  float64
	asked  float64    // what the promotion hoped for, see bestfirst.Sample
	moved  [3]float64 // after 1, 2 and 4 doublings; NaN where it did not get there
	final  float64    // to the last value of the search where that had at least 32 times the evaluations, else NaN
}

// first is a first evaluation beside what the policy implied.
type first struct {
	search int
	nats   float64
	loss   float64 // parent's q less the move's
}

type data struct {
	changes  []change
	firsts   []first
	searches int
}

func (d *data) promotions() int {
	count := 0
	for _, c := range d.changes {
		for _, m := range c.moved {
			if m == m {
				count++
			}
		}
	}
	return count
}

// split holds the last fifth of the searches out.
func (d *data) split() (train, test *data) {
	train, test = &data{}, &data{}
	limit := d.searches * 4 / 5
	for _, c := range d.changes {
		if c.search < limit {
			train.changes = append(train.changes, c)
		} else {
			test.changes = append(test.changes, c)
		}
	}
	for _, f := range d.firsts {
		if f.search < limit {
			train.firsts = append(train.firsts, f)
		} else {
			test.firsts = append(test.firsts, f)
		}
	}
	return train, test
}

const (
	openingPlies = 8
	gamePlies    = 80
)

// collect plays and logs. Each search starts from an empty tree.
func collect(backend batcher.Backend, searches int, evals int64, seed uint64) (*data, error) {
	d := &data{searches: searches}
	traces := map[uint64][]bestfirst.Sample{}
	s, err := bestfirst.New(backend, nil, bestfirst.Options{Tuning: bestfirst.DefaultTuning(), Trace: func(x bestfirst.Sample) {
		traces[x.Node] = append(traces[x.Node], x)
	}})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	rng := rand.New(rand.NewPCG(seed, 0))
	g := opening(rng)
	for i := range searches {
		if len(g.Moves) >= gamePlies || g.Outcome() != board.Ongoing {
			g = opening(rng)
		}
		clear(traces)
		s.NewGame()
		r := s.Search(context.Background(), g, search.Limits{Evals: evals}, nil)
		if s.Err() != nil {
			return nil, s.Err()
		}
		for _, t := range traces {
			d.add(i, t)
		}
		g.Play(r.Best)
		if (i+1)%50 == 0 {
			log.Printf("%d of %d searches", i+1, searches)
		}
	}
	return d, nil
}

// opening plays random moves.
func opening(rng *rand.Rand) *board.Game {
	for {
		g := board.NewGame(board.StartPosition())
		for range openingPlies {
			if moves := g.Pos.LegalMoves(nil); len(moves) > 0 {
				g.Play(moves[rng.IntN(len(moves))])
			}
		}
		if g.Outcome() == board.Ongoing {
			return g
		}
	}
}

// add turns a node's trace into changes. Values on the way to a proof count like others, proven ones end the trace.
func (d *data) add(search int, t []bestfirst.Sample) {
	if t[0].N == 1 && t[0].Nats >= 0 && !t[0].Proven {
		d.firsts = append(d.firsts, first{search: search, nats: float64(t[0].Nats),
			loss: float64(t[0].Parent) + float64(t[0].Q)})
	}
	for i, x := range t {
		if x.Proven {
			return
		}
		c := change{search: search, n: float64(x.N), sigma: float64(x.Sigma), asked: float64(x.Asked),
			moved: [3]float64{nan, nan, nan}, final: nan}
		for j, k := range [3]int{1, 2, 4} {
			if i+k < len(t) {
				c.moved[j] = clip(float64(t[i+k].Q)) - float64(x.Q)
			}
		}
		if last := t[len(t)-1]; last.N >= 32*x.N {
			c.final = clip(float64(last.Q)) - float64(x.Q)
		}
		d.changes = append(d.changes, c)
	}
}
