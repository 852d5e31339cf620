package alphabeta

import (
	"runtime"

	"tesla/board"
	"tesla/nnue"
	"tesla/tt128"
)

// splitting is the methods whose threads share out the moves of a node.
//
// Principal variation splitting (Marsland and Campbell 1982; Marsland, Olafsson and Schaeffer 1984): the first move of a
// node of the principal variation is searched alone, then its siblings are shared out with the value that it has.
//
// Jamboree (Kuszmaul 1994): the first move of each node, or a share of them, is searched alone, the others side by side. In
// its strong form they are only tested against the value so far, and those that exceed it are searched again in order.
type splitting struct {
	alone
	team *team
}

func newSplitting(r rule, net *nnue.Net, table *tt128.Table, threads int, o Options) (*Searcher, error) {
	m := &splitting{team: &team{rule: r}}
	s, err := newSearcher(m, net, table, threads, o)
	if err != nil {
		return nil, err
	}
	if threads <= runtime.NumCPU() {
		m.team.spins = spins
	}
	if m.team.threads = s.threads; threads > 1 {
		for _, t := range s.threads {
			t.team = m.team
		}
	}
	return s, nil
}

func (m *splitting) begin(*running) { m.team.roots = map[board.Move]remembered{} }

func (m *splitting) help(x *running, t *Thread, _ int) {
	for !t.idle(anywhere, x.quit) {
	}
}
