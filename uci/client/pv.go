package client

import (
	"bytes"

	"tesla/board"
)

// maxPVs is how many variations of a search are checked for each rank: a flood of them must not cost more than a few
// milliseconds.
const maxPVs = 1000

// PVChecker checks the variations that a player reports in one search, an engine as text or a searcher in this
// program as moves. One goroutine at a time may use it. The zero value must be Reset.
type PVChecker struct {
	Illegal int        // reports whose variation has an illegal move
	Example string     // the first of them
	First   board.Move // first move of the last report of the first line that is not an upper bound; NullMove: not known

	pos      board.Position
	chess960 bool
	whole    bool       // check all moves of a variation, not the first alone
	left     int        // how many variations may still be checked
	text     []byte     // the last variation checked as text: engines repeat themselves
	legal    bool       // whether it was legal
	head     board.Move // its first move; NullMove where that is illegal
}

// Reset begins a search of a position.
func (c *PVChecker) Reset(p *board.Position, chess960 bool) { c.reset(p, chess960, true, 1) }

// reset begins a search with a number of ranks. Without whole, only the first move of each variation is checked.
func (c *PVChecker) reset(p *board.Position, chess960, whole bool, ranks int) {
	*c = PVChecker{chess960: chess960, pos: *p, whole: whole, left: maxPVs * max(1, ranks), text: c.text[:0]}
}

// checkText checks the moves behind the word pv and returns the first, NullMove where it is illegal or was not
// checked. leading says that the report is of the first line and no upper bound.
func (c *PVChecker) checkText(pv []byte, leading bool) board.Move {
	if len(pv) == 0 {
		return board.NullMove
	}
	if !bytes.Equal(pv, c.text) {
		if c.left == 0 {
			if leading { // a variation that is not checked tells nothing about the move
				c.First = board.NullMove
			}
			return board.NullMove
		}
		c.left--
		c.text = append(c.text[:0], pv...)
		c.head = board.NullMove
		c.legal = walk(c.pos, pv, func(m board.Move) bool {
			if c.head == board.NullMove {
				c.head = m
			}
			return c.whole
		})
	}
	if !c.legal {
		if c.Illegal++; c.Illegal == 1 {
			c.Example = Printable(pv, 120)
		}
	}
	if leading {
		c.First = c.head
	}
	return c.head
}

// walk calls visit for the moves of a variation until one is illegal or visit returns false, and reports whether they are
// legal.
func walk(p board.Position, pv []byte, visit func(board.Move) bool) (legal bool) {
	for {
		word, rest := cutWord(pv)
		if len(word) == 0 {
			return true
		}
		m, err := p.ParseMove(string(word))
		if err != nil {
			return false
		}
		if !visit(m) {
			return true
		}
		next := p.After(m)
		p, pv = next, rest
	}
}

// Moves checks a variation of a searcher in this program.
func (c *PVChecker) Moves(pv []board.Move, leading bool) {
	if len(pv) == 0 {
		return
	}
	if c.left == 0 {
		if leading {
			c.First = board.NullMove
		}
		return
	}
	c.left--
	head, p := pv[0], c.pos
	for i, m := range pv {
		if !p.IsLegal(m) {
			if c.Illegal++; c.Illegal == 1 {
				for at, legal := range c.pos.Along(pv[:i]) {
					c.Example += at.UCI(legal, c.chess960) + " "
				}
				c.Example += p.UCI(m, c.chess960)
			}
			if i == 0 {
				head = board.NullMove
			}
			break
		}
		p = p.After(m)
	}
	if leading {
		c.First = head
	}
}
