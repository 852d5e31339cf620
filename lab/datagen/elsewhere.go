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
	"sync"
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

// hosted is a run whose games are made by other processes, see package fleet. It implements work.Run.
type hosted struct {
	g   *Generator
	id  string
	say func(text string)

	taking sync.Mutex // held while a block is taken

	mu sync.Mutex
	by map[string]int // games, by worker
}

// RunElsewhere is Run, but other processes make the games. say tells the user what happens there. It is called once.
func (g *Generator) RunElsewhere(ctx context.Context, to work.Elsewhere, tell func(Progress), say func(text string)) error {
	g.began, g.tell = time.Now(), tell
	if len(g.todo) > 0 {
		id, err := g.name()
		if err != nil {
			return err
		}
		if err := to.Play(ctx, &hosted{g: g, id: id, say: say, by: map[string]int{}}); err != nil {
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

// ID implements work.Run.
func (h *hosted) ID() string { return h.id }

// Kind implements work.Run.
func (*hosted) Kind() string { return work.Data }

// Commit implements work.Run.
func (h *hosted) Commit() string { return h.g.cfg.Commit }

// Order implements work.Run.
func (h *hosted) Order() work.Order { return h.g.order() }

// Clock implements work.Run: no time is limited.
func (*hosted) Clock() (limited bool, speed float64) { return false, 0 }

// Say implements work.Run.
func (h *hosted) Say(text string) { h.say(text) }

// Units implements work.Run. The number of a unit is that of the block.
func (h *hosted) Units() (units []work.Unit) {
	for _, n := range h.g.todo {
		id := int(n) / h.g.cfg.block()
		if last := len(units) - 1; last < 0 || units[last].ID != id {
			units = append(units, work.Unit{ID: id})
		}
		last := &units[len(units)-1]
		last.Games = append(last.Games, int(n))
	}
	return units
}

// Done implements work.Run.
func (h *hosted) Done(u work.Unit) bool {
	h.g.mu.Lock()
	defer h.g.mu.Unlock()
	return !slices.ContainsFunc(u.Games, func(n int) bool { return !h.g.made[n] })
}

// Progress implements work.Run.
func (h *hosted) Progress() work.Progress {
	h.g.mu.Lock()
	now := h.g.progress()
	h.g.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	p := work.Progress{Players: []string{h.g.cfg.Player.Label()}, Games: now.Games, Total: now.Of, Text: now.String(), Workers: []stats.Worker{}}
	for _, name := range slices.Sorted(maps.Keys(h.by)) {
		p.Workers = append(p.Workers, stats.Worker{Name: name, Games: h.by[name], P: 1})
		p.Speed += float64(h.by[name]) / now.Took.Minutes()
	}
	return p
}

// Take implements work.Run. The lines are the games of a block, all that the file lacks among them.
func (h *hosted) Take(from work.Origin, lines []json.RawMessage) error {
	h.taking.Lock()
	defer h.taking.Unlock()
	block, err := h.read(lines)
	if err != nil {
		return fmt.Errorf("%w: %w", work.ErrResult, err)
	}
	for _, game := range block {
		if err := h.g.keep(game); err != nil {
			return err
		}
	}
	if err := h.g.writer.Sync(); err != nil {
		return err
	}
	h.mu.Lock()
	h.by[from.Worker] += len(block)
	h.mu.Unlock()
	return nil
}

// read reads the games of a block, and returns those that the file lacks.
func (h *hosted) read(lines []json.RawMessage) (block []*games.Game, err error) {
	g, each := h.g, h.g.cfg.block()
	there := map[int]bool{}
	first := 0 // of the block
	for i, line := range lines {
		game, err := decode(line)
		if err != nil {
			return nil, err
		}
		if game.Number >= uint64(g.cfg.Games) {
			return nil, fmt.Errorf("game %d of %d", game.Number, g.cfg.Games)
		}
		n := int(game.Number)
		switch {
		case i == 0:
			first = n - n%each
		case there[n]:
			return nil, fmt.Errorf("game %d is there twice", n)
		case n < first || n >= first+each:
			return nil, fmt.Errorf("game %d is of another block", n)
		}
		there[n] = true
		if g.made[n] { // only Take writes it
			continue
		}
		if err := g.check(game); err != nil {
			return nil, fmt.Errorf("game %d: %w", n, err)
		}
		block = append(block, game)
	}
	if len(lines) == 0 {
		return nil, errors.New("there is no game")
	}
	for n := first; n < min(first+each, g.cfg.Games); n++ {
		if !there[n] && !g.made[n] {
			return nil, fmt.Errorf("%d games, game %d is not among them", len(lines), n)
		}
	}
	return block, nil
}

// check plays a game again with the scores that it has, and is an error unless that gives the same game: its start, its random
// choices, its end and its result. Only the scores, the leaf it begins from, and what tables know are taken on trust.
func (m *maker) check(game *games.Game) error {
	if len(game.Plies) == 0 {
		return errors.New("it has no moves")
	}
	var leaves []board.Position
	if m.cfg.Leaves > 0 {
		leaves = []board.Position{game.Start}
	}
	l := m.begin(game.Number, leaves)
	for draws := 1; l.game.Start.FEN(true) != game.Start.FEN(true) || !slices.Equal(l.game.Opening, game.Opening); draws++ {
		if m.cfg.Within == 0 || draws == maxDraws {
			return errors.New("it does not begin as its number and the seed say")
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
			return fmt.Errorf("it has %d moves, and is over after %d: %v", len(game.Plies), i+1, !on)
		}
	}
	want, _ := l.game.MarshalBinary() // no error
	if got, _ := game.MarshalBinary(); !bytes.Equal(got, want) {
		return errors.New("moves or result are not those that its scores and the seed give")
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
