package datagen

import (
	"context"
	"fmt"
	"slices"

	"tesla/board"
	"tesla/lab/games"
	"tesla/lab/watchdog"
	"tesla/search"
)

// searcher is a Player in this process. It plays one game at a time, and forgets each game before the next.
type searcher struct {
	inner  *watchdog.Searcher
	limits search.Limits
	found  []games.Choice // by rank
}

// NewSearcher makes a player of a searcher, with limits for each move. Closing the player closes the searcher.
// choices is Config.Choices. When ctx ends, a search that hangs is abandoned after a grace time.
func NewSearcher(s search.Searcher, limits search.Limits, choices int) Player {
	limits.MultiPV = max(1, choices)
	return &searcher{inner: watchdog.New(s, watchdog.Grace), limits: limits}
}

// Close implements Player. A searcher that hangs is left alone.
func (s *searcher) Close() error { return s.inner.Close() }

// Choose implements Player.
func (s *searcher) Choose(ctx context.Context, t *Table) error {
	if t.Fresh {
		if err := s.inner.NewGame(ctx); err != nil {
			return err
		}
	}
	s.found = s.found[:0]
	p := &t.Game.Pos
	r, err := s.inner.Search(ctx, t.Game, s.limits, func(in search.Info) {
		rank := max(1, in.MultiPV)
		report := in.Text == "" && in.Roots == nil && in.Bound == search.Exact && len(in.PV) > 0
		if !report || rank > len(s.found)+1 {
			return
		}
		if rank > len(s.found) {
			s.found = append(s.found, games.Choice{})
		}
		s.found[rank-1] = games.Choice{Move: games.Encode(p, in.PV[0]), Score: int16(in.Score.Value())}
	})
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return nil
	}
	if r.Best == board.NullMove {
		return fmt.Errorf("no move in %s", p.FEN(true))
	}
	best := games.Choice{Move: games.Encode(p, r.Best), Score: int16(r.Info.Score.Value())}
	t.Choices = merge(t.Choices[:0], best, s.found, s.limits.MultiPV)
	return nil
}

// merge appends the best move and then the others found, each once, until there are most moves in all.
func merge(to []games.Choice, best games.Choice, found []games.Choice, most int) []games.Choice {
	to = append(to, best)
	for _, c := range found {
		known := slices.ContainsFunc(to, func(d games.Choice) bool { return c.Move == d.Move })
		if !known && len(to) < most {
			to = append(to, c)
		}
	}
	return to
}
