package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"tesla/internal/output"
)

// readFlags sets the flags that a file names, one a line, "name value" without dashes, where the command line does not set
// them. A value may be in quotation marks. Empty lines and lines that begin with # are skipped. A flag that may be repeated,
// such as player, has several lines. The error names the line.
func readFlags(path string, f *pflag.FlagSet) error {
	in, err := output.OpenRegular(path)
	if err != nil {
		return err
	}
	defer in.Close()
	given := map[string]bool{"config": true}
	f.Visit(func(g *pflag.Flag) { given[g.Name] = true })
	seen := map[string]bool{}
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		name, value, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if name == "" || name[0] == '#' {
			continue
		}
		if err := setFlag(f, name, unquoted(strings.TrimSpace(value)), given, seen); err != nil {
			return fmt.Errorf("%s: line %d: %w", path, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// unquoted is a value without the quotation marks that it is written in, as for a shell. Those of a part of it stay, and so do those
// that keep the commas of a player's only key together: "option.Server=a:1,b:1".
func unquoted(value string) string {
	end := len(value) - 1
	if end <= 0 || value[0] != '"' && value[0] != '\'' || strings.IndexByte(value[1:], value[0]) != end-1 {
		return value
	}
	inside := value[1:end]
	for part := range strings.SplitSeq(inside, ",") {
		if strings.Contains(inside, "=") && !strings.Contains(part, "=") {
			return value
		}
	}
	return inside
}

// setFlag sets a flag, unless it was given on the command line.
func setFlag(f *pflag.FlagSet, name, value string, given, seen map[string]bool) error {
	flag := f.Lookup(name)
	switch {
	case flag == nil || name == "config" || name == "help":
		return fmt.Errorf("no setting %q: want the name of a flag of tesla match, such as player, tc or games", name)
	case given[name]:
		return nil
	case seen[name] && flag.Value.Type() != "stringArray":
		return fmt.Errorf("%s is given twice", name)
	case value == "":
		if value = flag.NoOptDefVal; value == "" {
			return fmt.Errorf("%s: want a value behind it", name)
		}
	}
	seen[name] = true
	if err := f.Set(name, value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
