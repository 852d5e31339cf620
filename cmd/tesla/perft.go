package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tesla/board"
)

// maxPerft is beyond what any machine finishes.
const maxPerft = 30

type perftResult struct {
	Depth   int               `json:"depth"`
	Nodes   uint64            `json:"nodes"`
	Seconds float64           `json:"seconds"`
	NPS     float64           `json:"nps"`
	FEN     string            `json:"fen"`
	Divide  map[string]uint64 `json:"divide,omitempty"`
	Commit  string            `json:"commit"`
}

func perftCommand() *cobra.Command {
	c := &cobra.Command{Use: "perft DEPTH", Short: "count legal move sequences, one thread, no hash", Args: cobra.ExactArgs(1)}
	fen := fenFlag(c)
	chess960 := c.Flags().Bool("chess960", false, "write castling as king takes rook")
	divide := c.Flags().Bool("divide", false, "list the count below each move")
	asJSON := c.Flags().Bool("json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		depth, err := strconv.Atoi(args[0])
		if err != nil || depth < 0 || depth > maxPerft {
			return usage("perft: depth %q is not a number in 0..%d", args[0], maxPerft)
		}
		pos, err := parseFEN(*fen)
		if err != nil {
			return err
		}
		var each io.Writer
		if *divide && !*asJSON {
			each = c.OutOrStdout()
		}
		r := perft(&pos, depth, *chess960, *divide, each)
		if *asJSON {
			return printJSON(c.OutOrStdout(), r)
		}
		fmt.Fprintf(c.OutOrStdout(), "perft %d: %d nodes in %.3f s, %.0f nps\n", r.Depth, r.Nodes, r.Seconds, r.NPS)
		return nil
	}
	return c
}

// perft counts; each, where not nil, is told the count below each move as it is known.
func perft(pos *board.Position, depth int, chess960, divide bool, each io.Writer) perftResult {
	r := perftResult{Depth: depth, FEN: pos.FEN(chess960), Commit: commit()}
	start := time.Now()
	if divide && depth > 0 {
		r.Divide = map[string]uint64{}
		for _, m := range pos.LegalMoves(nil) {
			var next board.Position
			pos.Make(m, &next)
			n, text := board.Perft(&next, depth-1), pos.UCI(m, chess960)
			r.Divide[text] = n
			r.Nodes += n
			if each != nil {
				fmt.Fprintf(each, "%s: %d\n", text, n)
			}
		}
	} else {
		r.Nodes = board.Perft(pos, depth)
	}
	r.Seconds = time.Since(start).Seconds()
	r.NPS = float64(r.Nodes) / max(r.Seconds, 1e-9)
	return r
}
