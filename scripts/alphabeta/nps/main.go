// Command nps compares the speed of engines in nodes a second. They search the positions of Bratko and Kopec in turn,
// each for the same time or number of nodes, and from cleared tables.
//
//	nps -nodes 500000 build/tesla:Search=lazysmp,Backend=nnue,Threads=1 stockfish:Threads=1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/speedup"
	"tesla/search"
	"tesla/uci/client"
)

func main() {
	movetime := flag.Int("movetime", 1000, "milliseconds a position, without -nodes")
	nodes := flag.Int64("nodes", 0, "nodes a position")
	flag.Parse()
	limits := search.Limits{Nodes: *nodes}
	if *nodes == 0 {
		limits.MoveTime = time.Duration(*movetime) * time.Millisecond
	}
	if err := compare(context.Background(), flag.Args(), limits); err != nil {
		fmt.Fprintln(os.Stderr, "nps:", err)
		os.Exit(1)
	}
}

// compare runs the engines, each written as path:Name=value,Name=value. For each it prints the median and the mean of
// its nodes a second, on how many positions it is faster than the last engine, and the median of the ratios to it.
func compare(ctx context.Context, specs []string, limits search.Limits) error {
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return err
	}
	var engines []*client.Engine
	for _, spec := range specs {
		path, options, _ := strings.Cut(spec, ":")
		set, err := client.ParseOptions(strings.FieldsFunc(options, func(r rune) bool { return r == ',' }))
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		e, err := client.Start(ctx, client.Config{Path: path, Options: set})
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		defer e.Close()
		engines = append(engines, e)
	}
	speeds := make([][]float64, len(engines))
	for i := range positions {
		for k, e := range engines {
			nps, err := speed(ctx, e, positions[i].Board, limits)
			if err != nil {
				return fmt.Errorf("%s: %w", specs[k], err)
			}
			speeds[k] = append(speeds[k], nps)
		}
	}
	for k, all := range speeds {
		total, faster := 0.0, 0
		var ratios []float64
		for i, x := range all {
			total += x
			last := speeds[len(speeds)-1][i]
			ratios = append(ratios, x/last)
			if x > last {
				faster++
			}
		}
		fmt.Printf("%s: nodes a second, median %.0f, mean %.0f; median ratio to the last %.2f, faster on %d of %d positions\n",
			specs[k], median(all), total/float64(len(all)), median(ratios), faster, len(all))
	}
	return nil
}

// median is the middle one of some numbers, the higher one of two.
func median(numbers []float64) float64 { return slices.Sorted(slices.Values(numbers))[len(numbers)/2] }

// speed returns the nodes a second that the engine reports last in a search of the position with cleared tables.
func speed(ctx context.Context, e *client.Engine, p board.Position, limits search.Limits) (nps float64, err error) {
	if err := e.NewGame(ctx); err != nil {
		return 0, err
	}
	a, err := e.Search(ctx, board.NewGame(p), limits, limits.MoveTime+time.Minute, time.Second)
	return float64(a.Info.NPS), err
}
