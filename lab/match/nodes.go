package match

import (
	"errors"
	"fmt"
)

// What a search may use of the nodes that it was told. Engines report nodes at the end of an iteration and count some
// thousand between two looks at the limit.
const (
	leastNodes = 0.02
	mostNodes  = 2
	freeNodes  = 10_000
)

// compareNodes counts a move whose player was told a number of nodes and searched far fewer or more, or did not answer. One
// legal move, a mate or a drawn position, which may be proven, is reason enough for few.
func (s *seat) compareNodes(r *record, a *reply, err error) {
	asked, used := s.condition.Nodes, a.info.Nodes
	switch {
	case asked == 0:
	case errors.Is(err, errHang):
		s.happened(otherNodes, 1, fmt.Sprintf("it did not answer go nodes %d within %v: does it know that command?", asked, s.config.Patience.Hang))
	case err != nil || used == 0 || a.info.Score.Mate != 0:
	case float64(used) > float64(asked)*mostNodes+freeNodes,
		float64(used) < float64(asked)*leastNodes && a.info.Score.CP != 0 && r.game.Pos.CountLegal() > 1:
		s.happened(otherNodes, 1, fmt.Sprintf("it searched %d nodes of %d asked: the limits of this match are not alike", used, asked))
	}
}
