package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/cpu"

	"tesla/engine"
	"tesla/models"
	"tesla/nnue"
)

// commit is the revision that the program was built from, shortened, with + where the tree was changed; "unknown"
// where the build does not say.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			revision = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return revision + changed
}

func versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print commit, compiler, machine kind and CPU path", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			kernel, err := nnue.Kernel()
			fmt.Fprintf(c.OutOrStdout(), "tesla %s %s %s/%s %s\n", commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH, kernel)
			return err
		}}
}

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
}

type doctorBackend struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Text string `json:"text"`
}

type doctorOptions struct{ json bool }

func doctorCommand() *cobra.Command {
	return command(&cobra.Command{Use: "doctor", Short: "say what works here: commit, processor, net, each backend with its reason"},
		&doctorOptions{})
}

func (o *doctorOptions) AddFlags(f *pflag.FlagSet) { jsonFlag(f, &o.json) }

func (o *doctorOptions) Validate([]string) error { return nil }

func (o *doctorOptions) Run(c *cobra.Command) error {
	net, err := models.Default()
	if err != nil {
		return fmt.Errorf("the embedded net: %w", err)
	}
	r := doctorResult{Commit: commit(), Go: runtime.Version(), CPU: runtime.GOOS + "/" + runtime.GOARCH + cpuFeatures(),
		Cores: runtime.NumCPU(), Net: net.Name, Model: net.ShortHash()}
	for _, s := range engine.Probe() {
		r.Backends = append(r.Backends, doctorBackend{s.Name, s.OK, s.Text})
	}
	out := c.OutOrStdout()
	if o.json {
		return printJSON(out, r)
	}
	fmt.Fprintf(out, "commit   %s\ngo       %s\ncpu      %s, %d cores\nnet      %s %s\n", r.Commit, r.Go, r.CPU, r.Cores, r.Net, r.Model)
	for _, b := range r.Backends {
		state := "no"
		if b.OK {
			state = "ok"
		}
		fmt.Fprintf(out, "%-8s %s  %s\n", b.Name, state, b.Text)
	}
	return nil
}
