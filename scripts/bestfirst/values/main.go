// Command values measures how well searches value positions. It compares q of each player's search with q of a much
// longer alpha-beta search on the same net, the truth. Half of the positions come from games; the other half are a
// random move away from a game. For each player it prints the mean absolute and the mean square error of q, and how far
// both lie from those of the first player. Each player's q is first scaled and shifted to fit the truth best, because
// deeper searches give larger scores, and no decision depends on that. Errors above 0.3 are squared as 0.3.
//
//	values -games games -truth truth.jsonl -evals 3200 "bestfirst" "bestfirst evidence=0.5" "bestfirst fit=other.json" "puct"
//
// A player is the name of a searcher, then words of its SearchOptions, and fit=FILE for a change model. The scores of
// alpha-beta are kept in a journal, -truth, and missing ones are added. Each number of -nodes needs a journal of its
// own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"gonum.org/v1/gonum/stat"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/regret"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
)

const (
	within     = 600  // the largest score of a position in its game, in centipawns
	farthest   = 0.95 // q beyond which a position counts as decided and is left out
	cut        = 0.3  // the largest error that is squared as it is, in q
	treeMemory = 64   // MiB
)

func main() {
	games := flag.String("games", "", "file of binary games, see tesla datagen")
	count := flag.Int("positions", 1000, "number of positions")
	seed := flag.Uint64("seed", 1, "seed for choosing positions")
	truth := flag.String("truth", "truth.jsonl", "journal of the scores of alpha-beta")
	nodes := flag.Int64("nodes", 600000, "nodes of an alpha-beta search")
	evals := flag.Int64("evals", 3200, "evaluations of a search of a player")
	batch := flag.Int("batch", 0, "positions in a batch of a player (0: chosen by the backend)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *games, *truth, *count, *seed, *nodes, *evals, *batch, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "values:", err)
		os.Exit(1)
	}
}

// header is the header of the journal.
type header struct {
	Nodes int64 `json:"nodes"`
}

// judged is a record of the journal.
type judged struct {
	FEN string  `json:"fen"`
	Q   float64 `json:"q"`
}

func run(ctx context.Context, games, truth string, count int, seed uint64, nodes, evals int64, batch int, players []string) error {
	if len(players) == 0 {
		return errors.New("no player is named")
	}
	positions, err := sample(games, count, seed)
	if err != nil {
		return err
	}
	of, err := judge(ctx, positions, truth, nodes)
	if err != nil {
		return err
	}
	var by []sweep.Searcher
	for _, player := range players {
		by = append(by, sweep.Searcher{Name: player, Open: func() (search.Searcher, error) { return open(player, batch) }})
	}
	values, err := sweep.Searches(ctx, all(positions), by, func(ctx context.Context, s *sweep.Searcher, i int) (float64, error) {
		return value(ctx, s, &positions[i], search.Limits{Evals: evals})
	})
	if err != nil {
		return err
	}
	base := distances(of, values[0])
	for k, player := range players {
		tell(player, distances(of, values[k]), base)
	}
	return nil
}

// all is a sweep over the positions on all cores.
func all(positions []board.Position) *sweep.Sweep {
	return &sweep.Sweep{Steps: len(positions), Workers: runtime.NumCPU(), What: "positions", Progress: view.ProgressOn(os.Stderr)}
}

func value(ctx context.Context, s *sweep.Searcher, p *board.Position, l search.Limits) (float64, error) {
	r, err := s.FromNothing(ctx, p, l, nil)
	return search.CPToQ(r.Info.Score.Value()), err
}

// sample draws positions of games, and plays a random move in every other one.
func sample(games string, count int, seed uint64) ([]board.Position, error) {
	positions, _, err := regret.Sample(games, count, within, seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := 1; i < len(positions); i += 2 {
		moves, after := positions[i].LegalMoves(nil), board.Position{}
		positions[i].Make(moves[random.IntN(len(moves))], &after)
		if after.HasLegalMove() {
			positions[i] = after
		}
	}
	return positions, err
}

// judge returns alpha-beta's q of each position, from the journal at path, or by a search that the journal then keeps.
func judge(ctx context.Context, positions []board.Position, path string, nodes int64) (of []float64, err error) {
	kept, err := sweep.OpenJournal(sweep.File{Path: path, Resume: true}, header{nodes}, func(j *judged) (string, error) { return j.FEN, nil })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	set := engine.Default()
	set.Search, set.Backend, set.Hash = "lazysmp", "nnue", 32
	steps := all(positions)
	steps.Resumed = kept.Resumed
	one := []sweep.Searcher{{Name: set.Search, Open: func() (search.Searcher, error) { return searcher(set) }}}
	values, err := sweep.Searches(ctx, steps, one, func(ctx context.Context, s *sweep.Searcher, i int) (float64, error) {
		fen := positions[i].FEN(false)
		j, err := kept.Do(fen, func() (judged, error) {
			q, err := value(ctx, s, &positions[i], search.Limits{Nodes: nodes})
			return judged{fen, q}, err
		})
		return j.Q, err
	})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// open makes a player: a searcher on the embedded nnue net with plain leaves.
func open(player string, batch int) (search.Searcher, error) {
	words := strings.Fields(player)
	set := engine.Default()
	set.Backend, set.LeafDepth, set.BatchSize, set.TreeMemory = "nnue", 0, batch, treeMemory
	if err := set.Set("Search", words[0]); err != nil {
		return nil, err
	}
	for _, w := range words[1:] {
		if path, ok := strings.CutPrefix(w, "fit="); ok {
			set.FitFile = path
		} else {
			set.SearchOptions += " " + w
		}
	}
	return searcher(set)
}

func searcher(set engine.Settings) (search.Searcher, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	s, _, err := engine.Open(set)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// distances returns the absolute errors of q after the best scale and shift, for the positions that the truth does not
// call decided.
func distances(truth, q []float64) (all []float64) {
	var x, y []float64
	for i, t := range truth {
		if math.Abs(t) < farthest {
			x, y = append(x, q[i]), append(y, t)
		}
	}
	shift, scale := stat.LinearRegression(x, y, nil, false)
	for i := range x {
		all = append(all, math.Abs(y[i]-shift-scale*x[i]))
	}
	return all
}

// tell prints the mean errors of a player, and their differences to those of the first player in per cent, with 95 %
// intervals.
func tell(player string, all, base []float64) {
	square := func(x float64) float64 { return min(x, cut) * min(x, cut) }
	linear := func(x float64) float64 { return x }
	fmt.Printf("%d positions, mean %.4f%s, square %.5f%s  %s\n", len(all), stat.Mean(all, nil), against(all, base, linear),
		meanOf(all, square), against(all, base, square), player)
}

// meanOf is the mean of f over all errors.
func meanOf(all []float64, f func(float64) float64) (sum float64) {
	for _, x := range all {
		sum += f(x) / float64(len(all))
	}
	return sum
}

// against writes by how many per cent the mean of f differs from its mean over base, with the half-width of the 95 %
// interval.
func against(all, base []float64, f func(float64) float64) string {
	d := make([]float64, len(all))
	for i := range d {
		d[i] = f(all[i]) - f(base[i])
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	of := meanOf(base, f) / 100
	return fmt.Sprintf(" (%+.1f +- %.1f %%)", mean/of, 1.96*deviation/math.Sqrt(float64(len(d)))/of)
}
