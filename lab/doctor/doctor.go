// Package doctor says what of the program works on a machine: the processor's instructions, the embedded net, and each
// backend with the reason why it cannot be opened.
package doctor

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"

	"tesla/batcher"
	"tesla/engine"
	"tesla/lab/oracle"
	"tesla/lab/verify"
	"tesla/models"
)

// Report is what was found.
type Report struct {
	Commit   string          `json:"commit"` // of the program
	Go       string          `json:"go"`
	CPU      string          `json:"cpu"`
	Cores    int             `json:"cores"`
	Net      string          `json:"net"` // embedded
	Model    string          `json:"model"`
	Backends []engine.Status `json:"backends"`
	Verified []verify.Report `json:"verified,omitempty"`
	Rules    *oracle.Report  `json:"rules,omitempty"`
}

// Examine tries everything. It fails if the embedded net cannot be read.
func Examine(commit string) (*Report, error) {
	net, err := models.Default()
	if err != nil {
		return nil, fmt.Errorf("the embedded net: %w", err)
	}
	return &Report{Commit: commit, Go: runtime.Version(), CPU: runtime.GOOS + "/" + runtime.GOARCH + features(), Cores: runtime.NumCPU(),
		Net: net.Name, Model: net.ShortHash(), Backends: engine.Probe()}, nil
}

// Open opens a backend on an embedded net.
func Open(name string) (batcher.Backend, models.Net, error) {
	set := engine.Default()
	set.Backend = name
	b, net, _, err := engine.OpenBackend(set, batcher.Options{})
	return b, net, err
}

// Verify compares every backend that works and has a net with a float reference of the net, and the rules with those of another
// program. A difference above the tolerance is an error, and so is one of the rules.
func (r *Report) Verify(open verify.Opener, rules oracle.Rules) (err error) {
	var names []string
	for _, b := range r.Backends {
		if b.OK && b.Name != "mock" {
			names = append(names, b.Name)
		}
	}
	r.Verified, err = verify.All(names, open)
	var wrong error
	if r.Rules, wrong = oracle.Run(rules, 1); wrong == nil {
		wrong = r.Rules.Err()
	}
	return errors.Join(err, wrong)
}

// features are the vector instructions of this processor that nets profit from, each after a blank.
func features() (names string) {
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

// String is the report as lines.
func (r *Report) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "commit   %s\ngo       %s\ncpu      %s, %d cores\nnet      %s %s\n", r.Commit, r.Go, r.CPU, r.Cores, r.Net, r.Model)
	for _, b := range r.Backends {
		state := "no"
		if b.OK {
			state = "ok"
		}
		fmt.Fprintf(&out, "%-8s %s  %s\n", b.Name, state, b.Text)
	}
	for i := range r.Verified {
		fmt.Fprintf(&out, "verify   %s\n", r.Verified[i].String())
	}
	if r.Rules != nil {
		fmt.Fprintf(&out, "rules    %v\n", r.Rules)
	}
	return out.String()
}
