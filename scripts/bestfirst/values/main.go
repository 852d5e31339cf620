// Command values measures how well searches know what positions are worth: the score of each player's search beside that of a
// much longer alpha-beta search on the same net. Half of the positions are a random move off a game. It prints, of the first
// player and of each beside it, the mean absolute and the mean square distance of q, after the best scale for each player (more
// depth moves all scores outwards, which no decision depends on), squares of more than 0.3 q cut off there.
//
//	values -games games -truth truth.jsonl -evals 3200 "bestfirst" "bestfirst evidence=0.5" "bestfirst fit=other.json" "puct"
//
// A player is a searcher, words of its SearchOptions, and fit=FILE for a change model. Alpha-beta's scores are kept in the
// journal truth, one of its own for each number of nodes, and more are made where it has too few.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/journal"
	"tesla/lab/regret"
	"tesla/search"
)

const (
	within     = 600  // centipawns of balance of the positions, by their game
	farthest   = 0.95 // q beyond which a position is as good as decided
	cut        = 0.3  // q
	treeMemory = 64   // MiB
)

func main() {
	games := flag.String("games", "", "binary games, see tesla datagen")
	count := flag.Int("positions", 1000, "")
	seed := flag.Uint64("seed", 1, "of the positions")
	truth := flag.String("truth", "truth.jsonl", "file of alpha-beta's scores")
	nodes := flag.Int64("nodes", 600000, "of alpha-beta")
	evals := flag.Int64("evals", 3200, "of a player")
	batch := flag.Int("batch", 0, "positions in a player's batches (default: what the backend does best)")
	flag.Parse()
	if err := run(*games, *truth, *count, *seed, *nodes, *evals, *batch, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "values:", err)
		os.Exit(1)
	}
}

// header of the journal of truth.
type header struct {
	Nodes int64 `json:"nodes"`
}

// judged is a record of it.
type judged struct {
	FEN string  `json:"fen"`
	Q   float64 `json:"q"`
}

func run(games, truth string, count int, seed uint64, nodes, evals int64, batch int, players []string) error {
	if len(players) == 0 {
		return errors.New("name players")
	}
	positions, err := sample(games, count, seed)
	if err != nil {
		return err
	}
	of, err := judge(positions, truth, nodes)
	if err != nil {
		return err
	}
	var base []float64
	for _, player := range players {
		q := make([]float64, len(positions))
		err := each(positions, q, func() (search.Searcher, error) { return open(player, batch) }, search.Limits{Evals: evals}, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", player, err)
		}
		errs := distances(of, q)
		if base == nil {
			base = errs
		}
		tell(player, errs, base)
	}
	return nil
}

// sample draws positions, every other one a random move off its game.
func sample(games string, count int, seed uint64) ([]board.Position, error) {
	positions, err := regret.Sample(games, count, within, seed)
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

// judge is alpha-beta's q of each position, from the journal at path or found and added to it.
func judge(positions []board.Position, path string, nodes int64) (of []float64, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	kept, err := journal.Open(file, header{nodes}, "", func(line []byte) error {
		differences, err := journal.Differences(json.RawMessage(line), header{nodes})
		if err == nil && len(differences) > 0 {
			err = errors.New(differences[0].String())
		}
		return err
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	known := map[string]float64{}
	if err := kept.Replay(func(line []byte) error {
		var j judged
		err := json.Unmarshal(line, &j)
		known[j.FEN] = j.Q
		return err
	}); err != nil {
		return nil, err
	}
	of = make([]float64, len(positions))
	var unknown []int
	var ask []board.Position
	for i := range positions {
		q, ok := known[positions[i].FEN(false)]
		if of[i] = q; !ok {
			unknown, ask = append(unknown, i), append(ask, positions[i])
		}
	}
	var mutex sync.Mutex
	return of, each(ask, make([]float64, len(ask)), func() (search.Searcher, error) {
		set := engine.Default()
		set.Search, set.Backend, set.Hash = "lazysmp", "nnue", 32
		return searcher(set)
	}, search.Limits{Nodes: nodes}, func(i int, q float64) error {
		mutex.Lock()
		defer mutex.Unlock()
		of[unknown[i]] = q
		return kept.Append(judged{ask[i].FEN(false), q})
	})
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

// searcher makes the searcher of the settings.
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

// each searches all positions on all cores, and puts down the q of each; told, unless nil, is called with them.
func each(positions []board.Position, q []float64, open func() (search.Searcher, error), limits search.Limits,
	told func(i int, q float64) error) error {
	next := make(chan int)
	go func() {
		for i := range positions {
			next <- i
		}
		close(next)
	}()
	errs := make([]error, runtime.NumCPU())
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			s, err := open()
			for i := range next {
				if err != nil {
					continue
				}
				s.NewGame()
				var r search.Result
				r, err = s.Search(context.Background(), board.NewGame(positions[i]), limits, nil)
				q[i] = search.CPToQ(r.Info.Score.Value())
				if err == nil && told != nil {
					err = told(i, q[i])
				}
			}
			if s != nil {
				err = errors.Join(err, s.Close())
			}
			errs[w] = err
		})
	}
	wait.Wait()
	return cmp.Or(errs...)
}

// distances are those of q, after the best scale and shift, to the truth where that is not decided.
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

// tell prints a player's distances, and the differences to the first one's in per cent of that with 95 % intervals.
func tell(player string, all, base []float64) {
	square := func(x float64) float64 { return min(x, cut) * min(x, cut) }
	linear := func(x float64) float64 { return x }
	fmt.Printf("%d positions, mean %.4f%s, square %.5f%s  %s\n", len(all), stat.Mean(all, nil), against(all, base, linear),
		meanOf(all, square), against(all, base, square), player)
}

func meanOf(all []float64, f func(float64) float64) (sum float64) {
	for _, x := range all {
		sum += f(x) / float64(len(all))
	}
	return sum
}

func against(all, base []float64, f func(float64) float64) string {
	d := make([]float64, len(all))
	for i := range d {
		d[i] = f(all[i]) - f(base[i])
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	of := meanOf(base, f) / 100
	return fmt.Sprintf(" (%+.1f +- %.1f %%)", mean/of, 1.96*deviation/math.Sqrt(float64(len(d)))/of)
}
