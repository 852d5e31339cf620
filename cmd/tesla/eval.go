package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/board"
	"tesla/engine"
	"tesla/tablebase"
)

type evalOptions struct {
	positionFlags
	set  engine.Settings
	epd  string
	json bool
}

// evalResult is what --json prints for each position.
type evalResult struct {
	engine.Evaluation
	Tables *tablebase.Result `json:"tables,omitempty"` // what endgame tables know of the position
	Commit string            `json:"commit"`
}

func evalCommand() *cobra.Command {
	return command(&cobra.Command{Use: "eval [FEN]", Short: "print what the net says of positions",
		Example: "  tesla eval \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"\n" +
			"  tesla eval --backend cpu --epd positions.epd --json"}, &evalOptions{set: defaultSettings()})
}

func (o *evalOptions) AddFlags(f *pflag.FlagSet) {
	settingsFlags(f, &o.set, "backend", "weights", "threads", "syzygy", "gaviota")
	o.add(f)
	f.StringVar(&o.epd, "epd", "", "file of positions, one EPD or FEN on each line; - reads standard input")
	f.BoolVar(&o.json, "json", false, "print one JSON object on each line")
}

func (o *evalOptions) Validate(args []string) error {
	if o.epd != "" && (o.fen != "" || len(args) > 0) {
		return errors.New("--epd and a FEN exclude each other")
	}
	if err := o.parse(args); err != nil {
		return err
	}
	return o.set.Validate()
}

func (o *evalOptions) Run(c *cobra.Command) (err error) {
	positions := []board.Position{o.position}
	if o.epd != "" {
		if positions, o.repairs, err = readEPD(o.epd, c.InOrStdin()); err != nil {
			return err
		}
	}
	b, _, err := openBackend(c, o.set, batcher.Options{}, o.repairs...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	known, bad := tablebase.Ask(o.set.Tables(), positions)
	if len(bad) > 0 {
		return errors.Join(bad...)
	}
	rows, err := engine.Evaluate(b, positions, o.chess960)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(c.OutOrStdout())
	for i := range rows {
		if o.json {
			err = printJSON(out, evalResult{rows[i], known[i], engine.Commit()})
		} else if _, err = fmt.Fprintln(out, rows[i].String()); err == nil && known[i] != nil {
			_, err = fmt.Fprintln(out, "  tables:", known[i])
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// readEPD reads positions from a file or, for "-", from in, and tells what it repaired.
func readEPD(name string, in io.Reader) ([]board.Position, []string, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, nil, fmt.Errorf("--epd: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, nil, fmt.Errorf("--epd: %w", err)
	}
	positions, repairs, err := board.ReadEPD(string(text))
	if err != nil {
		return nil, nil, usage("--epd %s: %w", name, err)
	}
	if len(positions) == 0 {
		return nil, nil, fmt.Errorf("--epd %s: no position", name)
	}
	return positions, repairs, nil
}
