package view

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"

	"tesla/board"
	"tesla/search"
)

// TreeLine is an evaluated move of the tree. Values are for the side that makes it; at the root, for the side to move.
type TreeLine struct {
	Ply    int      `json:"ply"`
	FEN    string   `json:"fen,omitempty"`  // of the root, ply 0
	Move   string   `json:"move,omitempty"` // UCI, castling as king takes rook in Chess960
	N      uint32   `json:"n"`              // evaluations spent on it and below
	Q      float32  `json:"q"`
	Prior  float32  `json:"prior,omitempty"`
	Net    *float32 `json:"net,omitempty"` // the net's q; absent where no node is in memory
	Sigma  float32  `json:"sigma,omitempty"`
	Proven bool     `json:"proven,omitempty"`
	Best   bool     `json:"best,omitempty"`  // the best of its siblings
	Again  bool     `json:"again,omitempty"` // its node is shared: the replies follow another move that leads there
}

// WriteTree writes the tree of a snapshot as JSON, one TreeLine on each line, a move before its replies.
func WriteTree(w io.Writer, s *search.Snapshot, root *board.Position, chess960 bool) error {
	out := json.NewEncoder(w)
	for line := range treeLines(s, root, chess960) {
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// dotShare is the part of the root's evaluations that a move needs to be drawn.
const dotShare = 0.01

// WriteDot draws the tree of a snapshot for Graphviz, without the moves that few evaluations were spent on.
func WriteDot(w io.Writer, s *search.Snapshot, root *board.Position, chess960 bool) error {
	d := dot{to: w, hidden: maxPly}
	d.print("digraph tree {\n\trankdir=LR\n\tnode [shape=box style=filled fontname=Helvetica fontsize=10]\n\tedge [arrowhead=none]\n")
	for l := range treeLines(s, root, chess960) {
		d.add(&l)
	}
	d.print("}\n")
	return d.err
}

// maxPly is more than the plies of any line.
const maxPly = 1 << 10

// dot is the state of a drawing. The first error is kept.
type dot struct {
	to     io.Writer
	err    error
	id     int         // of the node drawn last
	above  [maxPly]int // and the one drawn last at each ply
	hidden int         // plies from here on are below a move that is not drawn
	least  float64     // evaluations that a move needs
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
	if d.hidden = maxPly; float64(l.N) < d.least {
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

// treeLines are the root and all moves of a snapshot with an evaluation, each before its replies, and siblings in the
// order of their priors.
func treeLines(s *search.Snapshot, root *board.Position, chess960 bool) iter.Seq[TreeLine] {
	replies := make([][]int32, len(s.Tree))
	for i := range s.Tree[1:] {
		if n := &s.Tree[i+1]; n.Valued {
			replies[n.Parent] = append(replies[n.Parent], int32(i+1))
		}
	}
	for _, moves := range replies {
		slices.SortFunc(moves, func(a, b int32) int { return int(s.Tree[a].Slot) - int(s.Tree[b].Slot) })
	}
	return func(yield func(TreeLine) bool) {
		var below func(i int32, p *board.Position, ply int) bool
		below = func(i int32, p *board.Position, ply int) bool {
			n := &s.Tree[i]
			line := TreeLine{Ply: ply, N: n.N, Q: n.Q, Prior: n.Prior, Sigma: n.Sigma, Proven: n.Proven, Best: n.Best, Again: n.Again}
			if n.Net == n.Net { // no NaN
				line.Net = &n.Net
			}
			after := *p
			if ply == 0 {
				line.FEN = p.FEN(chess960)
			} else {
				line.Move = p.UCI(n.Move, chess960)
				p.Make(n.Move, &after)
			}
			if !yield(line) {
				return false
			}
			for _, reply := range replies[i] {
				if !below(reply, &after, ply+1) {
					return false
				}
			}
			return true
		}
		below(0, root, 0)
	}
}
