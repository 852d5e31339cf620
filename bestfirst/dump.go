package bestfirst

import (
	"encoding/json"
	"fmt"
	"io"

	"tesla/board"
)

// TreeLine is one line of WriteTree. Values are for the side that makes the move; at the root, for the side to move.
type TreeLine struct {
	Ply    int      `json:"ply"`
	FEN    string   `json:"fen,omitempty"`  // of the root, ply 0
	Move   string   `json:"move,omitempty"` // UCI, castling as king takes rook in Chess960
	N      uint32   `json:"n"`              // evaluations spent on it and below
	Q      float32  `json:"q"`
	Prior  float64  `json:"prior,omitempty"`
	Net    *float32 `json:"net,omitempty"` // the net's q; absent where no node is in memory
	Sigma  float64  `json:"sigma,omitempty"`
	Proven bool     `json:"proven,omitempty"`
	Best   bool     `json:"best,omitempty"` // the best of its siblings
}

// WriteTree writes the tree of the last search as JSON, a line an evaluated move, each before its replies.
func (s *Searcher) WriteTree(w io.Writer, chess960 bool) error {
	if s.tree.root == none {
		return fmt.Errorf("bestfirst: there is no tree")
	}
	out := json.NewEncoder(w)
	n := &s.tree.Nodes.Items[s.tree.root]
	line := TreeLine{FEN: s.loop.Game.Pos.FEN(chess960), N: n.n, Q: n.q, Net: &n.base, Sigma: codeSigma(n.sigma), Proven: n.flags&nodeProven != 0}
	if err := out.Encode(line); err != nil {
		return err
	}
	return s.writeNode(out, n, &s.loop.Game.Pos, 1, chess960)
}

func (s *Searcher) writeNode(out *json.Encoder, n *node, p *board.Position, ply int, chess960 bool) error {
	for i := range int(n.moves) {
		e := s.tree.edge(n, i)
		if !e.has(edgeValued) {
			continue
		}
		line := TreeLine{Ply: ply, Move: p.UCI(e.move(), chess960), N: e.n, Q: qOf[uint16(e.cp)], Prior: float64(e.prior) / 65535,
			Proven: e.has(edgeProven), Best: i == int(n.best)}
		var child *node
		if e.child != none {
			child = &s.tree.Nodes.Items[e.child]
			net := -child.base
			line.Net, line.Sigma = &net, codeSigma(child.sigma)
		}
		if err := out.Encode(line); err != nil {
			return err
		}
		if child == nil {
			continue
		}
		var next board.Position
		p.Make(e.move(), &next)
		if err := s.writeNode(out, child, &next, ply+1, chess960); err != nil {
			return err
		}
	}
	return nil
}
