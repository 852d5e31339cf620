package view

import (
	"fmt"
	"strconv"
	"strings"

	"tesla/board"
	"tesla/lab/match/pgn"
	"tesla/search"
)

// The layout of the panel, in columns and rows.
const (
	boardColumns = 23 // of the board, with a margin on both sides
	leastBeside  = 74 // of the terminal, for facts beside the board
	lineRows     = 3  // of one principal variation
)

// panel is what the terminal shows: the board with the facts beside it, the lines, and the batches.
func (v *View) panel() []string {
	columns := v.screen.columns()
	var rows []string
	facts := v.facts()
	if columns < leastBeside {
		rows = append(append(v.board(), ""), facts...)
	} else {
		for i, row := range v.board() {
			text := row
			if i < len(facts) && facts[i] != "" {
				text += strings.Repeat(" ", boardColumns-visible(row)) + facts[i]
			}
			rows = append(rows, text)
		}
	}
	rows = append(rows, "")
	most := lineRows
	if len(v.lines) > 1 {
		most = 1
	}
	for i := range v.lines {
		in := &v.lines[i]
		head := "  "
		if len(v.lines) > 1 {
			head = fmt.Sprintf("  %7s  ", scoreText(in.Shown()))
		}
		folded := fold(pgn.Numbered(*v.pos, in.PV), columns-1-len(head), most)
		for k, text := range folded {
			if k > 0 {
				head = strings.Repeat(" ", len(head))
			}
			rows = append(rows, head+text)
		}
		for range most - len(folded) { // a longer line later moves nothing
			rows = append(rows, "")
		}
	}
	if text := v.footnote(); text != "" {
		rows = append(rows, v.screen.dim("  "+cut(text, columns-3)))
	}
	return rows
}

func (v *View) facts() []string {
	side := "White"
	if v.pos.Black {
		side = "Black"
	}
	rows := []string{v.screen.bold(v.title), fmt.Sprintf("Move %d, %s to move", v.pos.Fullmove, side), ""}
	if len(v.lines) == 0 {
		return append(rows, "searching")
	}
	in := &v.lines[0]
	if text := sureText(&in.Sure); text != "" { // in the empty row, so that nothing moves
		rows[2] = v.fact("Sure", text)
	}
	score := scoreText(in.Shown())
	if v.sigma > 0 && !search.IsDecided(in.Score.Value()) {
		score += fmt.Sprintf(" +- %.2f", pawns(search.CPToQ(in.Score.CP), v.sigma))
	}
	score = v.screen.score(score, in.Score.Value())
	if in.Sure.High > 0 {
		score += fmt.Sprintf(", points %.2f to %.2f", in.Sure.Low, in.Sure.High)
	}
	rows = append(rows, v.fact("Score", score))
	if in.WDL != [3]int{} {
		rows = append(rows, v.fact("", fmt.Sprintf("win %d %%, draw %d %%, loss %d %%", in.WDL[0]/10, in.WDL[1]/10, in.WDL[2]/10)))
	}
	rows = append(rows, v.fact("Depth", fmt.Sprintf("%d, longest line %d", in.Depth, in.SelDepth)),
		v.fact("Time", fmt.Sprintf("%.1f s", in.Time.Seconds())))
	if in.Evals > 0 {
		rows = append(rows, v.fact("Evaluations", fmt.Sprintf("%13s  %11s a second", thousands(in.Evals), thousands(int64(in.EvalRate())))))
	}
	return append(rows, v.fact("Nodes", fmt.Sprintf("%13s  %11s a second", thousands(in.Nodes), thousands(in.NPS))))
}

// sureText is how sure the search is, in words; empty where it states nothing.
func sureText(s *search.Sureness) string {
	var words []string
	if s.Best > 0 {
		words = append(words, fmt.Sprintf("best %.0f %%", 100*s.Best))
	}
	if s.Stays > 0 {
		words = append(words, fmt.Sprintf("stays first %.0f %%", 100*s.Stays))
	}
	return strings.Join(words, ", ")
}

func (v *View) fact(name, value string) string {
	return v.screen.dim(fmt.Sprintf("%-13s", name)) + value
}

// board is the position, White at the bottom. The squares of the best move are marked.
func (v *View) board() []string {
	from, to := board.NoSquare, board.NoSquare
	if len(v.lines) > 0 {
		m := v.lines[0].PV[0]
		from, to = v.pos.Absolute(m.From()), v.pos.Absolute(m.To())
	}
	var rows []string
	for rank := 7; rank >= 0; rank-- {
		row := "  " + v.screen.dim(strconv.Itoa(rank+1)) + " "
		for file := range 8 {
			square := board.NewSquare(file, rank)
			t, ours := v.pos.PieceAt(v.pos.Absolute(square))
			white := t != board.None && ours != v.pos.Black
			letter := t.String()
			switch {
			case t == board.None:
				letter = "."
			case white:
				letter = strings.ToUpper(letter)
			}
			row += " " + v.screen.piece(letter, t != board.None, white, square == from || square == to)
		}
		rows = append(rows, row)
	}
	return append(rows, v.screen.dim("     a b c d e f g h"))
}

// ending is the table of the best root moves, and the choice.
func (v *View) ending(best board.Move) []string {
	rows := []string{""}
	const most = 5
	if len(v.roots) > 0 {
		head := "  Move     Evaluations   Prior   Score   Sigma"
		if v.statesBehind() {
			head += "  Behind"
		}
		rows = append(rows, v.screen.dim(head))
	}
	for i := len(v.roots) - 1; i >= max(0, len(v.roots)-most); i-- {
		r := &v.roots[i]
		rows = append(rows, fmt.Sprintf("  %-7s %12s  %4.0f %%  %+6.2f  %6.2f", pgn.SAN(v.pos, r.Move), thousands(r.N), 100*r.Policy,
			float64(search.QToCP(r.Q))/100, pawns(r.Q, r.Sigma)))
		if r.Behind > 0 {
			rows[len(rows)-1] += fmt.Sprintf("  %4.0f %%", 100*r.Behind)
		}
	}
	return append(rows, "", "  Best move: "+v.screen.bold(pgn.Number(v.pos)+" "+pgn.SAN(v.pos, best)))
}

// pawns is an expected change of q in pawns.
func pawns(q, sigma float64) float64 {
	return float64(search.QToCP(q+sigma)-search.QToCP(q-sigma)) / 200
}

// fold breaks words into rows of at most the given columns. What does not fit into the last row is left out.
func fold(words []string, columns, most int) (rows []string) {
	row := ""
	for _, w := range words {
		switch {
		case row == "":
			row = w
		case len(row)+1+len(w) <= columns:
			row += " " + w
		case len(rows)+1 == most:
			return append(rows, row)
		default:
			rows, row = append(rows, row), w
		}
	}
	return append(rows, row)
}

func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
