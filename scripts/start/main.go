// Command start measures how soon an engine answers: from its start to readyok, and from there to the first bestmove of
// "go movetime 100", at the very first start, with an empty cache, and at later ones.
//
//	make && go run ./scripts/start build/tesla
//	go run ./scripts/start -stops 1000 -options "Search=lazysmp Backend=nnue Threads=2" build/tesla
//
// With -stops it measures from stop to bestmove instead: of infinite searches of the positions of Bratko and Kopec, each stopped
// at a random moment of its first tenth of a second.
//
// The cache is the folder that XDG_CACHE_HOME names (Linux). A backend that cannot be opened is replaced by the engine,
// which says so: the last column has what it played with. Use an idle machine. It fails where a median of bestmove is
// above -limit.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tesla/board"
	"tesla/lab/speedup"
	"tesla/search"
	"tesla/uci/client"
)

const moveTime = 100 * time.Millisecond

func main() {
	backends := flag.String("backends", "auto,nnue,cpu", "values of the option Backend")
	rounds := flag.Int("rounds", 5, "first starts of each; each has two later ones")
	limit := flag.Duration("limit", 150*time.Millisecond, "longest median from go to bestmove")
	stops := flag.Int("stops", 0, "number of searches to stop")
	options := flag.String("options", "", "with -stops, UCI options: Name=value, with blanks between them")
	flag.Parse()
	program := cmp.Or(flag.Arg(0), "build/tesla")
	var err error
	if *stops > 0 {
		err = stop(program, *options, *stops)
	} else {
		err = measure(program, strings.Split(*backends, ","), *rounds, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

// times are those of several starts.
type times struct{ ready, move []time.Duration }

// measure prints a table. It is an error if a median is above the limit.
func measure(program string, backends []string, rounds int, limit time.Duration) error {
	slow := 0
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "backend\tstart\treadyok, ms\tbestmove, ms\tslowest, ms\tplays with")
	for _, backend := range backends {
		var of [2]times // first, later
		plays := ""
		for range rounds {
			var err error
			if plays, err = begin(program, backend, &of); err != nil {
				return fmt.Errorf("backend %s: %w", backend, err)
			}
		}
		for i, name := range []string{"first", "later"} {
			slices.Sort(of[i].ready)
			slices.Sort(of[i].move)
			ready, move := of[i].ready[len(of[i].ready)/2], of[i].move[len(of[i].move)/2]
			if move > limit {
				slow++
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\t%s\n", backend, name, ready.Milliseconds(), move.Milliseconds(),
				of[i].move[len(of[i].move)-1].Milliseconds(), plays)
		}
	}
	if slow > 0 {
		return errors.Join(table.Flush(), fmt.Errorf("%d medians of bestmove are above %v", slow, limit))
	}
	return table.Flush()
}

// begin starts the program with an empty cache, and then twice with what that start has left there.
func begin(program, backend string, to *[2]times) (plays string, err error) {
	cache, err := os.MkdirTemp("", "tesla-start")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(cache)
	if err := os.Setenv("XDG_CACHE_HOME", cache); err != nil {
		return "", err
	}
	for start := range 3 {
		begun := time.Now()
		config := client.Config{Path: program, Args: []string{"uci"}, Options: []client.Option{{Name: "Backend", Value: backend}}}
		config.OnString = func(text string) {
			if rest, ok := strings.CutPrefix(text, "backend "); ok {
				plays = rest
			}
		}
		e, err := client.Start(context.Background(), config)
		if err != nil {
			return "", err
		}
		ready := time.Since(begun)
		a, err := e.Search(context.Background(), board.NewGame(board.StartPosition()), search.Limits{MoveTime: moveTime}, time.Minute, time.Minute)
		e.Close()
		if err != nil {
			return "", err
		}
		of := &to[min(start, 1)]
		of.ready, of.move = append(of.ready, ready), append(of.move, a.Took())
	}
	return plays, nil
}

// longest is the time after which a search is stopped at the latest.
const longest = 100 * time.Millisecond

// stop prints how long searches take from stop to bestmove.
func stop(program, options string, times int) error {
	positions, err := speedup.ParsePositions(speedup.BratkoKopec)
	if err != nil {
		return err
	}
	set, err := client.ParseOptions(strings.Fields(options))
	if err != nil {
		return err
	}
	e, err := client.Start(context.Background(), client.Config{Path: program, Options: set})
	if err != nil {
		return err
	}
	defer e.Close()
	random := rand.New(rand.NewPCG(1, 0))
	var took []time.Duration
	for range times {
		if err := e.Go(board.NewGame(positions[random.IntN(len(positions))].Board), search.Limits{Infinite: true}); err != nil {
			return err
		}
		time.Sleep(time.Duration(random.Int64N(int64(longest))))
		start := time.Now()
		if err := e.Stop(); err != nil {
			return err
		}
		a, err := e.Wait(context.Background(), time.Minute)
		if err != nil {
			return err
		}
		took = append(took, a.Arrived.Sub(start))
	}
	slices.Sort(took)
	at := func(share float64) float64 { return float64(took[int(share*float64(times-1))].Microseconds()) / 1000 }
	fmt.Printf("%s: %d stops, ms to bestmove: median %.2f, 99 %% %.2f, most %.2f\n", options, times, at(0.5), at(0.99), at(1))
	return nil
}
