package alphabeta

import (
	"context"
	"testing"
	"time"

	"tesla/board"
	"tesla/board/boardtest"
	"tesla/search"
	"tesla/tablebase"
	"tesla/tablebase/tabletest"
	"tesla/tt128"
)

// winsKnight is a position of four pieces in which a capture leads to a won one of three.
const winsKnight = "8/8/8/3k4/8/1n6/1R6/1K6 w - - 0 1"

// Each driver finds wins by tables, reports them as such, and counts hits. A search that must not wait asks for what it
// misses, and a later one has it.
func TestEndgameTables(t *testing.T) {
	dir := tabletest.Folder(t)
	hard := tabletest.Open(t, dir, tablebase.Hard)
	g := board.NewGame(boardtest.Position(t, winsKnight))
	for _, name := range Names {
		s := newDriver(t, name, 2, DefaultOptions())
		s.UseTables(hard)
		hard.Begin(tablebase.Hard)
		r, err := s.Search(context.Background(), g, search.Limits{Depth: 6}, nil)
		if err != nil || g.Pos.UCI(r.Best, false) != "b2b3" || !r.Info.Score.IsTable() || r.Info.Score.CP < 0 || r.Info.TBHits == 0 {
			t.Errorf("%s: %s, %+v, %d hits, %v", name, g.Pos.UCI(r.Best, false), r.Info.Score, r.Info.TBHits, err)
		}
	}
	for _, paths := range []tablebase.Paths{{Syzygy: dir}, {Gaviota: "../../tablebase/gaviota/testdata/gtb4"}} {
		readsLater(t, tabletest.OpenBoth(t, paths, tablebase.Soft), g)
	}
}

// readsLater tests that a leaf finds a win by tables which an earlier leaf had to ask for.
func readsLater(t *testing.T, soft *tablebase.Prober, g *board.Game) {
	t.Helper()
	for try := 0; ; try++ {
		leaf := NewLeaf(net(t), table(t), 4)
		leaf.UseTables(soft)
		cp, _ := leaf.Leaf(&g.Pos, g.Keys(), 0, 0, func() bool { return false })
		if search.IsTable(cp) {
			break
		}
		if time.Sleep(5 * time.Millisecond); try == 400 {
			t.Fatalf("%d, %d hits: what was missed is never read", cp, soft.Hits())
		}
	}
}

// An entry with a win by tables cuts only where that comes before the fifty moves, and only without a halfmove clock
// where the tables know the position itself.
func TestTableScoreCuts(t *testing.T) {
	for _, c := range []struct {
		score int
		clock uint8
		cuts  bool
	}{
		{search.TableWinIn(0), 0, true}, {search.TableWinIn(0), 1, false}, {search.TableWinIn(5), 1, true},
		{search.TableWinIn(5), 95, true}, {search.TableWinIn(5), 96, false}, {-search.TableWinIn(4), 97, false},
	} {
		th := threadAt(t, Mode{}, winsKnight)
		th.pos[0].Halfmove = c.clock
		e := tt128.NewDraft(c.score, c.score, 20, board.NullMove, false)
		if v, ok := th.cuts(e, 0, -infinite, infinite, 4); ok != c.cuts || ok && v != c.score {
			t.Errorf("%+v: %d, %t", c, v, ok)
		}
	}
}
