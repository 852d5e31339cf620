package explain

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tesla/lab/match/pgn"
	"tesla/search"
)

// Text writes the answer in plain words.
func (a *Answer) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s chooses %s: %s\n", a.Search, a.Choice.Move, a.Choice.text(a))
	if a.Best > 0 {
		fmt.Fprintf(&b, "  no move is better by more than 0.02 points: %.2f\n", a.Best)
	}
	if m := a.Asked; m == nil {
		fmt.Fprintf(&b, "%s is the move that it chooses.\n", a.Choice.Move)
	} else {
		fmt.Fprintf(&b, "%s: %s\n", m.Move, m.text(a))
		a.loss(&b)
	}
	a.change(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// text is a line's score, value and moves.
func (l *Line) text(a *Answer) string {
	score := search.ScoreFromCP(l.CP)
	text := fmt.Sprintf("%+.2f", float64(score.CP)/100)
	if score.Mate != 0 {
		text = fmt.Sprintf("mate in %d", score.Mate)
		if score.Mate < 0 {
			text = fmt.Sprintf("mated in %d", -score.Mate)
		}
	}
	if e := l.Expected; e != nil && !search.IsDecided(l.CP) {
		text += fmt.Sprintf(", expected points %.2f to %.2f", e.Low, e.High)
	}
	return text + "\n  " + strings.Join(pgn.Numbered(a.before, l.moves), " ")
}

// loss says what the move loses, and what was spent on it.
func (a *Answer) loss(b *strings.Builder) {
	switch {
	case a.Loss == nil && (search.IsDecided(a.Choice.CP) || search.IsDecided(a.Asked.CP)):
		b.WriteString("  a decided game has no score in pawns; what it loses was never fitted here\n")
	case a.Loss == nil:
		fmt.Fprintf(b, "  it loses %+.2f pawns by the scores; how sure that is was never fitted here\n", float64(a.Choice.CP-a.Asked.CP)/100)
	case a.Asked.value.Certain() && a.Choice.value.Certain():
		fmt.Fprintf(b, "  it loses %.2f points, which is proven\n", *a.Loss)
	case *a.Loss < 0.005:
		fmt.Fprintf(b, "  it loses nothing (%.2f to %.2f points in 90 of 100 cases); it is as good, within 0.02: %.2f\n", *a.Low, *a.High, *a.AsGood)
	default:
		fmt.Fprintf(b, "  it loses %.2f points (%.2f to %.2f in 90 of 100 cases); it is as good, within 0.02: %.2f\n", *a.Loss, *a.Low, *a.High, *a.AsGood)
	}
	if a.Spent != nil {
		fmt.Fprintf(b, "  the search spent %d of %d evaluations on it, and %d more on the position after it\n", *a.Spent, a.Choice.Evals, a.Asked.Evals)
	} else {
		fmt.Fprintf(b, "  searched: %d nodes before it, %d after it\n", a.Choice.Nodes, a.Asked.Nodes)
	}
}

// change says what would change the verdict.
func (a *Answer) change(b *strings.Builder) {
	t := a.Turn
	if t == nil {
		return
	}
	way := "rise"
	if t.By < 0 {
		way = "fall"
	}
	fmt.Fprintf(b, "What would change the choice: %s\n  %s would have to %s by %.3f points; its value is off by about %.3f, by the change model\n",
		strings.Join(t.Line, " "), t.Line[0], way, math.Abs(t.By), t.Error)
	if t.Behind > 0 {
		fmt.Fprintf(b, "  %s is no better than %s: %.2f\n", t.Line[0], a.Choice.Move, t.Behind)
	}
	if t.Evals == 0 {
		b.WriteString("  to know more: no evaluation was spent on it yet\n")
		return
	}
	fmt.Fprintf(b, "  to know more: %d evaluations would double those spent on it\n", t.Evals)
}
