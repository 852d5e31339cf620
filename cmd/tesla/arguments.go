package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkArguments compares arguments with the words in upper case of c.Use: WORD is needed, [WORD] is not, and [FEN] may be
// several words. The error names what is wrong and gives an example.
func checkArguments(c *cobra.Command, args []string) error {
	needed, most := []string(nil), 0
	for _, word := range strings.Fields(c.Use)[1:] {
		switch {
		case word == "[FEN]":
			return missing(c, needed, args)
		case !strings.HasPrefix(word, "["):
			needed = append(needed, word)
		}
		most++
	}
	if len(args) <= most {
		return missing(c, needed, args)
	}
	if c.HasSubCommands() {
		var known []string
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				known = append(append(known, sub.Name()), sub.Aliases...)
			}
		}
		return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), didYouMean("", args[0], known))
	}
	return fmt.Errorf("%s: %q: an argument too many%s", nameOf(c), args[most], exampleOf(c))
}

// alone is an error that names the flags which were given beside one that has the command do something else, and which mean
// nothing there.
func alone(f *pflag.FlagSet, flag string, takes ...string) error {
	var errs []error
	f.Visit(func(g *pflag.Flag) {
		if g.Name != flag && !slices.Contains(takes, g.Name) {
			errs = append(errs, fmt.Errorf("--%s means nothing beside --%s", g.Name, flag))
		}
	})
	return errors.Join(errs...)
}

// nameOf is how errors call a command: by its words after the program's.
func nameOf(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") }

// needCommand is what a command does that only holds others: it shows its help.
func needCommand(c *cobra.Command, _ []string) error { return c.Help() }

// missing names the first needed argument that is not there.
func missing(c *cobra.Command, needed, args []string) error {
	if len(args) >= len(needed) {
		return nil
	}
	return fmt.Errorf("%s: %s is missing%s", nameOf(c), needed[len(args)], exampleOf(c))
}

// exampleOf is the first example of a command, for an error.
func exampleOf(c *cobra.Command) string {
	first, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	if first == "" {
		return ""
	}
	return "; an example: " + first
}

// flagError adds the flag that was probably meant to the error of one that is unknown.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var known []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	return fmt.Errorf("%s: %w%s", nameOf(c), err, didYouMean("--", unknown.GetSpecifiedName(), known))
}

// didYouMean asks for the name that is nearest to a word, where one is near.
func didYouMean(prefix, word string, known []string) string {
	const near = 2 // letters that are wrong
	best := slices.MinFunc(append(known, ""), func(a, b string) int { return distance(word, a) - distance(word, b) })
	if best == "" || distance(word, best) > near || 2*distance(word, best) >= len(word) {
		return ""
	}
	return fmt.Sprintf("; did you mean %s%s?", prefix, best)
}

// distance is the number of letters to insert, delete or replace between two words (Levenshtein 1966).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			step := diagonal
			if a[i] != b[j] {
				step++
			}
			diagonal = row[j+1]
			row[j+1] = min(step, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
