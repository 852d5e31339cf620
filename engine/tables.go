package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/tablebase"
)

// openTablebases returns the endgame tables of the settings: the present ones where the folders are the same, nil where
// there are none. What is bad about them is an error, with a fallback a note. If hurried, the tables are opened when they
// are first probed.
func (e *Engine) openTablebases(set *Settings, hurried bool) (*tablebase.Tables, error) {
	paths := set.Tables()
	switch {
	case paths.Syzygy == "" && paths.Gaviota == "":
		return nil, nil
	case e.tables != nil && paths == e.paths:
		return e.tables, nil
	}
	tables, bad := tablebase.Open(paths)
	tables.Tell(func(err error) { e.notify(fmt.Sprintf("error: %v; the search goes on without it", err)) })
	if !hurried {
		bad = append(bad, tables.OpenHeaders()...)
	}
	if !e.fallback && len(bad) > 0 {
		return nil, errors.Join(append(bad, tables.Close())...)
	}
	e.note("%s", tables.Found())
	for _, err := range bad {
		e.note("error: %v", err)
	}
	return tables, nil
}

// replaceTablebases makes other endgame tables the engine's, and closes those that were.
func (e *Engine) replaceTablebases(by, old *tablebase.Tables) error {
	e.tables = by
	if old == nil || old == by {
		return nil
	}
	return old.Close()
}

// prober is how a searcher asks the tables; nil where there are none.
func (p *parts) prober(set *Settings) *tablebase.Prober {
	if p.tables == nil {
		return nil
	}
	return p.tables.Prober(set.rules())
}

// rootShare is the part of the time for a move that ranking the root moves by tables may take. A slow disk takes longer
// at first; then the search goes on without, and what has been read is in the cache for the next move.
const rootShare = 0.5

// searchByTables searches with endgame tables. Where they know the root, the search is one of the best moves alone, and
// reports tell what the tables say. A search for a mate takes no win by tables for one: it does not use them.
func (s *Searcher) searchByTables(ctx context.Context, g *board.Game, lim search.Limits, report func(search.Info)) (search.Result, error) {
	mode := tablebase.Hard
	switch {
	case lim.Mate > 0:
		mode = tablebase.Off
	case lim.Clocked(&g.Pos):
		mode = tablebase.Soft
	}
	s.tables.Begin(mode)
	known := s.rank(ctx, g, &lim, mode)
	told := report
	if report != nil && len(known) > 0 {
		told = func(in search.Info) {
			known.tell(&in)
			report(in)
		}
	}
	r, err := s.inner.Search(ctx, g, lim, told)
	if err == nil && !s.engine.fallback {
		err = s.Tables().Bad()
	}
	if known.tell(&r.Info) {
		r.Ponder = board.NullMove
		if len(r.Info.PV) > 1 {
			r.Ponder = r.Info.PV[1]
		}
	}
	return r, err
}

// rank has the tables rank the root moves, and limits the search to those that it may choose from. Where the tables know
// distances, they are not probed below the root: every one of these moves makes progress, and among equal moves the
// search may look for mates and set problems.
func (s *Searcher) rank(ctx context.Context, g *board.Game, lim *search.Limits, mode tablebase.Mode) ranked {
	if mode == tablebase.Off {
		return nil
	}
	began := time.Now()
	if soft := lim.Budget(&g.Pos).Soft; soft > 0 && !lim.Ponder {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(rootShare*float64(soft)))
		defer cancel()
	}
	lines := max(1, lim.MultiPV)
	root := s.tables.Root(ctx, g, lim.SearchMoves, lines)
	lim.Late(time.Since(began), time.Millisecond)
	moves := root.Restrict(lim.SearchMoves, lines)
	if len(moves) == 0 {
		return nil
	}
	if root.Exact {
		s.tables.Switch(tablebase.Off)
	}
	known := ranked{}
	lim.SearchMoves, lim.Ranks = nil, search.Ranks{}
	for _, m := range moves {
		lim.SearchMoves = append(lim.SearchMoves, m.Move)
		lim.Ranks[m.Move], known[m.Move] = m.Rank, m
	}
	return known
}

// ranked are the root moves that tables know.
type ranked map[board.Move]tablebase.RootMove

// tell puts what the tables say of the first move of a report into it: the score and the line, where they show one. The
// report stays where the search has found a mate and the tables say no more than who wins, and where they leave the result
// open. It returns whether the line was replaced.
func (r ranked) tell(in *search.Info) (line bool) {
	if len(in.PV) == 0 {
		return false
	}
	m, ok := r[in.PV[0]]
	if !ok || m.Open || in.Score.Mate != 0 && search.IsTable(m.CP) && cmp.Compare(in.Score.Mate, 0) == cmp.Compare(m.CP, 0) {
		return false
	}
	in.Score, in.Bound = search.ScoreFromCP(m.CP), search.Exact
	in.WDL = in.Score.WDL(1)
	if line = len(m.PV) > 0; line {
		in.PV = m.PV
	}
	return line
}
