package alphabeta

import (
	"errors"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase"
	"tesla/tt128"
)

// probe asks the endgame tables for the value of a node (step 6). What a search on a clock would have to wait for is
// read in the background: this search goes on without, and a later one finds it.
func (t *Thread) probe(n *node) (value int, ok bool) {
	p := &t.pos[n.ply]
	if !t.tables.CoversAt(p, n.depth) {
		return 0, false
	}
	cp, err := t.tables.Score(p)
	if err != nil {
		if errors.Is(err, tablebase.ErrNotCached) {
			t.tables.Request(p)
		}
		return 0, false
	}
	switch { // decided scores count from the root
	case !search.IsTable(cp):
	case cp > 0:
		cp = search.TableWinIn(n.ply)
	default:
		cp = -search.TableWinIn(n.ply)
	}
	t.table.Store(p.Key, n.ply, tt128.NewDraft(cp, cp, tt128.MaxDraft, board.NullMove, false))
	return cp, true
}
