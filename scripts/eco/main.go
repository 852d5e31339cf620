// Command eco makes the table of openings that tesla annotate names theory by:
//
//	git clone https://github.com/lichess-org/chess-openings && git -C chess-openings checkout 51b886249b9e
//	go run ./scripts/eco -commit 51b886249b9e chess-openings >lab/annotate/openings.tsv.gz
//
// The data are those of lichess-org/chess-openings, which are in the public domain (CC0 1.0). A line of the table is an ECO
// code, a name, and moves in UCI form, with a tab between them. The first line names the source and its commit.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
)

func main() {
	log.SetFlags(0)
	commit := flag.String("commit", "", "commit of the data")
	flag.Parse()
	if flag.NArg() != 1 || *commit == "" {
		log.Fatal("eco: want -commit and the folder of the data")
	}
	if err := run(flag.Arg(0), *commit); err != nil {
		log.Fatal("eco: ", err)
	}
}

// run writes the table, compressed. The header of gzip has no time, so the same data give the same file.
func run(folder, commit string) error {
	out, err := gzip.NewWriterLevel(os.Stdout, gzip.BestCompression)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# https://github.com/lichess-org/chess-openings, CC0 1.0, commit %s\n", commit)
	for _, volume := range []string{"a", "b", "c", "d", "e"} {
		path := filepath.Join(folder, volume+".tsv")
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			fields := strings.Split(line, "\t")
			if n == 0 { // the names of the columns
				continue
			}
			if len(fields) != 3 {
				return fmt.Errorf("%s, line %d: want code, name and moves", path, n+1)
			}
			moves, err := uci(fields[2])
			if err != nil {
				return fmt.Errorf("%s, line %d: %w", path, n+1, err)
			}
			fmt.Fprintf(out, "%s\t%s\t%s\n", fields[0], fields[1], moves)
		}
	}
	return out.Close()
}

// uci is the moves of a game in UCI form.
func uci(text string) (string, error) {
	games := pgn.ReadAnnotated(text)
	if len(games) != 1 {
		return "", fmt.Errorf("%q: want one game", text)
	}
	var words []string
	p := board.StartPosition()
	for _, m := range games[0].Moves {
		words = append(words, p.UCI(m, false))
		p = p.After(m)
	}
	return strings.Join(words, " "), games[0].Err
}
