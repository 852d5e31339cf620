package regret

import (
	"context"
	"maps"
	"strconv"

	"tesla/board"
	"tesla/lab/external"
	"tesla/search"
	"tesla/uci/client"
)

// ownLines is how many moves a reference adds by itself.
const ownLines = 4

// Reference scores moves of a position by a UCI engine, as a Judge does, and adds those that the engine finds best.
type Reference struct {
	child *bench
	root  *external.Engine
}

// NewReference makes a reference of an engine that searches a number of nodes for each move, and as many for those that it
// finds best. tell is told when the engine failed and is started anew.
func NewReference(path string, nodes int64, tell func(text string)) (*Reference, error) {
	with := func(lines int) client.Config {
		return client.Config{Path: path, Options: []client.Option{{Name: "Threads", Value: "1"}, {Name: "Hash", Value: "32"},
			{Name: "MultiPV", Value: strconv.Itoa(lines)}}}
	}
	j, err := NewJudge(with(1), nodes, "", tell)
	if err != nil {
		return nil, err
	}
	return &Reference{j.bench(), external.New(with(ownLines), search.Limits{Nodes: nodes, MultiPV: ownLines}, true, tell)}, nil
}

// Close ends the engine.
func (r *Reference) Close() {
	r.root.Close()
	r.child.engine.Close()
}

// Scores scores the moves wanted, and those that the engine finds best, in centipawns for the side that moves.
func (r *Reference) Scores(ctx context.Context, p *board.Position, wanted map[string]bool) (map[string]int, error) {
	all := maps.Clone(wanted)
	err := r.root.Ask(ctx, board.NewGame(*p), func(a *client.Answer) error {
		for _, l := range a.Lines {
			if l.Move != board.NullMove {
				all[p.UCI(l.Move, false)] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	scores := map[string]int{}
	for name := range all {
		m, err := p.ParseMove(name)
		if err != nil {
			return nil, err
		}
		if scores[name], err = r.child.score(ctx, p, m); err != nil {
			return nil, err
		}
	}
	return scores, nil
}
