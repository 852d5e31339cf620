package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tesla/board"
	"tesla/tablebase/tabletest"
)

// What tables say of wins near the end of the fifty moves, through the real session, for each searcher. By Syzygy tables the
// pawn of the position moves in 5 plies, by Gaviota tables it mates in 39.
func TestTablesAndClock(t *testing.T) {
	dir, mates := tabletest.Folder(t), "../../tablebase/gaviota/testdata/gtb4"
	g := tablesGUI(t)
	for _, name := range searchers {
		g.say("setoption name Search value %s", name)
		for _, c := range []struct {
			syzygy, gaviota bool
			clock           int
			kind            string
			score           int // 0: any that decides nothing
		}{
			{false, true, 0, "mate", 20},
			{false, true, 90, "mate", 20}, // moves that are tried out show that the pawn moves in time
			{false, true, 96, "cp", 0},
			{true, true, 90, "mate", 20},
			{true, true, 96, "cp", 1},
			{true, false, 94, "cp", 19995},
			{true, false, 95, "cp", 0}, // at the end of the clock, or one ply later
			{true, false, 96, "cp", 1},
		} {
			for option, path := range map[string]string{"SyzygyPath": dir, "GaviotaTbPath": mates} {
				if option == "SyzygyPath" && !c.syzygy || option == "GaviotaTbPath" && !c.gaviota {
					path = "<empty>"
				}
				g.say("setoption name %s value %s", option, path)
			}
			g.say("ucinewgame")
			g.ready()
			fen := fmt.Sprintf("8/4k3/8/8/8/4K3/3P4/8 w - - %d 80", c.clock)
			lines, complaints := g.search("fen "+fen, "nodes 200")
			x := lines[1]
			if x.kind != c.kind || c.score != 0 && x.score != c.score || c.score == 0 && x.decided() || len(complaints) > 0 {
				t.Errorf("%s, %+v: %+v, %q", name, c, x, complaints)
			}
			if x.kind == "mate" || x.score > 19000 {
				at := x.follow(t, tabletest.Position(t, fen))
				if x.kind == "mate" && at.Outcome() != board.Checkmate || x.kind == "cp" && (len(at.Moves) != 20000-x.score || at.Pos.Halfmove != 0) {
					t.Errorf("%s, %+v: the line %s", name, c, x.line)
				}
			}
		}
	}
}

// A score by tables tells after how many plies its line comes to a position that they know.
func TestTableLines(t *testing.T) {
	g := tablesGUI(t, "SyzygyPath value "+tabletest.Folder(t))
	const players = "QRBNPqrbnp"
	for _, name := range searchers {
		g.say("setoption name Search value %s", name)
		r, found := rand.New(rand.NewPCG(4, 1)), 0
		for done := 0; done < 12; {
			p, ok := randomPosition(r, "Kk"+string(players[r.IntN(10)])+string(players[r.IntN(10)]))
			if !ok || !p.HasLegalMove() {
				continue
			}
			done++
			g.say("ucinewgame")
			g.ready()
			limit := "nodes 3000"
			if name == "bestfirst" || name == "puct" {
				limit = "evals 300"
			}
			g.watch("fen "+p.FEN(false), limit, func(x scored) {
				if x.kind != "cp" || !x.decided() || x.bound {
					return
				}
				found++
				short := x
				words := strings.Fields(x.line)
				short.line = strings.Join(words[:min(len(words), 20000-max(x.score, -x.score))], " ")
				at := short.follow(t, p)
				if len(at.Moves) != 20000-max(x.score, -x.score) || at.Pos.Halfmove != 0 || at.Pos.Occupied().Count() > 3 {
					t.Errorf("%s, %s: cp %d, %s", name, p.FEN(false), x.score, x.line)
				}
			})
		}
		if found < 8 {
			t.Errorf("%s: %d scores by tables", name, found)
		}
	}
}

// randomPosition puts men on random squares, with either side to move and a clock of 0 or 60; false where it is illegal.
func randomPosition(r *rand.Rand, men string) (board.Position, bool) {
	var squares [64]rune
	for i, at := range r.Perm(64)[:len(men)] {
		squares[at] = rune(men[i])
	}
	var fen strings.Builder
	for i, man := range squares {
		if i > 0 && i%8 == 0 {
			fen.WriteByte('/')
		}
		if man == 0 {
			man = '1'
		}
		fen.WriteRune(man)
	}
	p, err := board.ParseFEN(fmt.Sprintf("%s %c - - %d 70", fen.String(), "wb"[r.IntN(2)], 60*r.IntN(2)))
	return p, err == nil
}
