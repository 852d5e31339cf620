package engine

import (
	"context"

	"tesla/batcher"
	"tesla/board"
	"tesla/search"
	"tesla/search/sure"
	"tesla/tablebase"
)

// Searcher is a searcher with the engine that it was made with. It implements search.Searcher; search.As finds the
// methods that the searcher has beyond those.
type Searcher struct {
	inner    search.Searcher
	engine   *Engine
	info     batcher.Info
	settings Settings
	tables   *tablebase.Prober // nil: none
	sureness *sure.Model       // nil: none
}

// Name is the name of the searcher: one of Searches, but not AutoSearch.
func (s *Searcher) Name() string { return s.settings.Search }

// Backend describes the backend that the searcher evaluates with.
func (s *Searcher) Backend() batcher.Info { return s.info }

// Size is the threads of the searcher, and the MiB of its hash table.
func (s *Searcher) Size() (threads, hash int) { return s.settings.Threads, s.settings.Hash }

// Evaluator is the backend that the searcher evaluates with. It stays the searcher's.
func (s *Searcher) Evaluator() batcher.Backend { return s.engine.backend.Backend }

// Tables are the endgame tables that the searcher uses; nil: none. They stay the searcher's.
func (s *Searcher) Tables() *tablebase.Tables { return s.engine.tables }

// Unwrap is the searcher without its engine.
func (s *Searcher) Unwrap() search.Searcher { return s.inner }

// Search implements search.Searcher. A limited strength limits it further. Plain text and root moves are reported only
// if Settings.VerboseMoveStats is set.
func (s *Searcher) Search(ctx context.Context, g *board.Game, lim search.Limits, report func(search.Info)) (search.Result, error) {
	if s.settings.LimitStrength {
		to := search.StrengthOf(s.settings.Elo)
		if lim.Evals == 0 || lim.Evals > to.Evals {
			lim.Evals = to.Evals
		}
		lim.Temperature = to.Temperature
	}
	s.boundSure(&lim)
	told := report
	if report != nil && !s.settings.VerboseMoveStats {
		told = func(in search.Info) {
			if in.Text == "" && len(in.Roots) == 0 {
				report(in)
			}
		}
	}
	if s.tables == nil {
		return s.inner.Search(ctx, g, lim, told)
	}
	return s.searchByTables(ctx, g, lim, told)
}

func (s *Searcher) PonderHit() { s.inner.PonderHit() }

// NewGame implements search.Searcher. It also forgets the net's evaluations: the last bits of each depend on the batch
// that it was made in, and a game must not depend on those before it.
func (s *Searcher) NewGame() {
	s.inner.NewGame()
	if cache := s.engine.backend.cache; cache != nil {
		cache.Clear()
	}
}

// Close implements search.Searcher. It closes the engine too.
func (s *Searcher) Close() error { return s.engine.Close() }
