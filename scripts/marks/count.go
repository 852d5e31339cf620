package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/search/sure"
)

// grades are the marks of moves that lose, with the expected points that the reference must find lost.
var grades = []struct {
	glyph int
	sign  string
	loses float64
}{{6, "?!", 0.05}, {2, "?", 0.10}, {4, "??", 0.15}}

// gross is by how much less a move must lose than its mark says to be grossly false.
const gross = 0.05

// points are the expected points of the reference's score.
func points(cp int) float64 {
	if search.IsDecided(cp) {
		return math.Round(sure.Decided(cp).Middle)
	}
	return sure.Points(cp)
}

// move is a move of an annotated game.
type move struct {
	lost    float64 // by the reference
	glyph   int     // of a mark that the program writes; 0: none
	unclear bool
}

// moves are those that the reference has scored before and after, and that no game before had.
func (c *config) moves(g *pgn.Annotated, had map[string]bool) (all []move) {
	depth, ply, last := 0, 0, -1
	for _, e := range g.Elements {
		switch {
		case e.Kind == pgn.Open:
			depth++
		case e.Kind == pgn.Close:
			depth--
		case depth > 0:
		case e.Kind == pgn.Played:
			line := pgn.Line{Start: g.Start, Moves: g.Moves[:ply]}
			at := line.Game()
			before, known := c.score(at)
			at.Play(e.Move)
			after, also := c.score(at)
			ply++
			key := before.FEN + " " + after.FEN
			if last = -1; known && also && !had[key] {
				had[key] = true
				last = len(all)
				all = append(all, move{lost: max(0, points(before.CP)+points(after.CP)-1)})
			}
		case last < 0:
		case e.Kind == pgn.Glyph && e.Glyph <= 6:
			all[last].glyph = e.Glyph
		case e.Kind == pgn.Comment:
			all[last].unclear = strings.Contains(e.Text, "Unclear, from")
		}
	}
	return all
}

var errUnknown = errors.New("no score in the log")

// score is that of a game's position, if the log has it.
func (c *config) score(g *board.Game) (s score, known bool) {
	s, err := c.scores.Do(g.Pos.FEN(false), func() (score, error) { return score{}, errUnknown })
	return s, err == nil
}

// count compares marks with what the reference found. A mark is false where the move loses less than its grade, found where the
// move has it or a worse one, and seen where the move has any mark for a loss. A move that several games have in one position counts once.
func (c *config) count(w io.Writer, path string) error {
	games, err := c.read(path)
	if err != nil {
		return err
	}
	var all []move
	had := map[string]bool{}
	for _, g := range games {
		all = append(all, c.moves(g, had)...)
	}
	unclear, open := 0, 0
	for _, m := range all {
		if m.unclear {
			unclear++
			if m.lost >= grades[0].loses {
				open++
			}
		}
	}
	fmt.Fprintf(w, "%s: %d moves, %d unclear, %d of these lose %.2f\n", path, len(all), unclear, open, grades[0].loses)
	written, wrong := 0, 0
	for i, g := range grades {
		var n, bad, far, worse, found, seen, doubted int
		for _, m := range all {
			if m.glyph == g.glyph {
				n++
				if m.lost < g.loses {
					bad++
				}
				if m.lost < g.loses-gross {
					far++
				}
			}
			if m.lost < g.loses {
				continue
			}
			worse++
			worst := -1
			for k := range grades {
				if m.glyph == grades[k].glyph {
					worst = k
				}
			}
			if worst >= i {
				found++
			}
			if worst >= 0 {
				seen++
			}
			if m.unclear {
				doubted++
			}
		}
		written, wrong = written+n, wrong+bad
		fmt.Fprintf(w, "%-2s  written %d, false %d, grossly %d; true, or worse, %d: found %d, seen %d, unclear %d\n",
			g.sign, n, bad, far, worse, found, seen, doubted)
	}
	_, err = fmt.Fprintf(w, "all written %d, false %d\n", written, wrong)
	return err
}
