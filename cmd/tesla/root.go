package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tesla/batcher"
	"tesla/engine"
	"tesla/internal/output"
	"tesla/lab/journal"
	"tesla/lab/watchdog"
	"tesla/models"
	"tesla/uci/option"
)

// Exit codes, a contract with scripts.
const (
	exitDone    = 0
	exitFailure = 1 // a file that is not there is a failure in all commands
	exitUsage   = 2
)

// usageError is an error in what the user asked for, as opposed to a failure to do it.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// options are the flags of one command, and what it does.
type options interface {
	AddFlags(f *pflag.FlagSet)
	// Validate reports all that is wrong with flags and arguments, joined: a usage error. It opens no net and no file.
	Validate(args []string) error
	Run(c *cobra.Command) error
}

// endTime is how long a command may take to end after a signal. What waits for a device or a file is then abandoned.
const endTime = 4 * time.Second

// command gives a command its flags and has it validate them before it runs. Its arguments are those that c.Use names. An
// interrupt or SIGTERM ends the command's context, and a second one ends the program at once.
func command(c *cobra.Command, o options) *cobra.Command {
	c.Args = checkArguments
	o.AddFlags(c.Flags())
	completeChoices(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := o.Validate(args); err != nil {
			return usage("%s: %w", nameOf(c), err)
		}
		ctx, stop := interruptible(c)
		defer stop()
		context.AfterFunc(ctx, stop)
		c.SetContext(ctx)
		_, err := watchdog.Call(ctx, endTime, func() (struct{}, error) { return struct{}{}, o.Run(c) }, nil)
		if ctx.Err() != nil && errors.Is(err, watchdog.ErrHang) {
			return fmt.Errorf("%s: interrupted; what it waited for did not end within %v", nameOf(c), endTime)
		}
		if errors.Is(err, journal.ErrRefused) {
			return usageError{err}
		}
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("%s: interrupted: %w", nameOf(c), err)
		}
		return err
	}
	return c
}

// completeChoices has shells complete the values of the flags that are one of a list.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if choice, ok := f.Value.(option.Choice); ok {
			// The only error is that of a flag that is missing or registered already.
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(choice.Of, cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// Groups of commands in the help.
const (
	groupPlay    = "play"
	groupMeasure = "measure"
	groupTrain   = "train"
)

// execute runs the command line and returns the exit code.
func execute(args []string, in io.Reader, out, errOut io.Writer) int {
	started := false
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	standard := output.NewStandard(out, cancel)
	root := &cobra.Command{
		Use:           "tesla",
		Short:         "Tesla, a chess engine with a best-first search on batched neural nets",
		Example:       "  tesla                                       speak UCI, for a GUI\n  tesla analyze --movetime 10s \"FEN\"          watch a search\n  tesla web --open                            the same in the browser, and play",
		Args:          checkArguments,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          runUCI,
		// An error before this is one of the command line.
		PersistentPreRun: func(*cobra.Command, []string) { started = true },
	}
	for _, g := range []struct {
		group    cobra.Group
		commands []*cobra.Command
	}{
		{cobra.Group{ID: groupPlay, Title: "Play and analyze:"}, []*cobra.Command{uciCommand(), analyzeCommand(), annotateCommand(), explainCommand(), puzzlesCommand(), webCommand(),
			evalCommand(), serveCommand(), tablebaseCommand()}},
		{cobra.Group{ID: groupMeasure, Title: "Measure and compare:"}, []*cobra.Command{perftCommand(), benchCommand(), backendbenchCommand(),
			speedupCommand(), matchCommand(), fleetCommand(), suiteCommand(), regretCommand(), siblingsCommand()}},
		{cobra.Group{ID: groupTrain, Title: "Make training data and fit models:"}, []*cobra.Command{datagenCommand(), calibrateCommand()}},
	} {
		root.AddGroup(&g.group)
		for _, c := range g.commands {
			c.GroupID = g.group.ID
			root.AddCommand(c)
		}
	}
	root.AddCommand(versionCommand(), doctorCommand(), manCommand())
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(standard)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if lost := standard.Err(); lost != nil {
		err, started = lost, true
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(errOut, "tesla: %s\n", strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; "))
	var use usageError
	if missing := errors.Is(err, fs.ErrNotExist); !missing && (!started || errors.As(err, &use)) {
		return exitUsage
	}
	return exitFailure
}

// interruptible is a context that an interrupt or SIGTERM ends.
func interruptible(c *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
}

// tellNotes puts notes for the user on standard error.
func tellNotes(c *cobra.Command, notes []string) {
	for _, n := range notes {
		fmt.Fprintln(c.ErrOrStderr(), "tesla: "+n)
	}
}

// openSearcher opens a searcher, and puts notes about it on standard error after those that are given.
func openSearcher(c *cobra.Command, set engine.Settings, notes ...string) (*engine.Searcher, error) {
	s, more, err := engine.Open(set)
	tellNotes(c, append(notes, more...))
	return s, err
}

// closeSearcher closes a searcher after its last use has returned err, unless it hangs.
func closeSearcher(s *engine.Searcher, err error) error {
	if errors.Is(err, watchdog.ErrHang) {
		return err
	}
	return errors.Join(err, s.Close())
}

// openBackend is openSearcher for a backend and its net.
func openBackend(c *cobra.Command, set engine.Settings, opts batcher.Options, notes ...string) (batcher.Backend, models.Net, error) {
	b, net, more, err := engine.OpenBackend(set, opts)
	tellNotes(c, append(notes, more...))
	return b, net, err
}

func printResult(c *cobra.Command, r fmt.Stringer, asJSON bool) error {
	if asJSON {
		return printJSON(c.OutOrStdout(), r)
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), r)
	return err
}

func printJSON(w io.Writer, v any) error {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}
