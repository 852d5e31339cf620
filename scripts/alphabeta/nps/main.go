// Command nps compares the speed of engines in nodes a second. They search the positions of Bratko and Kopec in turn,
// each for the same time and from cleared tables.
//
//	nps -movetime 1000 build/tesla:Search=lazysmp,Backend=nnue,Threads=1 stockfish:Threads=1
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
	movetime := flag.Int("movetime", 1000, "milliseconds a position")
	flag.Parse()
	if err := compare(context.Background(), flag.Args(), time.Duration(*movetime)*time.Millisecond); err != nil {
		fmt.Fprintln(os.Stderr, "nps:", err)
		os.Exit(1)
	}
}

// compare runs the engines, each written as path:Name=value,Name=value. For each it prints the median and the mean of
// its nodes a second, and on how many positions it is faster than the last engine.
func compare(ctx context.Context, specs []string, movetime time.Duration) error {
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
			nps, err := speed(ctx, e, positions[i].Board, movetime)
			if err != nil {
				return fmt.Errorf("%s: %w", specs[k], err)
			}
			speeds[k] = append(speeds[k], nps)
		}
	}
	for k, all := range speeds {
		total, faster := 0.0, 0
		for i, x := range all {
			total += x
			if x > speeds[len(speeds)-1][i] {
				faster++
			}
		}
		slices.Sort(all)
		fmt.Printf("%s: nodes a second, median %.0f, mean %.0f; faster than the last on %d of %d positions\n",
			specs[k], all[len(all)/2], total/float64(len(all)), faster, len(all))
	}
	return nil
}

// speed returns the nodes a second that the engine reports last in a search of the position with cleared tables.
func speed(
	ctx context.Context, e *client.Engine, p board.Position, movetime time.Duration,
) (nps float64, err error) {
	if err := e.NewGame(ctx); err != nil {
		return 0, err
	}
	a, err := e.Search(ctx, board.NewGame(p), search.Limits{MoveTime: movetime}, movetime+time.Minute, time.Second)
	return float64(a.Info.NPS), err
}
