package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flag has one name and one unit in all commands: --movetime is a time everywhere, --nodes a whole number.
func TestFlagsMeanOneThing(t *testing.T) {
	several := map[string]string{
		"from":    "annotate: the number of a move; else a file",
		"player":  "datagen: one, as the name in annotate; else several",
		"search":  "suite: several; else one",
		"threads": "speedup: several numbers; else one",
	}
	types := map[string]string{}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			kind := f.Value.Type()
			if kind == "int64" {
				kind = "int"
			}
			if was, known := types[f.Name]; known && was != kind && several[f.Name] == "" {
				t.Errorf("%s --%s takes %s, another command %s", c.CommandPath(), f.Name, kind, was)
			}
			types[f.Name] = kind
		})
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	for _, c := range []*cobra.Command{uciCommand(), analyzeCommand(), annotateCommand(), puzzlesCommand(), webCommand(), evalCommand(), serveCommand(), tablebaseCommand(),
		perftCommand(), benchCommand(), backendbenchCommand(), speedupCommand(), matchCommand(), fleetCommand(), suiteCommand(), regretCommand(),
		siblingsCommand(), datagenCommand(), calibrateCommand(), doctorCommand(), manCommand()} {
		visit(c)
	}
	for _, name := range []string{"movetime", "timemargin", "starttime", "time"} {
		if types[name] != "duration" {
			t.Errorf("--%s takes %s, want a time with its unit", name, types[name])
		}
	}
}
