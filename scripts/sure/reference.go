package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strconv"

	"tesla/board"
	"tesla/lab/external"
	"tesla/search"
	"tesla/uci/client"
)

// own is how many moves the reference adds by itself.
const own = 4

// reference is an engine that scores moves. Each search begins with a cleared table, so that a score can be had again.
type reference struct {
	root, child *external.Engine
}

func newReference(path string, nodes int64) *reference {
	tell := func(text string) { log.Print(text) }
	with := func(lines int) *external.Engine {
		return external.New(client.Config{Path: path, Options: []client.Option{{Name: "Threads", Value: "1"}, {Name: "Hash", Value: "32"},
			{Name: "MultiPV", Value: strconv.Itoa(lines)}}}, search.Limits{Nodes: nodes}, true, tell)
	}
	return &reference{with(own), with(1)}
}

func (r *reference) close() {
	r.root.Close()
	r.child.Close()
}

// score scores the moves wanted, and those that the engine finds best, in centipawns for the side that moves.
func (r *reference) score(ctx context.Context, p *board.Position, wanted map[string]bool) (map[string]int, error) {
	err := r.root.Ask(ctx, board.NewGame(*p), func(a *client.Answer) error {
		for _, l := range a.Lines {
			if l.Move != board.NullMove {
				wanted[p.UCI(l.Move, false)] = true
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	scores := map[string]int{}
	for name := range wanted {
		m, err := p.ParseMove(name)
		if err != nil {
			return nil, err
		}
		if scores[name], err = r.after(ctx, p, m); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return scores, nil
}

// after is the score of a move.
func (r *reference) after(ctx context.Context, p *board.Position, m board.Move) (cp int, err error) {
	next := *p
	p.Make(m, &next)
	g := board.NewGame(next)
	switch g.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		return search.MateScore - 1, nil
	default:
		return 0, nil
	}
	err = r.child.Ask(ctx, g, func(a *client.Answer) error {
		if len(a.Lines) == 0 {
			return errors.New("the engine gave no score")
		}
		cp = -a.Lines[0].Score.Value()
		return nil
	})
	return cp, err
}

// best are the moves that the last look at a tree thinks best.
func best(looks []Look, most int) []string {
	if len(looks) == 0 {
		return nil
	}
	last := looks[len(looks)-1]
	order := make([]int, len(last.Rivals))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(last.Facts.Rivals[b].N - last.Facts.Rivals[a].N)
	})
	var names []string
	for _, i := range order[:min(most, len(order))] {
		names = append(names, last.Rivals[i])
	}
	return names
}
