package main

import (
	"errors"
	"fmt"
	"io"

	"tesla/lab/match"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
)

// statsResult is what --stats prints as JSON.
type statsResult struct {
	stats.Result
	A        string `json:"a"`
	B        string `json:"b"`
	Unpaired int    `json:"unpaired"` // games without a partner
	Skipped  int    `json:"skipped"`  // games without a result
	Others   int    `json:"others"`   // games of players that were not asked for
	Commit   string `json:"commit"`
}

// printStats prints the statistics of games that were played, and writes a report of them where one is wanted.
func printStats(out io.Writer, file, a, b, sprt, report string, asJSON bool) error {
	var test *stats.SPRT
	var errs []error
	if sprt != "" {
		var err error
		if test, err = stats.ParseSPRT(sprt); err != nil {
			errs = append(errs, fmt.Errorf("--sprt: %w", err))
		}
	}
	var names [2]string
	for i, text := range []string{a, b} {
		p, err := player.Parse(text)
		if err == nil && text != "" && p.Name == "" {
			err = fmt.Errorf("%q has no name", text)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--%c: %w", "ab"[i], err))
		}
		names[i] = p.Name
	}
	if err := errors.Join(errs...); err != nil {
		return usageError{err}
	}
	games, err := match.ReadGames(file, names[0], names[1])
	if err != nil {
		return fmt.Errorf("--stats: %w", err)
	}
	r := games.Tally(test).Result()
	if report != "" {
		if err := stats.WriteReport(report, games.Names, games.Facts, test); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(out, statsResult{
			Result: r, A: games.Names[0], B: games.Names[1], Unpaired: games.Unpaired, Skipped: len(games.Skipped),
			Others: games.Others, Commit: commit(),
		})
	}
	fmt.Fprintf(out, "%s - %s\n%s", games.Names[0], games.Names[1], r.Text())
	for _, n := range []struct {
		count int
		what  string
	}{{games.Unpaired, "without a partner"}, {games.Others, "of other players, not counted"}, {len(games.Skipped), "skipped"}} {
		if n.count > 0 {
			fmt.Fprintf(out, "Games %s: %d\n", n.what, n.count)
		}
	}
	for _, s := range games.Skipped {
		fmt.Fprintf(out, "  %s\n", s)
	}
	return nil
}
