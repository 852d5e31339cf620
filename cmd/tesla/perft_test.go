package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"tesla/board"
	"tesla/lab/oracle"
)

func TestPerft(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"perft", "4"}, "perft 4: 197281 nodes"},
		{[]string{"perft", "0"}, "perft 0: 1 nodes"},
		{[]string{"perft", "3", "--fen", kiwipete}, "perft 3: 97862 nodes"},
		{[]string{"perft", "2", "--fen", kiwipete, "--divide"}, "e1g1: 43\n"},
		{[]string{"perft", "2", "--fen", kiwipete, "--divide", "--chess960"}, "e1h1: 43\n"},
		{strings.Fields("perft 3 " + kiwipete), "perft 3: 97862 nodes"},
		{[]string{"perft", "3", kiwipete}, "perft 3: 97862 nodes"},
		{[]string{"perft", "3", "--json"}, `"depth":3,"nodes":8902,"seconds":`},
		{[]string{"perft", "2", kiwipete, "--oracle", "--json"}, `"oracle":2039,`},
	} {
		code, out, errOut := run(t, "", c.args...)
		if code != exitDone || !strings.Contains(out, c.want) || errOut != "" {
			t.Errorf("%q: code %d, %q, %q; want %q", c.args, code, out, errOut, c.want)
		}
	}
}

// A rule that another program has otherwise is a failure that names the position and both answers, behind what was counted.
func TestPerftOracle(t *testing.T) {
	o := &perftOptions{rules: oracle.Tesla()}
	o.rules.Moves = func(p *board.Position) []board.Move {
		return slices.DeleteFunc(p.LegalMoves(nil), func(m board.Move) bool { return m.IsCastling() && p.Black })
	}
	o.rules.Count = func(p *board.Position, depth int) (n uint64) { // of moves without Black's castling
		if depth == 0 {
			return 1
		}
		for _, m := range o.rules.Moves(p) {
			next := p.After(m)
			n += o.rules.Count(&next, depth-1)
		}
		return n
	}
	var out strings.Builder
	c := command(&cobra.Command{Use: "perft DEPTH [FEN]", SilenceUsage: true, SilenceErrors: true}, o)
	c.SetArgs([]string{"2", kiwipete, "--oracle"})
	c.SetOut(&out)
	err := c.ExecuteContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "2039 by the other program: moves in r3k2r/") ||
		!strings.Contains(err.Error(), "here nothing else, by the other program e8c8 O-O-O, e8g8 O-O") || errors.As(err, new(usageError)) {
		t.Errorf("%v", err)
	}
	if !strings.HasPrefix(out.String(), "perft 2: ") {
		t.Error(out.String())
	}
}
