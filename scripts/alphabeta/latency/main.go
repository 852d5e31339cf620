// Command latency measures how long an engine takes from stop to bestmove. It starts infinite searches of the
// positions of Bratko and Kopec, and stops each at a random moment of its first tenth of a second.
//
//	latency -engine build/tesla -options "Search=lazysmp Backend=nnue Threads=2" -times 1000 -seed 1
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/speedup"
	"tesla/search"
	"tesla/uci/client"
)

// longest is the time after which a search is stopped at the latest.
const longest = 100 * time.Millisecond

func main() {
	path := flag.String("engine", "build/tesla", "program of a UCI engine")
	options := flag.String("options", "", "UCI options: Name=value, with blanks between them")
	times := flag.Int("times", 1000, "number of searches")
	seed := flag.Uint64("seed", 1, "seed for the positions and the moments")
	flag.Parse()
	took, err := measure(*path, strings.Fields(*options), *times, rand.New(rand.NewPCG(*seed, 0)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	fmt.Printf("%s: %d stops, ms to bestmove: median %.2f, 99 %% %.2f, most %.2f\n",
		*options, len(took), at(0.5), at(0.99), at(1))
}

// measure starts the engine and returns the time that each stop took.
func measure(path string, options []string, times int, random *rand.Rand) (took []time.Duration, err error) {
	if times < 1 {
		return nil, errors.New("-times: at least 1 is needed")
	}
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return nil, err
	}
	set, err := client.ParseOptions(options)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	e, err := client.Start(ctx, client.Config{Path: path, Options: set})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	for range times {
		p := &positions[random.IntN(len(positions))]
		if err := e.Go(board.NewGame(p.Board), search.Limits{Infinite: true}); err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		start := time.Now()
		if err := e.Stop(); err != nil {
			return nil, err
		}
		a, err := e.Wait(ctx, time.Minute)
		if err != nil {
			return nil, err
		}
		took = append(took, a.Arrived.Sub(start))
	}
	return took, nil
}
