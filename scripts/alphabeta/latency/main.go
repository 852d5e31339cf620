// Command latency measures how long an engine takes from stop on its standard input to bestmove: searches without end of
// the positions of Bratko and Kopec, each stopped at a random moment of its first tenth of a second.
//
//	latency -engine build/tesla -options "Search=lazysmp Backend=nnue Threads=2" -times 1000 -seed 1
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"tesla/lab/speedup"
	"tesla/uci/client"
)

// longest is the most time of a search.
const longest = 100 * time.Millisecond

func main() {
	path := flag.String("engine", "build/tesla", "UCI engine")
	options := flag.String("options", "", "its options, Name=value ..")
	times := flag.Int("times", 1000, "searches")
	seed := flag.Uint64("seed", 1, "")
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
	fmt.Printf("%s: %d stops, ms to bestmove: median %.2f, 99 %% %.2f, most %.2f\n", *options, len(took), at(0.5), at(0.99), at(1))
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
	e, err := client.Start(path, nil, options...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for range times {
		p := &positions[random.IntN(len(positions))]
		if err := e.Write("position fen " + p.Board.FEN(false) + "\ngo infinite\n"); err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		start := time.Now()
		if err := errors.Join(e.Write("stop\n"), e.Read("bestmove", nil)); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}
