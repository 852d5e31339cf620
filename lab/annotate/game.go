package annotate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
	"tesla/search/sure"
)

// game is a game, and what is found of it.
type game struct {
	*pgn.Annotated
	positions   []board.Position // before each move, and the last one
	first, last int              // the judged moves are in [first, last); equal: there are none
	judged      func(move int) bool
	evaluations []evaluation // of the positions first to last, in this order
	contests    []contest    // of the moves from first on, where values are stated; empty: they are not
	gap         sure.Gap     // how two values differ
	unstated    int          // judged moves that the scores alone judge, although values are stated
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
		p = p.After(m)
		g.positions = append(g.positions, p)
	}
	plays := func(color string) bool {
		return strings.Contains(strings.ToLower(a.Tag(color)), strings.ToLower(cfg.Player))
	}
	white, black := plays("White"), plays("Black")
	g.judged = func(i int) bool {
		before := &g.positions[i]
		n := int(before.Fullmove)
		return a.Moves[i] != board.NullMove && n >= cfg.From && (cfg.To == 0 || n <= cfg.To) && (before.Black && black || !before.Black && white)
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
		before := &g.positions[i]
		if len(g.contests) > 0 && (g.evaluations[k].Points == nil || g.evaluations[k+1].Points == nil) {
			g.unstated++
		}
		j := g.verdict(k)
		g.verdicts[k] = j
		g.side(before.Black).add(&j)
	}
	for _, black := range []bool{false, true} {
		s := g.side(black)
		if s.Moves == 0 {
			continue
		}
		s.Loss /= float64(s.Moves)
		s.Accuracy = accuracy(wins, black, func(k int) (counts, forced bool) {
			return g.judged(g.first+k) && g.positions[g.first+k].Black == black, g.verdicts[k].forced
		})
	}
}

func (g *game) verdict(k int) judgement {
	if len(g.contests) > 0 {
		j, _, _ := g.weigh(k)
		return j
	}
	return judge(&g.evaluations[k], &g.evaluations[k+1], g.isBest(k), g.positions[g.first+k].CountLegal(), g.recaptures(k))
}

func (g *game) side(black bool) *Side {
	if black {
		return &g.black
	}
	return &g.white
}

// earlier is what an earlier run wrote into the comments on moves, and into the one before them.
var (
	earlier = regexp.MustCompile(`\[%eval [^\]]*\]|\b(Inaccuracy|Mistake|Blunder), from \S+ to \S+\.( The game marks it \S+ here\.)?|\bOnly move\.|` +
		`\bUnclear, from \S+ to \S+: (Inaccuracy|Mistake|Blunder) at 0\.\d\d\.( The game marks it \S+ here\.)?`)
	summed = regexp.MustCompile(`\b` + annotator + `, [^?{}]*\. White: ` + sideForm + `\. Black: ` + sideForm + `\.`)
)

// sideForm is what Side.String writes.
const sideForm = `(no move|accuracy [^?{}]*\?!, \d+ \?, \d+ \?\?(, \d+ unclear)?)`

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
	if there := a.Tag("Annotator"); !strings.Contains(there, annotator) {
		a.SetTag("Annotator", strings.TrimPrefix(there+"; "+annotator, "; "))
	}
	summary := fmt.Sprintf("%s, %s. White: %s. Black: %s.", annotator, by, &g.white, &g.black)
	start, segments := split(a.Elements)
	a.Elements = remark(start, 0, "", summary, func(text string) string { return summed.ReplaceAllString(text, "") })
	for i, s := range segments {
		a.Elements = append(a.Elements, g.segment(i, s)...)
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

// commands are those that a comment begins with, such as [%clk 0:01:00].
var commands = regexp.MustCompile(`^(\s*\[%\w+ [^\]]*\])+`)

// remark puts what was found into the comment at an index, or makes one there: the evaluation, the commands that the comment
// begins with, the words, and the rest of the comment. What clean takes out of the comment is dropped.
func remark(s []pgn.Element, at int, eval, text string, clean func(string) string) []pgn.Element {
	old := ""
	s = slices.Clone(s)
	if at < len(s) && s[at].Kind == pgn.Comment {
		old = clean(s[at].Text)
		s = slices.Delete(s, at, at+1)
	}
	first := commands.FindString(old)
	if text = strings.Join(strings.Fields(eval+" "+first+" "+text+" "+old[len(first):]), " "); text == "" {
		return s
	}
	return slices.Insert(s, at, pgn.Element{Kind: pgn.Comment, Text: text})
}

// segment adds to a move of the game what was found of it: a glyph where it has none that says how good it is, the words
// in its comment, and the better line behind the variations.
func (g *game) segment(i int, s []pgn.Element) []pgn.Element {
	judged := i >= g.first && i < g.last && g.judged(i)
	eval, words, opening := "", "", ""
	if i+1 == g.theory {
		opening = "Theory: " + g.opening.String()
	}
	glyphs := glyphsOf(s)
	if judged {
		j := &g.verdicts[i-g.first]
		eval = evalText(&g.positions[i], &g.evaluations[i-g.first+1])
		if better := g.better(i); j.mark != 0 && j.mark != onlyMove && len(better) > 0 && !stands(s, better) {
			s = append(slices.Clip(s), better...)
		}
		at := slices.IndexFunc(s[1:1+glyphs], func(e pgn.Element) bool { return e.Glyph >= 1 && e.Glyph <= 6 })
		said := mark(0)
		if at >= 0 {
			said = mark(s[1+at].Glyph)
		} else if j.mark != 0 && !j.unclear {
			glyphs++
			s = slices.Insert(slices.Clone(s), glyphs, j.mark.glyph())
		}
		words = j.comment(&g.positions[i], said)
	}
	return remark(s, 1+glyphs, eval, words+" "+opening, func(text string) string {
		if opening != "" {
			text = strings.ReplaceAll(text, opening, "")
		}
		if judged {
			text = earlier.ReplaceAllString(text, "")
		}
		return text
	})
}

// evalText is the evaluation after a move. There is none of a mate on the board.
func evalText(before *board.Position, after *evaluation) string {
	switch {
	case after.CP == search.MatedIn(0):
		return ""
	case len(after.Line) == 0: // a draw
		return "[%eval 0.00]"
	}
	return fmt.Sprintf("[%%eval %s,%d]", scoreText(after.CP, !before.Black), after.Depth)
}

// comment is what a move lost, in words. said is the glyph that the game has for it, 0 for none.
func (j *judgement) comment(before *board.Position, said mark) (text string) {
	switch from, to := scoreText(j.before, before.Black), scoreText(j.after, before.Black); {
	case j.mark == 0:
		return ""
	case j.mark == onlyMove:
		return j.mark.String() + "."
	case j.unclear:
		text = fmt.Sprintf("Unclear, from %s to %s: %s at %.2f.", from, to, j.mark, j.chance)
	default:
		text = fmt.Sprintf("%s, from %s to %s.", j.mark, from, to)
	}
	if said != 0 && said != j.mark {
		text += fmt.Sprintf(" The game marks it %s here.", signs[said])
	}
	return text
}

// signs are the marks of games.
var signs = map[mark]string{1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}

// lineLength is how many moves of a better line are shown.
const lineLength = 8

// rival is what is known of the position after the best other move than the k-th; nil: nothing.
func (g *game) rival(k int) *evaluation {
	if len(g.contests) == 0 {
		return nil
	}
	return g.contests[k].rival
}

// stands reports whether a variation is there already, as one that an earlier run wrote.
func stands(s, variation []pgn.Element) bool {
	for i := range len(s) - len(variation) + 1 {
		if slices.EqualFunc(s[i:i+len(variation)], variation, func(a, b pgn.Element) bool { return a.Kind == b.Kind && a.Move == b.Move }) {
			return true
		}
	}
	return false
}

// better is the variation with the best line in place of a move: that of the search, or its second one where the move is
// its choice. It is empty where no line is known that is better.
func (g *game) better(i int) []pgn.Element {
	p := g.positions[i]
	v := []pgn.Element{{Kind: pgn.Open}}
	e, j := &g.evaluations[i-g.first], &g.verdicts[i-g.first]
	line := e.Line
	if rival := g.rival(i - g.first); j.isBest && rival != nil {
		move := rival.Move
		if line = append([]string{move}, rival.Line...); search.Towards(rival.CP) <= j.after {
			return nil
		}
	} else if j.isBest {
		if line = e.SecondLine; e.Second == nil || *e.Second <= j.after {
			return nil
		}
	}
	for _, word := range line[:min(len(line), lineLength)] {
		m, err := p.ParseMove(word)
		if err != nil { // a line that goes on behind the end of the game
			break
		}
		v = append(v, pgn.Element{Kind: pgn.Played, Move: m, Before: p})
		p = p.After(m)
	}
	if len(v) == 1 {
		return nil
	}
	return append(v, pgn.Element{Kind: pgn.Close})
}
