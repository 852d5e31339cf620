package datagen

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tesla/lab/games"
	"tesla/uci/client"
)

// ahead is how many games a teacher plays side by side: it is asked for a move of each at once, for it takes as long to wake an
// engine as to search a hundred nodes. What is asked and answered in a round fits into pipes.
const ahead = 16

// teacher is a Player in a process of its own: any UCI engine.
type teacher struct {
	engine  *client.Engine
	limit   string // of "go"
	choices int
}

// NewTeacher starts a UCI engine with options, each Name=value, that searches so many nodes a move. choices is Config.Choices.
func NewTeacher(program string, args, options []string, nodes int64, choices int) (Player, error) {
	if choices > 1 {
		options = append(options, "MultiPV="+strconv.Itoa(choices))
	}
	e, err := client.Start(program, args, options...)
	if err != nil {
		return nil, err
	}
	return &teacher{engine: e, limit: fmt.Sprintf("nodes %d", nodes), choices: max(1, choices)}, nil
}

// Ahead implements Player.
func (t *teacher) Ahead() int { return ahead }

// Close implements Player.
func (t *teacher) Close() error { return t.engine.Close() }

// Choose implements Player.
func (t *teacher) Choose(ctx context.Context, tables []*Table) error {
	var ask strings.Builder
	for _, table := range tables {
		g := table.Game
		fmt.Fprintf(&ask, "position fen %s", g.Start.FEN(false))
		p := g.Start
		for i, m := range g.Moves {
			if i == 0 {
				ask.WriteString(" moves")
			}
			ask.WriteString(" " + p.UCI(m, false))
			last := p
			last.Make(m, &p)
		}
		fmt.Fprintf(&ask, "\ngo %s\n", t.limit)
	}
	if err := t.engine.Write(ask.String()); err != nil {
		return err
	}
	for _, table := range tables {
		if ctx.Err() != nil {
			return nil
		}
		if err := t.read(table); err != nil {
			return err
		}
	}
	return nil
}

// read reads the answer to one question.
func (t *teacher) read(table *Table) error {
	p := &table.Game.Pos
	var found []games.Choice
	best := ""
	err := t.engine.Read("bestmove", func(words []string) error {
		if words[0] == "bestmove" && len(words) > 1 {
			best = words[1]
		}
		if words[0] != "info" {
			return nil
		}
		line, ok, err := client.ParseLine(p, words)
		if err != nil || !ok || line.Rank > len(found)+1 {
			return err
		}
		if line.Rank > len(found) {
			found = append(found, games.Choice{})
		}
		found[line.Rank-1] = games.Choice{Move: games.Encode(p, line.Move), Score: int16(line.Score.Value())}
		return nil
	})
	if err != nil {
		return err
	}
	m, err := p.ParseMove(best, false)
	if err != nil {
		return fmt.Errorf("the engine's move: %w", err)
	}
	if len(found) == 0 {
		return errors.New("the engine gave no score")
	}
	code := games.Encode(p, m)
	score := found[0].Score
	for _, c := range found {
		if c.Move == code {
			score = c.Score
		}
	}
	table.Choices = merge(table.Choices[:0], games.Choice{Move: code, Score: score}, found, t.choices)
	return nil
}
