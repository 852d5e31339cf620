package datagen

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/games"
	"tesla/search"
	"tesla/uci/client"
)

// teacher is a Player in a process of its own: any UCI engine. It is asked one position at a time: to write the
// positions of 16 games at once and read the answers in order was not faster beyond what differs from run to run
// (Stockfish 15.1 at 100 nodes), and an engine that reads its input while it searches answered for the wrong
// position.
type teacher struct {
	engine *external.Engine
	most   int // choices
}

// NewTeacher starts a UCI engine that searches a number of nodes for each move. choices is Config.Choices. An engine
// that fails is started anew, see package external, and tell is told.
func NewTeacher(ctx context.Context, engine client.Config, nodes int64, choices int, tell func(text string)) (Player, error) {
	if choices > 1 {
		n := len(engine.Options)
		engine.Options = append(engine.Options[:n:n], client.Option{Name: "MultiPV", Value: strconv.Itoa(choices)})
	}
	most := max(1, choices)
	t := &teacher{external.New(engine, search.Limits{Nodes: nodes, MultiPV: most}, false, tell), most}
	return t, t.engine.Start(ctx)
}

func (t *teacher) Close() error {
	t.engine.Close()
	return nil
}

// Choose implements Player.
func (t *teacher) Choose(ctx context.Context, table *Table) error {
	p := &table.Game.Pos
	err := t.engine.Ask(ctx, table.Game, func(a *client.Answer) (err error) {
		table.Choices, err = t.choices(table.Choices[:0], p, a)
		return err
	})
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("teacher: %s: %w", p.FEN(false), err)
	}
	return nil
}

// choices are the engine's move and the best others. A first move that is not legal is an error, even that of a
// variation that is not played: what the engine says is then not about this position.
func (t *teacher) choices(to []games.Choice, p *board.Position, a *client.Answer) ([]games.Choice, error) {
	if len(a.Lines) == 0 {
		return nil, errors.New("the engine gave no score")
	}
	best := games.Choice{Move: games.Encode(p, a.Move), Score: int16(a.Lines[0].Score.Value())}
	found := make([]games.Choice, 0, len(a.Lines))
	for i, l := range a.Lines {
		if l.Move == board.NullMove {
			return nil, fmt.Errorf("%w: the first move of variation %d", client.ErrIllegal, i+1)
		}
		c := games.Choice{Move: games.Encode(p, l.Move), Score: int16(l.Score.Value())}
		if c.Move == best.Move {
			best.Score = c.Score
		}
		found = append(found, c)
	}
	return merge(to, best, found, t.most), nil
}
