// Command book makes an opening book. It plays random moves, drawn from the net's policy after flattening it, and keeps
// a line if a search of its last position finds an advantage, for either side, within the given bounds. No two lines
// end in the same position.
//
//	go run ./scripts/book -lines 400 -plies 10 -least 0 -most 30 -seed 1 >balanced.txt
//	go run ./scripts/book -lines 400 -plies 10 -least 70 -most 150 -seed 2 >unbalanced.txt
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"tesla/batcher"
	"tesla/board"
	"tesla/engine"
	"tesla/lab/match/pgn"
	"tesla/search"
)

// flatness is the exponent of the policy's probabilities. Below 1 it gives more variety.
const flatness = 0.7

func main() {
	log.SetFlags(0)
	lines := flag.Int("lines", 400, "openings to make")
	plies := flag.Int("plies", 10, "length of an opening in plies")
	least := flag.Int("least", 0, "least advantage of either side, in centipawns")
	most := flag.Int("most", 30, "largest advantage of either side, in centipawns")
	evals := flag.Int64("evals", 400, "evaluations of the search that values an opening")
	seed := flag.Uint64("seed", 1, "seed for the random moves")
	threads := flag.Int("threads", 2, "threads of the backend")
	flag.Parse()
	if err := run(*lines, *plies, *least, *most, *evals, *seed, *threads); err != nil {
		log.Fatal("book: ", err)
	}
}

func run(lines, plies, least, most int, evals int64, seed uint64, threads int) error {
	set := engine.Default()
	set.Backend, set.Threads = "cpu", threads
	searcher, _, err := engine.Open(set)
	if err != nil {
		return err
	}
	defer searcher.Close()
	backend := searcher.Evaluator()
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "# %d openings of %d plies, %d to %d centipawns for either side by a search of %d evaluations with the net\n"+
		"# %s; made by scripts/book with seed %d.\n", lines, plies, least, most, evals, backend.Info().Model, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	seen := map[uint64]bool{}
	for made := 0; made < lines; {
		g, text, err := line(backend, random, plies)
		if err != nil {
			return err
		}
		if g.Outcome() != board.Ongoing || seen[g.Pos.Key] {
			continue
		}
		searcher.NewGame()
		result, err := searcher.Search(context.Background(), g, search.Limits{Evals: evals, MultiPV: 1}, nil)
		if err != nil {
			return err
		}
		seen[g.Pos.Key] = true
		score := result.Info.Score
		if cp := max(score.CP, -score.CP); score.Mate != 0 || cp < least || cp > most {
			continue
		}
		fmt.Fprintln(out, text)
		made++
	}
	return out.Flush()
}

// line plays random moves from the start position. It returns the game, and its moves in SAN.
func line(backend batcher.Backend, random *rand.Rand, plies int) (*board.Game, string, error) {
	g := board.NewGame(board.StartPosition())
	var words []string
	for range plies {
		item := &batcher.Item{Position: g.Pos, Moves: g.Pos.LegalMoves(nil)}
		if len(item.Moves) == 0 {
			break
		}
		if err := backend.Evaluate([]*batcher.Item{item}); err != nil {
			return nil, "", err
		}
		m := item.Moves[sample(item.Policy, random)]
		words = append(words, pgn.SAN(&g.Pos, m))
		g.Play(m)
	}
	return g, strings.Join(words, " "), nil
}

// sample draws the index of a move, with odds of its probability to the power of flatness.
func sample(policy []float32, random *rand.Rand) int {
	var sum float64
	for _, p := range policy {
		sum += math.Pow(float64(p), flatness)
	}
	at := random.Float64() * sum
	for i, p := range policy {
		if at -= math.Pow(float64(p), flatness); at < 0 {
			return i
		}
	}
	return len(policy) - 1
}
