package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tesla/board"
	"tesla/uci"
)

func uciCommand() *cobra.Command {
	return &cobra.Command{Use: "uci", Short: "speak the UCI protocol on standard input and output (the default)",
		Args: cobra.NoArgs, RunE: runUCI}
}

func runUCI(c *cobra.Command, _ []string) (err error) {
	e := &engine{fallback: true, notices: make(chan string, 16)}
	defer func() { err = errors.Join(err, e.Close()) }()
	return uci.Loop(c.InOrStdin(), c.OutOrStdout(), uci.Config{
		Name: "Tesla " + commit(), Author: "the Tesla developers", Settings: defaultSettings(),
		Searches: searches, Backends: backends(), Open: e.open, Notices: e.notices,
		Eval: func(set uci.Settings, pos *board.Position, chess960 bool) ([]string, error) {
			b, err := e.evaluator(set)
			if err != nil {
				return nil, err
			}
			rows, err := evaluate(b, []board.Position{*pos}, chess960)
			if err != nil {
				return nil, err
			}
			return strings.Split(rows[0].String(), "\n"), nil
		},
		Bench: func(ctx context.Context, set uci.Settings) ([]string, error) {
			r, err := bench(ctx, set, benchLimits(0, 0, benchEvals), nil)
			if err != nil {
				return nil, err
			}
			return []string{fmt.Sprintf("signature %d", r.Signature), r.last()}, nil
		},
	})
}
