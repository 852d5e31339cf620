// Command start measures how long an engine takes from its start to readyok, and from there to the first bestmove of
// "go movetime 100": at the very first start, with an empty cache, and at later ones.
//
//	make && go run ./scripts/start build/tesla
//
// The cache is the folder that XDG_CACHE_HOME names (Linux). A backend that cannot be opened is replaced by the engine,
// which says so: the last column has what it played with. Use an idle machine. It fails where a median of bestmove is
// above -limit.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
)

const moveTime = 100 * time.Millisecond

func main() {
	backends := flag.String("backends", "auto,nnue,cpu", "values of the option Backend")
	rounds := flag.Int("rounds", 5, "first starts of each; each has two later ones")
	limit := flag.Duration("limit", 150*time.Millisecond, "longest median from go to bestmove")
	flag.Parse()
	slow, err := measure(cmp.Or(flag.Arg(0), "build/tesla"), strings.Split(*backends, ","), *rounds, *limit)
	if err == nil && slow > 0 {
		err = fmt.Errorf("%d medians of bestmove are above %v", slow, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

// times are those of several starts.
type times struct{ ready, move []time.Duration }

// measure prints a table, and counts the medians above the limit.
func measure(program string, backends []string, rounds int, limit time.Duration) (slow int, err error) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "backend\tstart\treadyok, ms\tbestmove, ms\tslowest, ms\tplays with")
	for _, backend := range backends {
		var of [2]times // first, later
		plays := ""
		for range rounds {
			if plays, err = begin(program, backend, &of); err != nil {
				return slow, fmt.Errorf("backend %s: %w", backend, err)
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
	return slow, table.Flush()
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
