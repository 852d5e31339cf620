package stats

import "fmt"

// Pondering counts the moves of an opponent in whose time a player searched on, and how many of them it expected.
type Pondering struct {
	Moves int `json:"moves"`
	Hits  int `json:"hits"`
}

func (p *Pondering) add(q Pondering) {
	p.Moves += q.Moves
	p.Hits += q.Hits
}

// String is such as "31 of 52 (59.6 %)".
func (p Pondering) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", p.Hits, p.Moves, 100*float64(p.Hits)/float64(max(p.Moves, 1)))
}
