package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

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
