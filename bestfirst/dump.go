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
	Again  bool     `json:"again,omitempty"` // its node is shared: the replies follow the first move that leads there
}

// ErrNoTree is returned before the first search, and after one that failed at its root.
var ErrNoTree = errors.New("bestfirst: there is no tree")

// WriteTree writes the tree of the last search as JSON, one TreeLine on each line, a move before its replies.
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

// dotShare is the part of the root's evaluations that a move needs to be drawn.
const dotShare = 0.01

// WriteDot draws the tree of the last search for Graphviz, without the moves that few evaluations were spent on.
func (s *Searcher) WriteDot(w io.Writer, chess960 bool) error {
	if s.promoter.tree.root == none {
		return ErrNoTree
	}
	d := dot{to: w, hidden: maxPly + 2}
	d.print("digraph tree {\n\trankdir=LR\n\tnode [shape=box style=filled fontname=Helvetica fontsize=10]\n\tedge [arrowhead=none]\n")
	for l := range s.promoter.treeLines(chess960) {
		d.add(&l)
	}
	d.print("}\n")
	return d.err
}

// dot is the state of a drawing. The first error is kept.
type dot struct {
	to     io.Writer
	err    error
	id     int             // of the node drawn last
	above  [maxPly + 2]int // and the one drawn last at each ply
	hidden int             // plies from here on are below a move that is not drawn
	least  float64         // evaluations that a move needs
}

func (d *dot) print(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.to, format, args...)
	}
}

// add draws a move, unless it or one before it has too few evaluations.
func (d *dot) add(l *TreeLine) {
	if l.Ply == 0 {
		d.least = dotShare * float64(l.N)
	} else if l.Ply > d.hidden {
		return
	}
	if d.hidden = maxPly + 2; float64(l.N) < d.least {
		d.hidden = l.Ply
		return
	}
	d.id++
	d.above[l.Ply] = d.id
	hue := 0.165 + 0.165*max(-1, min(1, l.Q)) // green where the side that moves there is better, red where it is worse
	d.print("\t%d [label=\"%s\\n%+.3f  %d\" fillcolor=\"%.3f 0.35 1\"]\n", d.id, l.Move, l.Q, l.N, hue)
	if l.Ply > 0 {
		width := 1
		if l.Best {
			width = 3
		}
		d.print("\t%d -> %d [penwidth=%d]\n", d.above[l.Ply-1], d.id, width)
	}
}

// treeLines are the root and all moves with an evaluation, each before its replies.
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
