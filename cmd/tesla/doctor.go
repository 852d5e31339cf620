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
	open         verify.Opener // tests open backends that lie
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
	var names []string
	for _, s := range engines.Probe() {
		r.Backends = append(r.Backends, doctorBackend{s.Name, s.OK, s.Text})
		if s.OK && s.Name != "mock" { // which has no net
			names = append(names, s.Name)
		}
	}
	var wrong error
	if o.verify {
		r.Verified, wrong = verify.All(names, o.open)
	}
	if o.json {
		return errors.Join(printJSON(out, r), wrong)
	}
	r.print(out)
	return wrong
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
