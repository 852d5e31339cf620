package datagen

import (
	"context"
	"errors"
	"fmt"

	"tesla/lab/match/player"
	"tesla/search"
	"tesla/tablebase"
)

// Spec says who searches, and the limit of each search.
type Spec struct {
	player.Player
	Nodes int64 `json:"nodes,omitempty"`
	Evals int64 `json:"evals,omitempty"` // in process only
}

// ParseSpec reads a player with its limit, as tesla match does.
func ParseSpec(text string) (s Spec, err error) {
	if s.Player, err = player.Parse(text); err != nil {
		return s, err
	}
	s.Nodes, s.Evals = s.Condition.Nodes, s.Condition.Evals
	if (s.Nodes > 0) == (s.Evals > 0) || s.Cmd != "" && s.Evals > 0 {
		return s, errors.New("want either nodes or, in process, evals")
	}
	return s, nil
}

func (s *Spec) limits() search.Limits { return search.Limits{Nodes: s.Nodes, Evals: s.Evals} }

// Identify notes the nets, or the program, of those who search.
func (c *Config) Identify(in player.InProcess) (err error) {
	if c.Net, err = in.Identity(c.Player.Player); err != nil {
		return fmt.Errorf("--player: %w", err)
	}
	if c.Tree != nil {
		if c.TreeNet, err = in.Identity(c.Tree.Player); err != nil {
			return fmt.Errorf("--tree: %w", err)
		}
	}
	return nil
}

// Crew are the players of a configuration, and their trees where Config.Leaves is set.
type Crew struct {
	Players []Player
	Trees   []*Tree

	cfg    *Config
	in     player.InProcess
	tell   func(text string)
	tables *tablebase.Tables // nil: none
}

// OpenCrew makes players. tell is told of each restart of an engine.
func OpenCrew(ctx context.Context, cfg Config, count int, in player.InProcess, tell func(text string)) (*Crew, error) {
	c, err := newCrew(&cfg, count, in, tell)
	if err != nil {
		return nil, err
	}
	for i := range count {
		if err := c.open(ctx, i); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// newCrew prepares players, see open.
func newCrew(cfg *Config, count int, in player.InProcess, tell func(text string)) (*Crew, error) {
	c := &Crew{Players: make([]Player, count), Trees: make([]*Tree, count), cfg: cfg, in: in, tell: tell}
	if cfg.Tables != "" {
		tables, bad := tablebase.Open(tablebase.Paths{Syzygy: cfg.Tables})
		if len(bad) > 0 {
			return nil, errors.Join(fmt.Errorf("--syzygy: %w", errors.Join(bad...)), tables.Close())
		}
		c.tables = tables
	}
	return c, nil
}

// open makes the player with an index, and its tree, unless they are there. Calls for different indices may run at once.
func (c *Crew) open(ctx context.Context, i int) (err error) {
	if c.Players[i] == nil {
		p, err := c.player(ctx)
		if err != nil {
			return fmt.Errorf("--player: %w", err)
		}
		if c.tables != nil {
			p = NewTabled(p, c.tables)
		}
		c.Players[i] = p
	}
	if c.Trees[i] == nil && c.cfg.Leaves > 0 {
		if c.Trees[i], err = c.tree(); err != nil {
			return fmt.Errorf("--tree: %w", err)
		}
	}
	return nil
}

func (c *Crew) player(ctx context.Context) (Player, error) {
	spec := &c.cfg.Player
	if spec.Cmd != "" {
		return NewTeacher(ctx, spec.Engine(), spec.Nodes, c.cfg.Choices, c.tell)
	}
	s, err := c.in.Searcher(spec.Player)
	if err != nil {
		return nil, err
	}
	return NewSearcher(s, spec.limits(), c.cfg.Choices), nil
}

func (c *Crew) tree() (*Tree, error) {
	s, err := c.in.Searcher(c.cfg.Tree.Player)
	if err != nil {
		return nil, err
	}
	t, err := NewTree(s, c.cfg.Tree.limits())
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return t, nil
}

// Close ends the players.
func (c *Crew) Close() (err error) {
	for _, t := range c.Trees {
		if t != nil {
			err = errors.Join(err, t.Close())
		}
	}
	for _, p := range c.Players {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	if c.tables != nil {
		err = errors.Join(err, c.tables.Close())
	}
	return err
}
