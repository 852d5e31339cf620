package datagen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tesla/board"
	"tesla/lab/games"
	"tesla/lab/match/stats"
	"tesla/lab/work"
)

const (
	// A block has blockGames games, and more where games are short: together they have about blockPositions.
	blockGames     = 10
	blockPositions = 1000
	// maxDraws is how many starts may be drawn for a game until one is within Config.Within.
	maxDraws = 10_000
)

// block is how many games, from one whose number is a multiple of it, another process makes in one piece: all those from
// the leaves of one tree, where there are trees.
func (c *Config) block() int {
	switch {
	case c.Leaves > 0:
		return c.Leaves
	case c.Plies > 0:
		return max(blockGames, blockPositions/c.Plies)
	}
	return blockGames
}

// Distribute is Run, but other processes make the games. say tells the user what happens there. It is called once.
func (g *Generator) Distribute(ctx context.Context, to work.Distributor, tell func(Progress), say func(text string)) error {
	g.began, g.tell = time.Now(), tell
	if len(g.todo) > 0 {
		id, err := g.name()
		if err != nil {
			return err
		}
		if err := to.Play(ctx, g.hosted(id, say)); err != nil {
			if ctx.Err() == nil {
				g.Refuse()
			}
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.report()
	return nil
}

// name is a name of the run that is the same when it is resumed with the same number of games. The header of the file
// has no name of its own.
func (g *Generator) name() (string, error) {
	machine, err := os.Hostname()
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(g.path)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(struct {
		Order         *Order
		Machine, Path string
	}{g.order(), machine, path})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return work.Data + "-" + hex.EncodeToString(sum[:12]), nil
}

// hosted is the run for those who have its games made elsewhere, see package fleet. A unit is a block.
func (g *Generator) hosted(id string, say func(text string)) *work.Run {
	by := map[string]int{} // games, by worker
	r := &work.Run{ID: id, Kind: work.Data, Commit: g.cfg.Commit, Order: func() work.Order { return g.order() }, Say: say, Sync: g.writer.Sync}
	r.Unit = func(game int) int { return game / g.cfg.block() }
	r.Units = work.Units(g.todo, r.Unit)
	r.Clock = func() (limited bool, speed float64) { return false, 0 }
	r.Has = func(game int) bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.made[game]
	}
	r.Read = func(line json.RawMessage) (game int, keep func(from work.Origin) error, err error) {
		made, err := decode(line)
		switch {
		case err != nil:
		case made.Number >= uint64(g.cfg.Games):
			err = fmt.Errorf("game %d of %d", made.Number, g.cfg.Games)
		default:
			if err = g.check(made); err != nil {
				err = fmt.Errorf("game %d: %w", made.Number, err)
			}
		}
		if err != nil {
			return 0, nil, err
		}
		return int(made.Number), func(from work.Origin) error {
			g.mu.Lock()
			by[from.Worker]++
			g.mu.Unlock()
			return g.keep(made)
		}, nil
	}
	r.Progress = func() work.Progress {
		g.mu.Lock()
		defer g.mu.Unlock()
		now := g.progress()
		p := work.Progress{Players: []string{g.cfg.Player.Label()}, Games: now.Games, Total: now.Of, Text: now.String(), Workers: []stats.Worker{}}
		for _, name := range slices.Sorted(maps.Keys(by)) {
			p.Workers = append(p.Workers, stats.Worker{Name: name, Games: by[name], P: 1})
			p.Speed += float64(by[name]) / now.Took.Minutes()
		}
		return p
	}
	return r
}

// check plays a game again with the scores that it has, and is an error unless that gives the same game: its start, its random
// choices, its end and its result. Only the scores, the leaf it begins from, and what tables know are taken on trust.
func (m *maker) check(game *games.Game) error {
	if len(game.Plies) == 0 {
		return errors.New("no moves")
	}
	var leaves []board.Position
	if m.cfg.Leaves > 0 {
		leaves = []board.Position{game.Start}
	}
	l := m.begin(game.Number, leaves)
	for draws := 1; l.game.Start.FEN(true) != game.Start.FEN(true) || !slices.Equal(l.game.Opening, game.Opening); draws++ {
		if m.cfg.Within == 0 || draws == maxDraws {
			return errors.New("wrong opening for this game and seed")
		}
		m.start(l)
	}
	for i := range game.Plies {
		if err := m.answer(l, &game.Plies[i], game.Result); err != nil {
			return err
		}
		on, err := m.step(l)
		if err != nil {
			return err
		}
		if last := i == len(game.Plies)-1; on == last {
			return fmt.Errorf("%d moves, over after %d: %v", len(game.Plies), i+1, !on)
		}
	}
	want, _ := l.game.MarshalBinary() // no error
	if got, _ := game.MarshalBinary(); !bytes.Equal(got, want) {
		return errors.New("moves or result other than those of its scores and the seed")
	}
	return nil
}

// answer answers the table of a game as one that was made says.
func (m *maker) answer(l *line, ply *games.Ply, result int8) error {
	t := &l.table
	t.Choices = append(t.Choices[:0], ply.Choice)
	if m.cfg.Choices > 1 {
		t.Choices = append(t.Choices[:0], ply.Choices...)
	}
	if len(t.Choices) > max(1, m.cfg.Choices) {
		return fmt.Errorf("%d choices, at most %d are kept", len(t.Choices), m.cfg.Choices)
	}
	for _, c := range t.Choices {
		if _, err := c.Move.Move(&t.Game.Pos); err != nil {
			return err
		}
	}
	if t.Known = m.cfg.Tables != ""; t.Known {
		if t.Result = result; t.Game.Pos.Black {
			t.Result = -result
		}
	}
	return nil
}
