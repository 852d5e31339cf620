package treesearch

import "tesla/board"

// Resume makes a game that of the last search, for a tree that was searched by another process. No search may run.
func (l *Loop) Resume(g *board.Game) { l.game, l.drawForBlack = g.Clone(), 0 }
