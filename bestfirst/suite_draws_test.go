package bestfirst

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
)

// White, a rook down, can draw by perpetual check, and must; with the extra rook on its side it must not repeat a
// position for the third time.
func repetition(t *testing.T, open opener) {
	for _, c := range []struct {
		g    *board.Game
		draw bool
	}{
		{gameOf(t, "6k1/6p1/8/7Q/8/8/qr6/7K w - - 0 1", "h5e8", "g8h7", "e8h5", "h7g8"), true},
		{gameOf(t, "6k1/5pp1/7p/8/8/1Q6/R7/7K w - - 0 1", "a2a3", "g8h7", "a3a2", "h7g8", "a2a3", "g8h7", "a3a4", "h7g8"), false},
	} {
		r := find(t, open(t, material{newMock(t)}, setup{}), c.g, search.Limits{Evals: 5000})
		best, after := c.g.Pos.UCI(r.Best, false), c.g.Clone()
		after.Play(r.Best)
		if c.draw && (best != "h5e8" || max(r.Info.Score.CP, -r.Info.Score.CP) > 60) || !c.draw && after.Outcome() != board.Ongoing {
			t.Errorf("%s, %+v: %v", best, r.Info.Score, after.Outcome())
		}
	}
}

// lostKing is a game in which black, with the bare king, can move it to where it was; white need not repeat.
var lostKing = []string{"d2c2", "f8e8", "c2d2"}

const lostKingFEN = "5k2/8/8/8/8/8/3Q4/4K3 w - - 0 1"

// A position that was played once is no draw the second time.
func playedOnce(t *testing.T, open opener) {
	s := open(t, material{newMock(t)}, setup{})
	if r := find(t, s, gameOf(t, lostKingFEN, lostKing...), search.Limits{Evals: 1000}); r.Info.Score.CP > -500 {
		t.Errorf("%+v, black is lost", r.Info.Score)
	}
}

// guided is a backend whose policy prefers a move in each position that it knows.
type guided struct {
	batcher.Backend
	to map[uint64]board.Move
}

func (b guided) Evaluate(items []*batcher.Item) error {
	if err := b.Backend.Evaluate(items); err != nil {
		return err
	}
	for _, it := range items {
		for i, m := range it.Moves {
			if m == b.to[it.Position.Key] {
				clear(it.Policy)
				it.Policy[i] = 1
			}
		}
	}
	return nil
}

// A draw by repetition of a position of the line is none any more when that position was played, in the tree that is
// kept.
func playedOn(t *testing.T, open opener) {
	to, g := map[uint64]board.Move{}, gameOf(t, lostKingFEN)
	for _, text := range append(lostKing, "e8f8") {
		to[g.Pos.Key] = uciMove(t, g, text)
		g.Play(to[g.Pos.Key])
	}
	s := open(t, guided{material{newMock(t)}, to}, setup{})
	g = gameOf(t, lostKingFEN)
	for range lostKing {
		find(t, s, g, search.Limits{Evals: 300})
		s.Check(t)
		g.Play(to[g.Pos.Key])
	}
	if r := find(t, s, g, search.Limits{Evals: 600}); r.Info.Score.CP > -500 {
		t.Errorf("%+v, black is lost", r.Info.Score)
	}
	s.Check(t)
}

// The draws of the tree are those of the rules throughout a game that goes to and fro.
func shuffle(t *testing.T, open opener) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, fen := range []string{"8/8/8/p1k5/P7/2K5/8/8 w - - 0 1", "7k/5K2/8/6P1/8/8/8/8 w - - 0 1", "k7/8/1K6/8/8/8/8/5Q2 w - - 88 90"} {
		s, g := open(t, newMock(t), setup{}), gameOf(t, fen)
		for range 24 {
			if g.Pos.HasLegalMove() {
				find(t, s, g, search.Limits{Evals: 400})
				s.Check(t)
			}
			if len(g.Moves) > 6 && r.IntN(4) == 0 { // some moves are taken back
				g = gameOf(t, fen, text(g, len(g.Moves)-2)...)
				continue
			}
			moves := g.Pos.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			to := moves[r.IntN(len(moves))]
			for _, m := range moves { // back to where it was, where that is possible
				var p board.Position
				if g.Pos.Make(m, &p); slices.Contains(g.Keys(), p.Key) && r.IntN(3) > 0 {
					to = m
				}
			}
			g.Play(to)
		}
	}
}

// text is the first moves of a game.
func text(g *board.Game, moves int) (all []string) {
	again := board.NewGame(g.Start)
	for _, m := range g.Moves[:moves] {
		all = append(all, again.Pos.UCI(m, false))
		again.Play(m)
	}
	return all
}

// Where every move draws the score and its probabilities are a draw's.
func allDrawn(t *testing.T, open opener) {
	for _, fen := range []string{
		"8/8/8/8/8/1k6/1p6/1K6 b - - 99 90", // the fifty moves, or stalemate
		"7k/8/8/8/8/8/R7/K7 w - - 99 90",    // the fifty moves
	} {
		g := gameOf(t, fen)
		r := find(t, open(t, newMock(t), setup{}), g, search.Limits{Evals: 500})
		if r.Info.Score != search.ScoreFromCP(0) || r.Info.WDL != [3]int{0, 1000, 0} || !g.Pos.IsLegal(r.Best) {
			t.Errorf("%s: %s, %+v, %v", fen, g.Pos.UCI(r.Best, false), r.Info.Score, r.Info.WDL)
		}
	}
}

// A root that is drawn already is searched all the same: the one who asks may not have claimed it.
func drawnRoot(t *testing.T, open opener) {
	there := []string{"g1f3", "g8f6", "f3g1", "f6g8"}
	for name, c := range map[string]struct {
		g     *board.Game
		drawn bool // whatever is played
	}{
		"repetition": {gameOf(t, startFEN, append(there, there...)...), false},
		"fifty":      {gameOf(t, "r3k3/8/8/8/8/8/8/4K2R w - - 100 90"), true},
		"material":   {gameOf(t, "4k3/8/8/8/8/8/8/4KB2 w - - 0 1"), true},
		"mate":       {gameOf(t, "6k1/5ppp/8/8/8/8/8/R6K w - - 100 90"), false},
		"only move":  {gameOf(t, "7k/8/8/8/8/8/r7/6K1 w - - 110 90", "g1f1", "a2h2"), true},
	} {
		r := find(t, open(t, newMock(t), setup{}), c.g, search.Limits{Evals: 300})
		if !c.g.Pos.IsLegal(r.Best) || c.drawn && r.Info.Score != search.ScoreFromCP(0) || name == "mate" && r.Info.Score.Mate != 1 {
			t.Errorf("%s: %s, %+v", name, c.g.Pos.UCI(r.Best, false), r.Info.Score)
		}
	}
}
