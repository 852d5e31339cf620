package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/doctor"
	"tesla/lab/oracle"
	"tesla/nnue"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print version, commit, compiler, machine kind and CPU path", Args: checkArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			fmt.Fprintln(c.OutOrStdout(), versionText())
			_, err := nnue.Kernel()
			return err
		}}
}

func versionText() string {
	kernel, _ := nnue.Kernel() // tesla version tells of its error
	return fmt.Sprintf("tesla %s, commit %s, %s %s/%s %s", engine.Version(), engine.Commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel)
}

type doctorOptions struct{ json, verify bool }

func doctorCommand() *cobra.Command {
	return command(&cobra.Command{Use: "doctor", Short: "say what works here: commit, processor, net, each backend with its reason"},
		&doctorOptions{})
}

func (o *doctorOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.verify, "verify", false, "also compare each backend that opens with a float reference of its net on 32 positions, and the "+
		"rules with those of another program; exit code 1 where something differs")
	jsonFlag(f, &o.json)
}

func (o *doctorOptions) Validate([]string) error { return nil }

func (o *doctorOptions) Run(c *cobra.Command) error {
	r, err := doctor.Examine(engine.Commit())
	if err != nil {
		return err
	}
	var wrong error
	if o.verify {
		wrong = r.Verify(doctor.Open, oracle.Tesla())
	}
	if o.json {
		err = printJSON(c.OutOrStdout(), r)
	} else {
		_, err = fmt.Fprint(c.OutOrStdout(), r)
	}
	return errors.Join(err, wrong)
}
