// Command nps compares the nodes a second of engines: they search the positions of Bratko and Kopec in turn, each from
// cleared tables, one thread each, for the same time.
//
//	nps -movetime 1000 build/tesla:Search=lazysmp,Backend=nnue,Threads=1 stockfish:Threads=1
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"tesla/lab/speedup"
	"tesla/uci/client"
)

func main() {
	movetime := flag.Int("movetime", 1000, "milliseconds a position")
	flag.Parse()
	if err := compare(flag.Args(), *movetime); err != nil {
		fmt.Fprintln(os.Stderr, "nps:", err)
		os.Exit(1)
	}
}

// compare prints for each engine, path:Name=value,.., the median and the mean of its nodes a second, and how often its
// are more than those of the last.
func compare(specs []string, movetime int) (err error) {
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return err
	}
	var engines []*client.Engine
	for _, spec := range specs {
		path, options, _ := strings.Cut(spec, ":")
		e, err := client.Start(path, nil, strings.FieldsFunc(options, func(r rune) bool { return r == ',' })...)
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		defer func() { err = errors.Join(err, e.Close()) }()
		engines = append(engines, e)
	}
	speeds := make([][]float64, len(engines))
	for i := range positions {
		for k, e := range engines {
			nps, err := search(e, positions[i].Board.FEN(false), movetime)
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
		fmt.Printf("%s: nodes a second, median %.0f, mean %.0f; faster than the last in %d of %d\n", specs[k], all[len(all)/2],
			total/float64(len(all)), faster, len(all))
	}
	return nil
}

// search is the nodes a second that the engine reports last.
func search(e *client.Engine, fen string, movetime int) (nps float64, err error) {
	if err := errors.Join(e.Write("ucinewgame\nisready\n"), e.Read("readyok", nil)); err != nil {
		return 0, err
	}
	if err := e.Write(fmt.Sprintf("position fen %s\ngo movetime %d\n", fen, movetime)); err != nil {
		return 0, err
	}
	err = e.Read("bestmove", func(words []string) (err error) {
		if i := slices.Index(words, "nps"); i >= 0 && i+1 < len(words) {
			nps, err = strconv.ParseFloat(words[i+1], 64)
		}
		return err
	})
	return nps, err
}
