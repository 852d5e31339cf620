package bestfirst

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"tesla/board"
)

// TreeLine is an evaluated move of the tree. Values are for the side that makes it; at the root, for the side to move.
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
	Best   bool     `json:"best,omitempty"`  // the best of its siblings
	Again  bool     `json:"again,omitempty"` // another line led to its node: what is below stands there
}

// ErrNoTree is returned before the first search, and after one that failed at its root.
var ErrNoTree = errors.New("bestfirst: there is no tree")

// WriteTree writes the tree of the last search as JSON, a TreeLine a line, each before its replies.
func (s *Searcher) WriteTree(w io.Writer, chess960 bool) error {
	if s.promoter.tree.root == none {
		return ErrNoTree
	}
	out := json.NewEncoder(w)
	for line := range s.promoter.treeLines(chess960) {
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// dotShare of the root's evaluations is what a move needs to be drawn.
const dotShare = 0.01

// WriteDot writes what much was spent on in the tree of the last search, for Graphviz.
func (s *Searcher) WriteDot(w io.Writer, chess960 bool) error {
	if s.promoter.tree.root == none {
		return ErrNoTree
	}
	_, err := fmt.Fprintln(w, "digraph tree {\n\trankdir=LR\n\tnode [shape=box style=filled fontname=Helvetica fontsize=10]\n\tedge [arrowhead=none]")
	var above [maxPly + 2]int // the node drawn last, by ply
	id, hidden, least := 0, maxPly+2, 0.0
	for l := range s.promoter.treeLines(chess960) {
		if l.Ply == 0 {
			least = dotShare * float64(l.N)
		} else if l.Ply > hidden {
			continue
		}
		if hidden = maxPly + 2; float64(l.N) < least {
			hidden = l.Ply // and what is below
			continue
		}
		id++
		above[l.Ply] = id
		// green where the side that moves there is better, red where it is worse
		_, e := fmt.Fprintf(w, "\t%d [label=\"%s\\n%+.3f  %d\" fillcolor=\"%.3f 0.35 1\"]\n", id, l.Move, l.Q, l.N, 0.165+0.165*max(-1, min(1, l.Q)))
		if err = errors.Join(err, e); l.Ply > 0 {
			width := 1
			if l.Best {
				width = 3
			}
			_, e := fmt.Fprintf(w, "\t%d -> %d [penwidth=%d]\n", above[l.Ply-1], id, width)
			err = errors.Join(err, e)
		}
	}
	_, e := fmt.Fprintln(w, "}")
	return errors.Join(err, e)
}

// treeLines are the root and all evaluated moves, each before its replies.
func (pr *promoter) treeLines(chess960 bool) iter.Seq[TreeLine] {
	t, game := pr.tree, pr.loop.Game()
	seen := map[uint32]bool{}
	return func(yield func(TreeLine) bool) {
		var below func(n *node, p *board.Position, ply int) bool
		below = func(n *node, p *board.Position, ply int) bool {
			for i := range int(n.moves) {
				e := t.edge(n, i)
				if !e.has(edgeValued) {
					continue
				}
				line := TreeLine{Ply: ply, Move: p.UCI(e.move(), chess960), N: e.n, Q: qOf[uint16(e.value)], Prior: float64(e.prior) / 65535,
					Proven: e.has(edgeProven), Best: i == int(n.best), Again: seen[e.child] && e.child != none}
				child := &t.Nodes.Items[e.child]
				if e.child != none {
					net := -child.net()
					line.Net, line.Sigma = &net, codeSigma(child.sigma)
				}
				if !yield(line) {
					return false
				}
				if e.child == none || line.Again {
					continue
				}
				seen[e.child] = true
				var next board.Position
				p.Make(e.move(), &next)
				if !below(child, &next, ply+1) {
					return false
				}
			}
			return true
		}
		n := &t.Nodes.Items[t.root]
		net := n.net()
		if yield(TreeLine{FEN: game.Pos.FEN(chess960), N: n.n, Q: n.q, Net: &net, Sigma: codeSigma(n.sigma), Proven: n.flags&nodeProven != 0}) {
			below(n, &game.Pos, 1)
		}
	}
}
