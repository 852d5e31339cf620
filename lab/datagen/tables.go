package datagen

import (
	"context"
	"fmt"

	"tesla/board"
	"tesla/lab/games"
	"tesla/tablebase"
)

// tabled is a Player that answers from endgame tables where they know the position.
type tabled struct {
	Player
	tables *tablebase.Tables
	fresh  bool // the player was not asked yet for a move of this game
}

// NewTabled makes a player that answers from tables where they know a position, with the best move alone, and asks
// another player elsewhere. Closing it closes that player and not the tables.
func NewTabled(p Player, tables *tablebase.Tables) Player { return &tabled{Player: p, tables: tables} }

// Choose implements Player.
func (d *tabled) Choose(ctx context.Context, t *Table) error {
	d.fresh = d.fresh || t.Fresh
	p := &t.Game.Pos
	l, known, err := d.tables.Label(p)
	if err != nil {
		return fmt.Errorf("%s: %w", p.FEN(true), err)
	}
	if known && l.Best != board.NullMove {
		t.Choices = append(t.Choices[:0], games.Choice{Move: games.Encode(p, l.Best), Score: int16(l.Score)})
		t.Known, t.Result = true, int8(l.Result)
		return nil
	}
	asked := *t
	asked.Fresh = d.fresh
	err = d.Player.Choose(ctx, &asked)
	t.Choices, t.Known, d.fresh = asked.Choices, false, false
	return err
}
