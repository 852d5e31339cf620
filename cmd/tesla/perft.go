package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/oracle"
)

// maxPerft is beyond what any machine finishes.
const maxPerft = 30

type perftOptions struct {
	positionFlags
	depth        int
	divide, json bool
	oracle       bool
	rules        oracle.Rules // that are held against another program's
}

type perftResult struct {
	Depth   int               `json:"depth"`
	Nodes   uint64            `json:"nodes"`
	Seconds float64           `json:"seconds"`
	NPS     float64           `json:"nps"`
	FEN     string            `json:"fen"`
	Divide  map[string]uint64 `json:"divide,omitempty"`
	Oracle  *uint64           `json:"oracle,omitempty"` // the other program's count
	Commit  string            `json:"commit"`
}

func perftCommand() *cobra.Command {
	return command(&cobra.Command{Use: "perft DEPTH [FEN]", Short: "count legal move sequences, one thread, no hash",
		Example: "  tesla perft 6\n  tesla perft 2 --divide \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\""},
		&perftOptions{rules: oracle.Tesla()})
}

func (o *perftOptions) AddFlags(f *pflag.FlagSet) {
	o.add(f)
	f.BoolVar(&o.divide, "divide", false, "list the count below each move")
	f.BoolVar(&o.oracle, "oracle", false, "also compare with the rules of another program, which is slow (a million leaves a second); exit code 1 where they differ, "+
		"with the position and both answers")
	jsonFlag(f, &o.json)
}

func (o *perftOptions) Validate(args []string) (err error) {
	o.depth, err = strconv.Atoi(args[0])
	if err != nil || o.depth < 0 || o.depth > maxPerft {
		return fmt.Errorf("depth %q is not a number in 0..%d", args[0], maxPerft)
	}
	if err := o.parse(args[1:]); err != nil {
		return err
	}
	if o.oracle && !oracle.Standard(&o.position) {
		return errors.New("--oracle: no Chess960 in the other program")
	}
	return nil
}

func (o *perftOptions) Run(c *cobra.Command) error {
	tellNotes(c, o.repairs)
	each := c.OutOrStdout()
	if o.json {
		each = io.Discard
	}
	r := o.perft(each)
	var wrong error
	if o.oracle {
		wrong = o.compare(&r)
	}
	var err error
	if o.json {
		err = printJSON(c.OutOrStdout(), r)
	} else {
		_, err = fmt.Fprintf(c.OutOrStdout(), "perft %d: %d nodes in %.3f s, %.0f nps\n", r.Depth, r.Nodes, r.Seconds, r.NPS)
	}
	return errors.Join(err, wrong)
}

// compare has another program count.
func (o *perftOptions) compare(r *perftResult) error {
	n, found, err := o.rules.Perft(&o.position, o.depth)
	r.Oracle = &n
	for _, d := range found {
		err = errors.Join(err, fmt.Errorf("perft %d: %d by the other program: %v", o.depth, n, d))
	}
	return err
}

// perft counts. With --divide it writes the count below each move to each as it is known.
func (o *perftOptions) perft(each io.Writer) perftResult {
	pos := &o.position
	r := perftResult{Depth: o.depth, FEN: pos.FEN(o.chess960), Commit: engine.Commit()}
	start := time.Now()
	if o.divide && o.depth > 0 {
		r.Divide = map[string]uint64{}
		board.Divide(pos, o.depth, func(m board.Move, n uint64) bool {
			text := pos.UCI(m, o.chess960)
			r.Divide[text] = n
			r.Nodes += n
			fmt.Fprintf(each, "%s: %d\n", text, n)
			return true
		})
	} else {
		r.Nodes = board.Perft(pos, o.depth)
	}
	r.Seconds = time.Since(start).Seconds()
	r.NPS = float64(r.Nodes) / max(r.Seconds, 1e-9)
	return r
}
