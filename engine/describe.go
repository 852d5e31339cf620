package engine

import (
	"fmt"
	"strings"

	"tesla/board"
	"tesla/internal/memory"
	"tesla/search"
)

// Describe says with which settings a position is searched: those that matter to speed and strength.
func (s *Searcher) Describe(p *board.Position, lim search.Limits) string {
	set, info := &s.settings, &s.info
	parts := []string{fmt.Sprintf("searching with %s on %s, net %s", set.Search, info.Name, info.ModelName), fmt.Sprintf("%d threads", set.Threads)}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	add("hash %d MiB", s.engine.table.Megabytes())
	if !set.alphaBeta() {
		add("tree %d MiB", set.TreeMemory)
		if depth := set.leafDepth(info.Name); depth > 0 {
			add("leaves %d plies", depth)
		}
	}
	if set.SearchOptions != "" {
		add("options %s", set.SearchOptions)
	}
	if s.tables != nil {
		add("endgame tables")
	}
	if set.LimitStrength {
		add("limited to %d Elo", set.Elo)
	}
	if b := lim.Budget(p); b.Hard > 0 {
		add("time %d to %d ms", b.Soft.Milliseconds(), b.Hard.Milliseconds())
	}
	if large, known := memory.Large(); known {
		add("%d MiB in large pages", large>>20)
	}
	return strings.Join(parts, ", ")
}
