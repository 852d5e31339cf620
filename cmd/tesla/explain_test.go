package main

import (
	"strings"
	"testing"
)

// TestExplainCommand checks the contract with scripts: where the position comes from, exit codes and errors.
func TestExplainCommand(t *testing.T) {
	_, file := written(t)
	game := file("game.pgn", "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 Qh4 3. a3 *\n")
	const (
		fen     = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
		castles = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
		losing  = "8/8/8/8/8/2k5/3r4/3K4 w - - 0 1" // Kc1 is mated in three
	)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--move", "a3", fen, "--search", "lazysmp", "--nodes", "20000"}, exitDone, "lazysmp chooses Nxh4"},
		{[]string{"--move", "a2a3", fen, "--search", "bestfirst", "--evals", "30", "--json"}, exitDone, `"choice":{"move":"Nxh4"`},
		{[]string{"--pgn", game, "--ply", "5", "--search", "lazysmp", "--nodes", "20000"}, exitDone, "a3: "},
		{[]string{"--pgn", game, "--ply", "5", "--move", "Nxh4", "--search", "lazysmp", "--nodes", "20000"}, exitDone, "Nxh4 is the move that it chooses"},
		{[]string{"--move", "O-O", "--chess960", "--json", castles, "--search", "lazysmp", "--nodes", "2000"}, exitDone, `"uci":"e1h1"`},
		{[]string{"--move", "Kc1", losing, "--search", "lazysmp", "--nodes", "1500"}, exitDone, "a decided game has no score in pawns"},
		{[]string{"--move", "a3", castles, "--search", "bestfirst", "--evals", "1"}, exitDone, "no evaluation was spent on it yet"},
		{[]string{"--move", "Nf6", fen}, exitUsage, `move "Nf6": no legal move fits in ` + fen},
		{[]string{"--move", "e7e5", fen}, exitUsage, `move "e7e5": `},
		{[]string{fen}, exitUsage, "no --move"},
		{[]string{"--pgn", game, "--ply", "5", "--move", "Ke3"}, exitFailure, `move "Ke3": no legal move fits in ` + fen},
		{[]string{"--pgn", game, "--ply", "6"}, exitFailure, "has 5 plies, no ply 6"},
		{[]string{"--pgn", game, "--game", "2"}, exitFailure, "1 games, no game 2"},
		{[]string{"--ply", "5", "--move", "a3", fen}, exitUsage, "--game and --ply without --pgn"},
		{[]string{"--pgn", "/dev/zero"}, exitFailure, "/dev/zero is not a regular file"},
		{[]string{"--move", "a3", fen, "--movetime", "0s"}, exitUsage, "0s, want more than zero"},
		{[]string{"--pgn", game, fen}, exitUsage, "two positions, want one"},
		{[]string{"--move", "Ra8", "R5k1/5ppp/8/8/8/8/6PP/6K1 b - - 0 1"}, exitUsage, "the game is over here"},
	} {
		code, out, errOut := run(t, "", append([]string{"explain", "--backend", "nnue", "--threads", "1"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.want) {
			t.Errorf("%q: code %d\n%s%s\nwant %d, %s", c.args, code, out, errOut, c.code, c.want)
		}
	}
}
