package puzzles

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"

	"tesla/board"
	"tesla/internal/output"
	"tesla/lab/match/pgn"
)

// puzzle is a position of a game with its solution.
type puzzle struct {
	number int // from 1
	game   *pgn.Annotated
	moves  []Move
	at     []board.Position // in which the solver moves
	line   []board.Move     // of both sides
}

// difficulty is the number of doublings of nodes after which the search saw the hardest move of the solution.
func (z *puzzle) difficulty() float64 {
	most := int64(1)
	for i := range z.moves {
		most = max(most, z.moves[i].Nodes)
	}
	return math.Log2(float64(most))
}

// distinct are the puzzles among findings. A position that a puzzle before it has asked for is none.
func distinct(games []*pgn.Annotated, found []finding) (all []*puzzle) {
	asked := map[uint64]bool{}
	for i := range found {
		z := &puzzle{number: len(all) + 1, game: games[found[i].Game], moves: found[i].Moves}
		for k := range z.moves {
			a := z.moves[k].Answer
			at, err := board.ParseFEN(a.FEN)
			if err != nil || k == 0 && asked[at.Key] {
				break
			}
			z.at, asked[at.Key] = append(z.at, at), true
			for _, word := range a.Choice.Line[:min(2, len(a.Choice.Line))] {
				if m, err := pgn.ParseSAN(&at, word); err == nil {
					z.line, at = append(z.line, m), at.After(m)
				}
			}
		}
		if len(z.at) == 0 {
			continue
		}
		z.line = z.line[:2*len(z.at)-1] // it ends with a move of the solver
		all = append(all, z)
	}
	return all
}

const event = "Tesla puzzle"

// Files of puzzles are recognized by their first words.
var (
	isPGN = output.Begins(`[Event "` + event)
	isEPD = regexp.MustCompile(`^[^;\n]+ bm [^;\n]+; id "puzzle move 1\.001"`).Match
)

// epd is the file of the puzzles in EPD.
func (c *Config) epd() string { return strings.TrimSuffix(c.Out, ".pgn") + ".epd" }

// write writes the files that are the result, removes the journal and says what was found.
func (c *Config) write(all []*puzzle, positions int, journal string, print io.Writer) error {
	each := func(w io.Writer, text func(z *puzzle) string) error {
		for _, z := range all {
			if _, err := io.WriteString(w, text(z)); err != nil {
				return err
			}
		}
		return nil
	}
	err := output.Write(c.Out, isPGN, func(w io.Writer) error { return each(w, (*puzzle).pgn) })
	if err == nil {
		err = output.Write(c.epd(), isEPD, func(w io.Writer) error { return each(w, (*puzzle).epd) })
	}
	if err == nil {
		err = os.Remove(journal)
	}
	if err == nil {
		err = each(print, (*puzzle).words)
	}
	if err == nil {
		_, err = fmt.Fprintf(print, "found %d in %d positions: %s, %s\n", len(all), positions, c.Out, c.epd())
	}
	return err
}

func (z *puzzle) words() string {
	return fmt.Sprintf("%d. %s: %s; length %d, difficulty %.1f\n", z.number, z.game.Name(), strings.Join(pgn.Numbered(z.at[0], z.line), " "), len(z.at),
		z.difficulty())
}

func (z *puzzle) pgn() string {
	tags := []pgn.Tag{{Name: "Event", Value: fmt.Sprintf("%s %d", event, z.number)}}
	for _, t := range []pgn.Tag{{Name: "Site", Value: "?"}, {Name: "Date", Value: "????.??.??"}, {Name: "Round", Value: "?"},
		{Name: "White", Value: "?"}, {Name: "Black", Value: "?"}} {
		tags = append(tags, pgn.Tag{Name: t.Name, Value: cmp.Or(z.game.Tag(t.Name), t.Value)})
	}
	tags = append(tags, pgn.Tag{Name: "Result", Value: "*"}, pgn.Tag{Name: "SetUp", Value: "1"}, pgn.Tag{Name: "FEN", Value: z.at[0].FEN(false)})
	if z.at[0].NeedsChess960() {
		tags = append(tags, pgn.Tag{Name: "Variant", Value: "Chess960"})
	}
	tags = append(tags, pgn.Tag{Name: "Source", Value: z.game.Name()}, pgn.Tag{Name: "Length", Value: fmt.Sprint(len(z.at))},
		pgn.Tag{Name: "Difficulty", Value: fmt.Sprintf("%.1f", z.difficulty())})
	comments := make([]string, len(z.line))
	for k := range z.at {
		m := &z.moves[k]
		a := m.Answer
		comments[2*k] = fmt.Sprintf("%s loses %.2f points (%.2f to %.2f). The value was %.2f at first, and is near %.2f from %d nodes on.", a.Asked.Move,
			*a.Loss, *a.Low, *a.High, m.Began, a.Choice.Expected.Middle, m.Nodes)
	}
	g := pgn.Game{Tags: tags, Line: pgn.Line{Start: z.at[0], Moves: z.line}, Comments: comments, Result: "*"}
	return g.Text()
}

// epd are the records of the puzzle, one for each move of the solver.
func (z *puzzle) epd() string {
	var b strings.Builder
	for k := range z.at {
		fields := strings.Fields(z.at[k].FEN(false))
		fmt.Fprintf(&b, "%s bm %s; id \"puzzle move %d.%03d\"; acd %d; hmvc %s; fmvn %s; c1 \"difficulty %.1f\";\n", strings.Join(fields[:4], " "),
			pgn.SAN(&z.at[k], z.line[2*k]), k+1, z.number, z.moves[k].Depth, fields[4], fields[5], z.difficulty())
	}
	return b.String()
}
