package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"tesla/batcher"
	engines "tesla/engine"
	"tesla/lab/verify"
	"tesla/models"
	"tesla/uci"
)

// cpuFeatures are the vector instructions that nets profit from, as far as this processor has them.
func cpuFeatures() (names string) {
	for _, f := range []struct {
		name string
		have bool
	}{
		{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512", cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW},
		{"avx512-vnni", cpu.X86.HasAVX512VNNI}, {"amx-int8", cpu.X86.HasAMXInt8}, {"asimd", cpu.ARM64.HasASIMD},
		{"asimd-dotprod", cpu.ARM64.HasASIMDDP},
	} {
		if f.have {
			names += " " + f.name
		}
	}
	return names
}

type doctorResult struct {
	Commit   string          `json:"commit"`
	Go       string          `json:"go"`
	CPU      string          `json:"cpu"`
	Cores    int             `json:"cores"`
	Net      string          `json:"net"`
	Model    string          `json:"model"`
	Backends []doctorBackend `json:"backends"`
	Verified []verify.Report `json:"verified,omitempty"`
}

type doctorBackend struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	json, verify bool
	open         func(name string) (batcher.Backend, models.Net, error) // tests open backends that lie
}

func doctorCommand() *cobra.Command {
	o := doctorOptions{open: func(name string) (batcher.Backend, models.Net, error) {
		b, net, _, err := engines.OpenBackend(uci.Settings{Backend: name}, batcher.Options{})
		return b, net, err
	}}
	c := &cobra.Command{Use: "doctor", Short: "say what works here: commit, processor, net, each backend with its reason", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.OutOrStdout()) }}
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	c.Flags().BoolVar(&o.verify, "verify", false, "also compare each backend that opens with a float reference of its net on 32 positions; "+
		"exit code 1 where a difference is above the tolerance")
	return c
}

func (o *doctorOptions) run(out io.Writer) error {
	net, err := models.Default()
	if err != nil {
		return err
	}
	r := doctorResult{Commit: commit(), Go: runtime.Version(), CPU: runtime.GOOS + "/" + runtime.GOARCH + cpuFeatures(),
		Cores: runtime.NumCPU(), Net: net.Name, Model: net.ShortHash()}
	for _, s := range engines.Probe() {
		r.Backends = append(r.Backends, doctorBackend{s.Name, s.OK, s.Text})
	}
	var wrong error
	if o.verify {
		wrong = r.verify(o.open)
	}
	if o.json {
		return errors.Join(printJSON(out, r), wrong)
	}
	r.print(out)
	return wrong
}

// verify compares every backend that works and has a net with its reference. It is an error if a difference is above the
// tolerance.
func (r *doctorResult) verify(open func(name string) (batcher.Backend, models.Net, error)) error {
	var errs []error
	for _, b := range r.Backends {
		if !b.OK || b.Name == "mock" {
			continue
		}
		report, err := verifyOne(b.Name, open)
		if err != nil {
			errs = append(errs, fmt.Errorf("doctor: backend %s: %w", b.Name, err))
			continue
		}
		r.Verified = append(r.Verified, report)
		if !report.OK {
			errs = append(errs, fmt.Errorf("doctor: backend %s differs from the reference by more than the tolerance", b.Name))
		}
	}
	return errors.Join(errs...)
}

func verifyOne(name string, open func(name string) (batcher.Backend, models.Net, error)) (verify.Report, error) {
	b, net, err := open(name)
	if err != nil {
		return verify.Report{}, err
	}
	report, err := verify.Compare(b, net)
	return report, errors.Join(err, b.Close())
}

// print writes the result as lines.
func (r *doctorResult) print(out io.Writer) {
	fmt.Fprintf(out, "commit   %s\ngo       %s\ncpu      %s, %d cores\nnet      %s %s\n", r.Commit, r.Go, r.CPU, r.Cores, r.Net, r.Model)
	for _, b := range r.Backends {
		state := "no"
		if b.OK {
			state = "ok"
		}
		fmt.Fprintf(out, "%-8s %s  %s\n", b.Name, state, b.Text)
	}
	for i := range r.Verified {
		fmt.Fprintf(out, "verify   %s\n", r.Verified[i].String())
	}
}
