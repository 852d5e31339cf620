package uci

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
)

// infoLine writes a scored report for a search from pos. The principal variation is cut where it stops being legal.
func infoLine(pos *board.Position, in *search.Info, chess960, wdl bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "info depth %d seldepth %d multipv %d score %s", in.Depth, in.SelDepth, max(1, in.MultiPV), scoreText(in))
	if wdl && in.WDL != [3]int{} {
		fmt.Fprintf(&b, " wdl %d %d %d", in.WDL[0], in.WDL[1], in.WDL[2])
	}
	fmt.Fprintf(&b, " nodes %d nps %d hashfull %d tbhits %d time %d", in.Nodes, in.NPS, in.Hashfull, in.TBHits, in.Time.Milliseconds())
	if line := lineText(pos, in.PV, chess960); line != "" {
		b.WriteString(" pv " + line)
	}
	return b.String()
}

// sureLine writes what a search states of its sureness, empty where it states nothing.
func sureLine(s *search.Sureness) string {
	text := ""
	if s.Best > 0 {
		text += fmt.Sprintf(" sure %.2f", s.Best)
	}
	if s.Stays > 0 {
		text += fmt.Sprintf(" stays %.2f", s.Stays)
	}
	if s.High > 0 {
		text += fmt.Sprintf(" expected %.2f to %.2f", s.Low, s.High)
	}
	if text == "" {
		return ""
	}
	return "info string" + text
}

func scoreText(in *search.Info) string {
	score := in.Shown()
	text := fmt.Sprintf("cp %d", score.CP)
	if score.Mate != 0 {
		text = fmt.Sprintf("mate %d", score.Mate)
	}
	switch in.Bound {
	case search.Lower:
		text += " lowerbound"
	case search.Upper:
		text += " upperbound"
	}
	return text
}

// lineText writes moves from pos in UCI form, as far as they are legal.
func lineText(pos *board.Position, moves []board.Move, chess960 bool) string {
	words := make([]string, 0, len(moves))
	for at, m := range pos.Along(moves) {
		words = append(words, at.UCI(m, chess960))
	}
	return strings.Join(words, " ")
}

// rootLines writes the root moves in the form that lc0 made common for VerboseMoveStats, with what this engine knows
// besides: S is the expected change of Q under deeper search, G the expected gain of the best promotion for each
// evaluation. The last line, "node", is the whole root.
func rootLines(pos *board.Position, roots []search.RootMove, chess960 bool) []string {
	var lines []string
	var sum search.RootMove
	for _, r := range roots {
		if !pos.IsLegal(r.Move) {
			continue
		}
		index := int(r.Move.From())*64 + int(r.Move.To())
		lines = append(lines, rootLine(pos.UCI(r.Move, chess960), index, &r))
		sum.N += r.N
		sum.Policy += r.Policy
		sum.Q, sum.V, sum.Sigma, sum.Gain = r.Q, r.V, r.Sigma, max(sum.Gain, r.Gain) // worst first: the best remains
	}
	return append(lines, rootLine("node", len(lines), &sum))
}

func rootLine(name string, index int, r *search.RootMove) string {
	v := "  -.----"
	if !math.IsNaN(r.V) {
		v = fmt.Sprintf("%8.4f", r.V)
	}
	return fmt.Sprintf("info string %-5s (%-4d) N: %7d (+ 0) (P: %5.2f%%) (WL: %8.5f) (D: 0.000) (M:  0.0) (Q: %8.5f) (V: %s) (S: %6.4f) (G: %.1e)",
		name, index, r.N, 100*r.Policy, r.Q, r.Q, v, r.Sigma, r.Gain)
}

// diagram draws the board, White at the bottom, with FEN and key.
func diagram(pos *board.Position, chess960 bool) []string {
	const rule = "  +---+---+---+---+---+---+---+---+"
	lines := []string{rule}
	for rank := 7; rank >= 0; rank-- {
		row := fmt.Sprintf("%d |", rank+1)
		for file := range 8 {
			t, ours := pos.PieceAt(pos.Absolute(board.NewSquare(file, rank)))
			letter := t.String()
			if t != board.None && ours != pos.Black {
				letter = strings.ToUpper(letter)
			}
			row += " " + letter + " |"
		}
		lines = append(lines, row, rule)
	}
	lines = append(lines, "    a   b   c   d   e   f   g   h", "",
		"Fen: "+pos.FEN(chess960), fmt.Sprintf("Key: %016X", pos.Key))
	checks := "Checkers:"
	for c := pos.Checkers(); c != 0; {
		checks += " " + pos.Absolute(c.Pop()).String()
	}
	return append(lines, checks)
}

// perftLines counts legal move sequences below each move. It ends early, with nothing, when ctx ends.
func perftLines(ctx context.Context, pos *board.Position, depth int, chess960 bool) []string {
	start := time.Now()
	var lines []string
	var total uint64
	board.Divide(pos, depth, func(m board.Move, n uint64) bool {
		total += n
		lines = append(lines, fmt.Sprintf("%s: %d", pos.UCI(m, chess960), n))
		return ctx.Err() == nil
	})
	if ctx.Err() != nil {
		return nil
	}
	spent := time.Since(start)
	return append(lines, "", fmt.Sprintf("Nodes searched: %d", total),
		fmt.Sprintf("info string perft %d: %d ms, %.0f nodes a second", depth, spent.Milliseconds(),
			float64(total)/max(spent.Seconds(), 1e-9)))
}
