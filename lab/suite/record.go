// Package suite lets searchers solve test suites: files of positions in EPD with the moves that solve them.
//
// Invariant: every record counts. A record that cannot be read, or that asks for nothing, ends the run before the first
// search with an error that names its line. Each position is searched from an empty tree and an empty table.
package suite

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
)

// Record is a position and what is asked for there. The operations are those of the EPD standard (Edwards 1994) and, for
// points, of the Strategic Test Suite (Corbit and Swaminathan 2010).
type Record struct {
	Line     int    // of the file, from 1
	ID       string // id, or "line n" where there is none
	Position board.Position
	Best     []board.Move       // bm: any of these solves it
	Avoid    []board.Move       // am: none of these does
	Points   map[board.Move]int // c0 "move=points, ..": what each move is worth
	Mate     int                // dm: a mate in at most this number of moves solves it, where bm and am are absent
	Depth    int                // acd: the depth of the analysis behind the record, plies
}

// points recognizes a comment that gives points for moves.
var points = regexp.MustCompile(`^\s*\S+=\d+\s*(,|$)`)

// Read reads a suite, in any encoding of [pgn.Decode], with a record on each of the [board.Lines]. The error names all wrong
// records.
func Read(in io.Reader) (all []*Record, err error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	whole, _ := pgn.Decode(string(data))
	var errs []error
	for n, text := range board.Lines(whole) {
		r, err := parse(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		if r.Line = n; r.ID == "" {
			r.ID = fmt.Sprintf("line %d", n)
		}
		all = append(all, r)
	}
	if len(errs) == 0 && len(all) == 0 {
		return nil, errors.New("no record")
	}
	return all, errors.Join(errs...)
}

func parse(line string) (r *Record, err error) {
	r = &Record{}
	var repairs []string
	if r.Position, repairs, err = board.ParseEPD(line); err != nil {
		return nil, err
	}
	if len(repairs) > 0 {
		return nil, errors.New(strings.Join(repairs, ", "))
	}
	if outcome := board.NewGame(r.Position).Outcome(); outcome != board.Ongoing {
		return nil, fmt.Errorf("the game is over: %v", outcome)
	}
	for _, op := range board.Operations(line) {
		if err := r.take(op[0], op[1:]); err != nil {
			return nil, fmt.Errorf("%s: %w", op[0], err)
		}
	}
	if len(r.Best)+len(r.Avoid)+len(r.Points)+r.Mate == 0 {
		return nil, errors.New("no question: want bm, am, dm or points in c0")
	}
	for _, m := range r.Best {
		if slices.Contains(r.Avoid, m) {
			return nil, fmt.Errorf("%s is in bm and in am", pgn.SAN(&r.Position, m))
		}
	}
	return r, nil
}

// take reads one operation. Those that say nothing of the solution are passed over.
func (r *Record) take(name string, operands []string) (err error) {
	switch name {
	case "id":
		r.ID = strings.Join(operands, " ")
	case "bm":
		r.Best, err = r.moves(operands)
	case "am":
		r.Avoid, err = r.moves(operands)
	case "dm":
		r.Mate, err = number(operands)
	case "acd":
		r.Depth, err = number(operands)
	case "c0":
		if text := strings.Join(operands, " "); points.MatchString(text) {
			r.Points, err = r.worth(text)
		}
	}
	return err
}

func (r *Record) moves(words []string) (moves []board.Move, err error) {
	if len(words) == 0 {
		return nil, errors.New("want a move")
	}
	for _, word := range words {
		m, err := pgn.ParseSAN(&r.Position, strings.TrimSuffix(word, ","))
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// number reads the one operand of dm and acd.
func number(operands []string) (int, error) {
	if len(operands) == 1 {
		if n, err := strconv.ParseUint(operands[0], 10, 16); err == nil && n > 0 {
			return int(n), nil
		}
	}
	return 0, fmt.Errorf("%q: want a number above 0", strings.Join(operands, " "))
}

// worth reads "f5=10, Be5+=2".
func (r *Record) worth(text string) (map[board.Move]int, error) {
	all := map[board.Move]int{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		at := strings.LastIndexByte(part, '=')
		if at < 0 {
			return nil, fmt.Errorf("%q: want move=points", part)
		}
		m, err := pgn.ParseSAN(&r.Position, part[:at])
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(part[at+1:], 10, 16)
		if err != nil {
			return nil, fmt.Errorf("%q: want move=points", part)
		}
		all[m] = int(n)
	}
	return all, nil
}

// Solves reports whether a move, found with a score, solves the record. With points alone the best of them do.
func (r *Record) Solves(m board.Move, score search.Score) bool {
	switch {
	case len(r.Best) > 0:
		return slices.Contains(r.Best, m)
	case len(r.Avoid) > 0:
		return !slices.Contains(r.Avoid, m)
	case r.Mate > 0:
		return score.Mate > 0 && score.Mate <= r.Mate
	}
	return r.Points[m] == r.MostPoints()
}

// PointsOf is what a move is worth: its points, or 1 for a solution where the record has none.
func (r *Record) PointsOf(m board.Move, solves bool) int {
	switch {
	case r.Points != nil:
		return r.Points[m]
	case solves:
		return 1
	}
	return 0
}

// MostPoints is what the best move is worth.
func (r *Record) MostPoints() int {
	if r.Points == nil {
		return 1
	}
	most := 0
	for _, n := range r.Points {
		most = max(most, n)
	}
	return most
}

// Group is the part of the id before its number: "WAC" of "WAC.014".
func (r *Record) Group() string {
	return strings.TrimRight(strings.TrimRight(r.ID, "0123456789"), ". ")
}
