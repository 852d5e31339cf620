package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tesla/board"
	"tesla/uci"
)

// Exit codes, a contract with scripts.
const (
	exitDone    = 0
	exitFailure = 1
	exitUsage   = 2
)

// usageError is an error in what the user asked for, as opposed to a failure to do it.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// execute runs the command line and returns the exit code.
func execute(args []string, in io.Reader, out, errOut io.Writer) int {
	started := false
	root := &cobra.Command{
		Use:           "tesla",
		Short:         "Tesla, a chess engine with a best-first search on batched neural nets",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          runUCI,
		// What fails before this is the command line's fault.
		PersistentPreRun: func(*cobra.Command, []string) { started = true },
	}
	root.AddCommand(uciCommand(), analyzeCommand(), perftCommand(), benchCommand(), evalCommand(), backendbenchCommand(), matchCommand(),
		speedupCommand(), calibrateCommand(), serveCommand(), datagenCommand(), regretCommand(), versionCommand(), doctorCommand())
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.Execute()
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(errOut, "tesla: %s\n", strings.TrimSpace(err.Error()))
	var use usageError
	if !started || errors.As(err, &use) {
		return exitUsage
	}
	return exitFailure
}

// settingsFlags adds the flags that choose and size a searcher, and returns where they are kept.
func settingsFlags(c *cobra.Command, names ...string) *uci.Settings {
	set := defaultSettings()
	for _, name := range names {
		switch name {
		case "search":
			c.Flags().StringVar(&set.Search, name, set.Search, "searcher: "+strings.Join(searches, ", "))
		case "backend":
			c.Flags().StringVar(&set.Backend, name, set.Backend, "evaluator: "+strings.Join(backends(), ", "))
			c.Flags().StringVar(&set.Server, "server", "", "that the backend remote asks: host:port, or host:port/model")
		case "weights":
			c.Flags().StringVar(&set.WeightsFile, name, "", "net file, or a folder of them: the strongest here (default: the embedded net)")
		case "threads":
			c.Flags().IntVar(&set.Threads, name, set.Threads, "threads that compute")
		case "search-options":
			c.Flags().StringVar(&set.SearchOptions, name, "", "words for the searcher, such as \"evidence=0 share=off\" for bestfirst, \"cpuct=1.5\" for puct, \"nullmove=off\" for alpha-beta")
		case "hash":
			c.Flags().IntVar(&set.Hash, name, set.Hash, "transposition table, MiB")
		}
	}
	return &set
}

// defaultSettings are those of the protocol, with a thread for each processor.
func defaultSettings() uci.Settings {
	set := uci.DefaultSettings()
	set.Threads = runtime.NumCPU()
	return set
}

// checkSettings finds what no searcher can be made from.
func checkSettings(set *uci.Settings) error {
	if set.Threads < 1 {
		return usage("--threads %d: at least 1 is needed", set.Threads)
	}
	if set.Hash < 1 {
		return usage("--hash %d: at least 1 is needed", set.Hash)
	}
	if err := oneOf("--search", set.Search, searches); err != nil {
		return err
	}
	if _, err := readSearchOptions(set.Search, set.SearchOptions, false); err != nil {
		return usage("--search-options: %w", err)
	}
	return oneOf("--backend", set.Backend, backends())
}

func oneOf(flag, value string, known []string) error {
	for _, k := range known {
		if k == value {
			return nil
		}
	}
	return usage("%s %q: want one of %s", flag, value, strings.Join(known, ", "))
}

// fenFlag adds --fen; an empty one means the initial position.
func fenFlag(c *cobra.Command) *string {
	return c.Flags().String("fen", "", "position, FEN or EPD (default: the initial position)")
}

func parseFEN(fen string) (board.Position, error) {
	if fen == "" {
		return board.StartPosition(), nil
	}
	pos, err := board.ParseEPD(fen)
	if err != nil {
		return pos, usage("--fen: %w", err)
	}
	return pos, nil
}

// printJSON writes v as one line.
func printJSON(w io.Writer, v any) error {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
