package pgn_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tesla/board"
	"tesla/lab/match/pgn"
)

// TestOdd reads 200 odd files, and what is written of them, as what they hold.
func TestOdd(t *testing.T) {
	for seed := range uint64(200) {
		f := Odd(seed)
		games := pgn.ReadAnnotated(f.Data)
		if err := f.Check(games); err != nil {
			t.Errorf("seed %d, %s: %v in\n%q", seed, f.Kind, err, f.Data)
			continue
		}
		var written strings.Builder
		for _, g := range games {
			written.WriteString(g.Text())
		}
		if err := f.Check(pgn.ReadAnnotated(written.String())); err != nil {
			t.Errorf("seed %d: %v in\n%s", seed, err, written.String())
		}
		lines, _ := pgn.ReadLines(f.Data, 0)
		playable := 0
		for _, g := range f.Games {
			if want, ok := lineOf(&g); ok {
				if playable >= len(lines) || !slices.Equal(lines[playable].Moves, want) {
					t.Errorf("seed %d: another line than %d moves", seed, len(want))
				}
				playable++
			}
		}
		if len(lines) != playable {
			t.Errorf("seed %d: %d lines, want %d", seed, len(lines), playable)
		}
	}
}

// lineOf is the line of a game as ReadLines cuts it: before the move that ends the game. There is none with a null move in it.
func lineOf(g *Game) (moves []board.Move, ok bool) {
	played := board.NewGame(g.Start)
	for i, m := range g.Moves {
		if m == board.NullMove {
			return nil, false
		}
		if played.Play(m); played.Outcome() != board.Ongoing {
			return g.Moves[:i], true
		}
	}
	return g.Moves, true
}

// Variations within one another are read down to a depth, and in time.
func TestDeepVariations(t *testing.T) {
	for _, c := range []struct {
		levels int
		err    string
	}{{1000, ""}, {20_000, "line 1, move 1... of a variation: more than 1000 variations within one another"}} {
		begun := time.Now()
		games := pgn.ReadAnnotated("1. e4 " + strings.Repeat("(1. d4 ", c.levels) + strings.Repeat(") ", c.levels) + "e5 *\n")
		if len(games) != 1 || (games[0].Err == nil) != (c.err == "") || c.err != "" && games[0].Err.Error() != c.err || len(games[0].Moves) != 2 {
			t.Errorf("%d levels: %d games, %v", c.levels, len(games), games[0].Err)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("%d levels took %v", c.levels, took)
		}
	}
}
