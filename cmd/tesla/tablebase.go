package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/tablebase"
	"tesla/tablebase/syzygy/generate"
)

func tablebaseCommand() *cobra.Command {
	c := &cobra.Command{Use: "tablebase", Short: "probe, check and generate Syzygy endgame tables, probe and check Gaviota ones", Args: checkArguments,
		RunE: needCommand}
	c.AddCommand(
		command(&cobra.Command{Use: "probe [FEN]", Short: "print what the tables know of a position",
			Example: "  tesla tablebase probe --syzygy tables \"8/8/8/3k4/8/8/3KP3/8 w - - 0 1\""}, &probeOptions{}),
		command(&cobra.Command{Use: "check FOLDER", Short: "list the bad tables of a folder", Example: "  tesla tablebase check tables"},
			&checkOptions{}),
		command(&cobra.Command{Use: "gen", Short: "generate tables of three or four pieces", Example: "  tesla tablebase gen --pieces 3 --out tables"},
			&genOptions{}))
	return c
}

type probeOptions struct {
	positionFlags
	syzygy, gaviota string
	json            bool
}

func (o *probeOptions) AddFlags(f *pflag.FlagSet) {
	o.add(f)
	f.StringVar(&o.syzygy, "syzygy", "", "folders of Syzygy tables, separated as in PATH")
	f.StringVar(&o.gaviota, "gaviota", "", "folders of Gaviota tables (distance to mate), separated as in PATH")
	jsonFlag(f, &o.json)
}

func (o *probeOptions) Validate(args []string) error {
	if o.syzygy == "" && o.gaviota == "" {
		return errors.New("neither --syzygy nor --gaviota")
	}
	return o.parse(args)
}

func (o *probeOptions) Run(c *cobra.Command) error {
	tables, bad := tablebase.Open(tablebase.Paths{Syzygy: o.syzygy, Gaviota: o.gaviota})
	for _, err := range bad {
		o.repairs = append(o.repairs, err.Error())
	}
	tellNotes(c, o.repairs)
	r, err := tables.Probe(&o.position)
	if err = errors.Join(err, tables.Close()); err != nil {
		return err
	}
	return printResult(c, r, o.json)
}

type checkOptions struct {
	folder string
	json   bool
}

func (o *checkOptions) AddFlags(f *pflag.FlagSet) { jsonFlag(f, &o.json) }

func (o *checkOptions) Validate(args []string) error {
	o.folder = args[0]
	return nil
}

func (o *checkOptions) Run(c *cobra.Command) error {
	r, err := tablebase.CheckFolder(o.folder)
	if err == nil {
		err = printResult(c, r, o.json)
	}
	if err == nil && len(r.Bad) > 0 {
		err = fmt.Errorf("tablebase: %d of %d tables are bad", len(r.Bad), r.Files)
	}
	return err
}

type genOptions struct {
	pieces int
	out    string
}

func (o *genOptions) AddFlags(f *pflag.FlagSet) {
	f.IntVar(&o.pieces, "pieces", 3, "generate the tables of up to this many pieces: 3 or 4")
	f.StringVar(&o.out, "out", "", "folder for the tables; those that are there already are kept")
}

func (o *genOptions) Validate([]string) error {
	if o.out == "" || o.pieces < 3 || o.pieces > generate.MaxPieces {
		return fmt.Errorf("want --out and --pieces 3 to %d", generate.MaxPieces)
	}
	return nil
}

func (o *genOptions) Run(c *cobra.Command) error {
	return generate.Run(c.Context(), o.out, o.pieces, func(name string) { fmt.Fprintln(c.OutOrStdout(), name) })
}
