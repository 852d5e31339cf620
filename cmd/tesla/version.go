package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/engine"
	"tesla/lab/doctor"
	"tesla/nnue"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print version, commit, compiler, machine kind and CPU path", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			kernel, err := nnue.Kernel()
			fmt.Fprintf(c.OutOrStdout(), "tesla %s, commit %s, %s %s/%s %s\n", engine.Version(), engine.Commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel)
			return err
		}}
}

type doctorOptions struct{ json, verify bool }

func doctorCommand() *cobra.Command {
	return command(&cobra.Command{Use: "doctor", Short: "say what works here: commit, processor, net, each backend with its reason"},
		&doctorOptions{})
}

func (o *doctorOptions) AddFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.verify, "verify", false, "also compare each backend that opens with a float reference of its net on 32 positions; "+
		"exit code 1 if a difference is above the tolerance")
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
		wrong = r.Verify(doctor.Open)
	}
	if o.json {
		err = printJSON(c.OutOrStdout(), r)
	} else {
		_, err = fmt.Fprint(c.OutOrStdout(), r)
	}
	return errors.Join(err, wrong)
}
