package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

type evalMove struct {
	Move string  `json:"move"`
	P    float32 `json:"p"`
}

// evalResult is what a net says of one position, from the side to move.
type evalResult struct {
	FEN     string     `json:"fen"`
	CP      int        `json:"cp"`
	Q       float32    `json:"q"`
	WDL     [3]float32 `json:"wdl"`
	Sigma   float32    `json:"sigma"`
	Policy  []evalMove `json:"policy"` // most probable first
	Backend string     `json:"backend"`
	Model   string     `json:"model"`
	Commit  string     `json:"commit"`
}

// String shows the most probable moves on a second line.
func (r *evalResult) String() string {
	const most = 8
	var moves []string
	for _, m := range r.Policy[:min(most, len(r.Policy))] {
		moves = append(moves, fmt.Sprintf("%s %.1f%%", m.Move, 100*m.P))
	}
	return fmt.Sprintf("%s\n  cp %d q %.4f wdl %.3f %.3f %.3f sigma %.4f (%s, net %s)\n  %s", r.FEN, r.CP, r.Q, r.WDL[0], r.WDL[1],
		r.WDL[2], r.Sigma, r.Backend, r.Model, strings.Join(moves, "  "))
}

func evalCommand() *cobra.Command {
	c := &cobra.Command{Use: "eval", Short: "print what the net says of positions", Args: cobra.NoArgs}
	set := settingsFlags(c, "backend", "weights", "threads")
	epd := c.Flags().String("epd", "", "file of positions, one EPD or FEN a line, - for standard input")
	fen := fenFlag(c)
	chess960 := c.Flags().Bool("chess960", false, "write castling as king takes rook")
	asJSON := c.Flags().Bool("json", false, "print one JSON object a line")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if err := checkSettings(set); err != nil {
			return err
		}
		if *epd != "" && *fen != "" {
			return usage("eval: --epd and --fen exclude each other")
		}
		var positions []board.Position
		if *epd != "" {
			positions, err = readEPD(*epd, c.InOrStdin())
		} else {
			positions = make([]board.Position, 1)
			positions[0], err = parseFEN(*fen)
		}
		if err != nil {
			return err
		}
		b, _, notes, err := openBackend(*set, batcher.Options{Threads: set.Threads})
		tellNotes(c, notes)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.Close()) }()
		rows, err := evaluate(b, positions, *chess960)
		if err != nil {
			return err
		}
		out := bufio.NewWriter(c.OutOrStdout())
		for i := range rows {
			if *asJSON {
				err = printJSON(out, &rows[i])
			} else {
				_, err = fmt.Fprintln(out, rows[i].String())
			}
			if err != nil {
				return err
			}
		}
		return out.Flush()
	}
	return c
}

// tellNotes puts notes for the user on standard error.
func tellNotes(c *cobra.Command, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(c.ErrOrStderr(), "tesla: "+n)
	}
}

// readEPD reads positions from a file or, for "-", from in. Empty lines are skipped; a bad one is an error that names
// its number.
func readEPD(name string, in io.Reader) ([]board.Position, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--epd: %w", err)
		}
		defer f.Close()
		in = f
	}
	var positions []board.Position
	r := bufio.NewReader(in)
	for number := 1; ; number++ {
		text, err := r.ReadString('\n')
		if text = strings.TrimSpace(text); text != "" {
			pos, err := board.ParseEPD(text)
			if err != nil {
				return nil, usage("--epd %s: line %d: %w", name, number, err)
			}
			positions = append(positions, pos)
		}
		if errors.Is(err, io.EOF) {
			return positions, nil
		}
		if err != nil {
			return nil, fmt.Errorf("--epd %s: line %d: %w", name, number, err)
		}
	}
}

// evaluate asks b for the positions, in batches, and keeps their order.
func evaluate(b batcher.Backend, positions []board.Position, chess960 bool) ([]evalResult, error) {
	info := b.Info()
	rows := make([]evalResult, 0, len(positions))
	for at := 0; at < len(positions); at += info.MaxBatch {
		part := positions[at:min(len(positions), at+info.MaxBatch)]
		items := make([]*batcher.Item, len(part))
		for i := range part {
			items[i] = &batcher.Item{Position: part[i], Moves: part[i].LegalMoves(nil)}
		}
		if err := b.Evaluate(items); err != nil {
			return nil, fmt.Errorf("evaluating positions %d to %d: %w", at+1, at+len(part), err)
		}
		for _, it := range items {
			e := &it.Eval
			r := evalResult{FEN: it.Position.FEN(chess960), CP: search.QToCP(float64(e.Q)), Q: e.Q, WDL: [3]float32{e.W, e.D, e.L},
				Sigma: e.Sigma, Policy: []evalMove{}, Backend: info.Name, Model: info.Model, Commit: commit()}
			for i, m := range it.Moves {
				r.Policy = append(r.Policy, evalMove{it.Position.UCI(m, chess960), it.Policy[i]})
			}
			sort.SliceStable(r.Policy, func(i, k int) bool { return r.Policy[i].P > r.Policy[k].P })
			rows = append(rows, r)
		}
	}
	return rows, nil
}
