package annotate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
)

// game is a game, and what is found of it.
type game struct {
	*pgn.Annotated
	positions   []board.Position // before each move, and the last one
	first, last int              // the judged moves are in [first, last); equal: there are none
	judged      func(move int) bool
	evaluations []evaluation // of the positions first to last, in this order
	verdicts    []judgement  // of the moves from first on; those of moves that are not judged are empty
	opening     Opening
	theory      int // moves of theory
	white       Side
	black       Side
}

// newGame plays a game through and selects the moves that are judged.
func newGame(a *pgn.Annotated, cfg *Config) (*game, error) {
	g := &game{Annotated: a, positions: []board.Position{a.Start}}
	p := a.Start
	for _, m := range a.Moves {
		var next board.Position
		p.Make(m, &next)
		p = next
		g.positions = append(g.positions, p)
	}
	plays := func(color string) bool {
		return strings.Contains(strings.ToLower(a.Tag(color)), strings.ToLower(cfg.Player))
	}
	white, black := plays("White"), plays("Black")
	g.judged = func(i int) bool {
		before := &g.positions[i]
		n := int(before.Fullmove)
		return n >= cfg.From && (cfg.To == 0 || n <= cfg.To) && (before.Black && black || !before.Black && white)
	}
	for i := range a.Moves {
		if g.judged(i) {
			if g.last == 0 {
				g.first = i
			}
			g.last = i + 1
		}
	}
	var err error
	g.opening, g.theory, err = findOpening(a.Start, a.Moves)
	return g, err
}

// searches is the number of positions that are to be searched.
func (g *game) searches() int {
	if g.first == g.last {
		return 0
	}
	return g.last - g.first + 1
}

// conclude judges the moves. The evaluations are complete.
func (g *game) conclude() {
	wins := make([]float64, len(g.evaluations))
	for k := range g.evaluations {
		wins[k] = winPercent(g.evaluations[k].CP)
		if g.positions[g.first+k].Black {
			wins[k] = 100 - wins[k]
		}
	}
	g.verdicts = make([]judgement, g.last-g.first)
	for k := range g.verdicts {
		i := g.first + k
		if !g.judged(i) {
			continue
		}
		before, e := &g.positions[i], &g.evaluations[k]
		recaptures := i > 0 && isRecapture(g.Moves[i-1], g.Moves[i])
		best := len(e.Line) > 0 && e.Line[0] == before.UCI(g.Moves[i], true)
		j := judge(e, &g.evaluations[k+1], best, before.CountLegal(), recaptures)
		g.verdicts[k] = j
		g.side(before.Black).add(&j)
	}
	for _, black := range []bool{false, true} {
		s := g.side(black)
		if s.Moves == 0 {
			continue
		}
		s.Loss /= float64(s.Moves)
		s.Accuracy = accuracy(wins, black, func(k int) bool {
			return g.judged(g.first+k) && g.positions[g.first+k].Black == black
		})
	}
}

func (g *game) side(black bool) *Side {
	if black {
		return &g.black
	}
	return &g.white
}

// oldEvaluation is what an earlier run wrote into a comment.
var oldEvaluation = regexp.MustCompile(`\[%eval [^\]]*\] ?`)

// annotated is the game with what was found. by names who judged.
func (g *game) annotated(by string) *pgn.Annotated {
	a := *g.Annotated
	a.Tags = slices.Clone(a.Tags)
	if g.theory > 0 {
		for _, t := range []pgn.Tag{{Name: "ECO", Value: g.opening.Code}, {Name: "Opening", Value: g.opening.Name}} {
			if a.Tag(t.Name) == "" {
				a.SetTag(t.Name, t.Value)
			}
		}
	}
	if earlier := a.Tag("Annotator"); !strings.Contains(earlier, annotator) {
		a.SetTag("Annotator", strings.TrimPrefix(earlier+"; "+annotator, "; "))
	}
	summary := fmt.Sprintf("%s, %s. White: %s. Black: %s.", annotator, by, &g.white, &g.black)
	start, segments := split(a.Elements)
	a.Elements = slices.Concat([]pgn.Element{{Kind: pgn.Comment, Text: summary}}, start)
	for i, s := range segments {
		if i+1 == g.theory {
			s = insert(s, 1+glyphsOf(s), pgn.Element{Kind: pgn.Comment, Text: "Theory: " + g.opening.String()})
		}
		if i >= g.first && i < g.last && g.judged(i) {
			s = g.segment(i, s)
		}
		a.Elements = append(a.Elements, s...)
	}
	return &a
}

// split divides elements into those before the first move of the game, and those of each move: the move and what follows it.
func split(all []pgn.Element) (start []pgn.Element, segments [][]pgn.Element) {
	depth, from := 0, -1
	for i := range all {
		switch all[i].Kind {
		case pgn.Open:
			depth++
		case pgn.Close:
			depth--
		case pgn.Played:
			if depth > 0 {
				continue
			}
			if from < 0 {
				start = all[:i]
			} else {
				segments = append(segments, all[from:i])
			}
			from = i
		}
	}
	if from < 0 {
		return all, nil
	}
	return start, append(segments, all[from:])
}

// glyphsOf is the number of glyphs of a segment's move.
func glyphsOf(segment []pgn.Element) int {
	n := 1
	for n < len(segment) && segment[n].Kind == pgn.Glyph {
		n++
	}
	return n - 1
}

func insert(s []pgn.Element, at int, e ...pgn.Element) []pgn.Element {
	return slices.Insert(slices.Clone(s), at, e...)
}

// segment adds to a move of the game what was found of it: a glyph where it has none that says how good it is, a comment
// behind the glyphs, and the better line behind the variations.
func (g *game) segment(i int, s []pgn.Element) []pgn.Element {
	j := &g.verdicts[i-g.first]
	before := &g.positions[i]
	s = withoutEvaluation(s)
	if better := g.better(i); j.mark != 0 && j.mark != onlyMove && len(better) > 0 {
		at := 1 + glyphsOf(s)
		for k, depth := at, 0; k < len(s); k++ {
			switch s[k].Kind {
			case pgn.Open:
				depth++
			case pgn.Close:
				if depth--; depth == 0 {
					at = k + 1
				}
			case pgn.Comment:
				if depth == 0 && at == k {
					at = k + 1
				}
			}
		}
		s = insert(s, at, better...)
	}
	glyphs := glyphsOf(s)
	text := g.comment(j, before, &g.evaluations[i-g.first+1])
	if text != "" {
		s = insert(s, 1+glyphs, pgn.Element{Kind: pgn.Comment, Text: text})
	}
	said := slices.ContainsFunc(s[1:1+glyphs], func(e pgn.Element) bool { return e.Glyph >= 1 && e.Glyph <= 6 })
	if j.mark != 0 && !said {
		s = insert(s, 1+glyphs, j.mark.glyph())
	}
	return s
}

// withoutEvaluation drops the evaluation of an earlier run from the comments on a move.
func withoutEvaluation(s []pgn.Element) (kept []pgn.Element) {
	depth := 0
	for _, e := range s {
		switch e.Kind {
		case pgn.Open:
			depth++
		case pgn.Close:
			depth--
		case pgn.Comment:
			if depth == 0 {
				if e.Text = strings.TrimSpace(oldEvaluation.ReplaceAllString(e.Text, "")); e.Text == "" {
					continue
				}
			}
		}
		kept = append(kept, e)
	}
	return kept
}

// comment is the text on a move: the evaluation after it, and what it lost.
func (g *game) comment(j *judgement, before *board.Position, after *evaluation) string {
	var words []string
	switch {
	case after.CP == search.MatedIn(0): // there is no evaluation of a mate on the board
	case len(after.Line) == 0: // a draw
		words = append(words, "[%eval 0.00]")
	default:
		words = append(words, fmt.Sprintf("[%%eval %s,%d]", scoreText(after.CP, !before.Black), after.Depth))
	}
	switch j.mark {
	case 0:
	case onlyMove:
		words = append(words, j.mark.String()+".")
	default:
		words = append(words, fmt.Sprintf("%s, from %s to %s.", j.mark, scoreText(j.before, before.Black), scoreText(j.after, before.Black)))
	}
	return strings.Join(words, " ")
}

// lineLength is how many moves of a better line are shown.
const lineLength = 8

// better is the variation with the best line in place of a move.
func (g *game) better(i int) []pgn.Element {
	p := g.positions[i]
	v := []pgn.Element{{Kind: pgn.Open}}
	line := g.evaluations[i-g.first].Line
	for _, word := range line[:min(len(line), lineLength)] {
		m, err := p.ParseMove(word)
		if err != nil { // a line that goes on behind the end of the game
			break
		}
		v = append(v, pgn.Element{Kind: pgn.Played, Move: m, Before: p})
		var next board.Position
		p.Make(m, &next)
		p = next
	}
	if len(v) == 1 {
		return nil
	}
	return append(v, pgn.Element{Kind: pgn.Close})
}
