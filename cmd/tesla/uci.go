package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/bench"
	"tesla/search"
	"tesla/uci"
)

func uciCommand() *cobra.Command {
	return &cobra.Command{Use: "uci", Short: "speak the UCI protocol on standard input and output (the default)",
		Args: checkArguments, RunE: runUCI}
}

// uciEngine is the engine of a session, whose options set the settings.
type uciEngine struct {
	*engine.Engine
	set engine.Settings
}

// Open implements uci.Engine.
func (e *uciEngine) Open(hurried bool) (search.Searcher, []string, error) {
	s, notes, err := e.Engine.Open(e.set, hurried)
	if err != nil {
		return nil, notes, err
	}
	return s, notes, nil
}

func runUCI(c *cobra.Command, _ []string) (err error) {
	e := &uciEngine{engine.NewFallback(), defaultSettings()}
	defer func() { err = errors.Join(err, e.Close()) }()
	return uci.Loop(c.InOrStdin(), c.OutOrStdout(), uci.Config{
		Name: "Tesla " + engine.Version(), Author: "the Tesla developers", Options: e.set.Options(), Engine: e,
		Prompts: map[string]uci.Prompt{"eval": {OnBoard: true, Make: e.evalPrompt}, "bench": {Make: e.benchPrompt}},
	})
}

// evalPrompt says what the net makes of the position.
func (e *uciEngine) evalPrompt(pos board.Position, chess960 bool) func(context.Context) ([]string, error) {
	set := e.set
	return func(context.Context) ([]string, error) {
		found, err := e.Evaluate(set, &pos, chess960)
		if err != nil {
			return nil, err
		}
		return strings.Split(found.String(), "\n"), nil
	}
}

// benchPrompt runs the bench with the session's options.
func (e *uciEngine) benchPrompt(board.Position, bool) func(context.Context) ([]string, error) {
	set := e.set
	return func(ctx context.Context) ([]string, error) {
		r, err := bench.Run(ctx, set, search.Limits{Evals: bench.DefaultEvals}, nil)
		if err != nil {
			return nil, err
		}
		return strings.Split(r.String(), "\n"), nil
	}
}
