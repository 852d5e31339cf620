package match

import (
	"cmp"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"tesla/board"
	"tesla/board/book"
	"tesla/lab/match/pgn"
)

// The built-in books hold 400 openings of ten plies each, one on each line in SAN. scripts/book made them: it draws
// moves by the policy of a net, and keeps a line where a search finds an advantage of at most 30 centipawns
// (balanced) or of 70 to 150 centipawns (unbalanced).
var (
	//go:embed balanced.txt
	balanced []byte
	//go:embed unbalanced.txt
	unbalanced []byte

	books = map[string][]byte{Balanced: balanced, Unbalanced: unbalanced}
)

// The names of the built-in books. Where most games between equals are drawn, unbalanced openings tell more per game.
const (
	Balanced   = "balanced"
	Unbalanced = "unbalanced"
)

// LoadOpenings reads a built-in book by its name, or a file: PGN where its name ends in .pgn, a Polyglot book where it
// ends in .bin, otherwise EPD or FEN with one position on each line. Empty lines and lines that begin with # are skipped.
// Books and PGN games are cut after the given number of plies; 0 keeps all, but of a Polyglot book polyglotPlies. The notes
// name the games that were left out because they cannot be read, and what was repaired in positions. An error names file
// and line.
func LoadOpenings(path string, plies int) (list []pgn.Line, notes []string, err error) {
	if strings.EqualFold(filepath.Ext(path), ".bin") {
		list, err := readPolyglot(path, plies)
		return list, nil, err
	}
	data, err := readOpenings(path)
	if err != nil {
		return nil, nil, err
	}
	switch _, builtIn := books[path]; {
	case builtIn:
		list, err = readBook(data, plies)
	case strings.EqualFold(filepath.Ext(path), ".pgn"):
		list, notes = pgn.ReadLines(string(data), plies)
	default:
		list, notes, err = readEPD(data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("openings %s: %w", path, err)
	}
	if len(list) == 0 && len(notes) > 0 {
		return nil, nil, fmt.Errorf("openings %s: none in the file: %s", path, strings.Join(notes[:min(2, len(notes))], ": "))
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("openings %s: none in the file", path)
	}
	for i := range notes {
		notes[i] = fmt.Sprintf("openings %s: %s", path, notes[i])
	}
	return list, notes, nil
}

// polyglotPlies is where a Polyglot book is cut if nothing else is asked for: the built-in books have as many. Its longest
// lines decide too much.
const polyglotPlies = 10

// readPolyglot reads the lines of a Polyglot book, each position once.
func readPolyglot(path string, plies int) (list []pgn.Line, err error) {
	b, err := book.Open(path)
	if err != nil {
		return nil, fmt.Errorf("openings: %w", err)
	}
	for _, moves := range b.Lines(cmp.Or(plies, polyglotPlies)) {
		list = append(list, pgn.Line{Start: board.StartPosition(), Moves: moves})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("openings %s: no move in the book for the start of a game", path)
	}
	return list, nil
}

// readOpenings returns the text of a built-in book or of a file.
func readOpenings(path string) ([]byte, error) {
	if book, ok := books[path]; ok {
		return book, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("openings: %w (built in are %s and %s)", err, Balanced, Unbalanced)
	}
	return data, nil
}

// checkOpenings is an error where there is no such book and no such file. A device or a pipe may never end.
func checkOpenings(path string) error {
	if _, ok := books[path]; ok {
		return nil
	}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		err = fmt.Errorf("%w (built in are %s and %s)", err, Balanced, Unbalanced)
	}
	return err
}

// eachLine calls f with each of the [board.Lines].
func eachLine(data []byte, f func(number int, line string) error) error {
	text, _ := pgn.Decode(string(data))
	for n, line := range board.Lines(text) {
		if err := f(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

func readEPD(data []byte) (list []pgn.Line, notes []string, err error) {
	err = eachLine(data, func(number int, line string) error {
		p, repairs, err := board.ParseEPD(line)
		if err != nil {
			return err
		}
		for _, repair := range repairs {
			notes = append(notes, fmt.Sprintf("line %d: %s", number, repair))
		}
		o := pgn.Line{Start: p}
		if outcome := o.Game().Outcome(); outcome != board.Ongoing {
			return fmt.Errorf("the game is over: %v", outcome)
		}
		list = append(list, o)
		return nil
	})
	return list, notes, err
}

func readBook(data []byte, plies int) ([]pgn.Line, error) {
	var list []pgn.Line
	err := eachLine(data, func(_ int, line string) error {
		g := board.NewGame(board.StartPosition())
		for i, text := range strings.Fields(line) {
			if plies > 0 && i == plies {
				break
			}
			m, err := pgn.ParseSAN(&g.Pos, text)
			if err != nil {
				return err
			}
			g.Play(m)
		}
		list = append(list, pgn.Line{Start: g.Start, Moves: g.Moves})
		return nil
	})
	return list, err
}

// order is the index of the opening for each pair: the order of the file or a random one, repeated as often as needed.
func order(openings, pairs int, random bool, seed uint64) []int {
	list := make([]int, 0, pairs+openings)
	source := rand.New(rand.NewPCG(seed, 0))
	for len(list) < pairs {
		begin := len(list)
		for i := range openings {
			list = append(list, i)
		}
		if random {
			round := list[begin:]
			source.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		}
	}
	return list[:pairs]
}
