package datagen

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tesla/lab/games"
	"tesla/lab/match/player"
	"tesla/lab/work"
)

// Order is all that another process needs to know to make games of a file. It implements work.Order.
type Order struct {
	Config Config `json:"config"`
	Games  int    `json:"games"` // Config.Games
}

// order describes the run. Its files may be replaced.
func (m *maker) order() *Order {
	o := &Order{m.cfg, m.cfg.Games}
	o.Config.Player.Options = slices.Clone(o.Config.Player.Options)
	if o.Config.Tree != nil {
		tree := *o.Config.Tree
		tree.Options = slices.Clone(tree.Options)
		o.Config.Tree = &tree
	}
	return o
}

// Files implements work.Order: they are nets, and the file whose positions games begin from.
func (o *Order) Files() []*string {
	paths := append(o.Config.Player.Files(), &o.Config.From)
	if o.Config.Tree != nil {
		paths = append(paths, o.Config.Tree.Files()...)
	}
	return paths
}

// boards implement work.Boards. A player with its tree is a board.
type boards struct {
	maker
	crew *Crew
}

// Open implements work.Order.
func (o *Order) Open(_ context.Context, most int, in player.InProcess, tell func(text string)) (work.Boards, error) {
	b := &boards{}
	cfg := o.Config
	cfg.Games = o.Games
	err := cfg.Validate()
	if err == nil {
		err = compare(cfg, in)
	}
	if err == nil {
		b.maker, err = newMaker(cfg)
	}
	if err == nil {
		b.crew, err = newCrew(&b.cfg, most, in, tell)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// compare is an error unless nets and programs are the same here.
func compare(there Config, in player.InProcess) error {
	here := there
	if err := here.Identify(in); err != nil {
		return err
	}
	err := there.Player.Compare(here.Net, there.Net)
	if err == nil && there.Tree != nil {
		err = there.Tree.Compare(here.TreeNet, there.TreeNet)
	}
	return err
}

func (b *boards) Len() int { return len(b.crew.Players) }

// Scale implements work.Boards: there are no clocks.
func (b *boards) Scale(float64) {}

// Play implements work.Boards. A line is a game as JSON has binary data.
func (b *boards) Play(ctx context.Context, board int, numbers []int) (lines []json.RawMessage, err error) {
	for _, n := range numbers {
		if n < 0 || n >= b.cfg.Games || n/b.cfg.block() != numbers[0]/b.cfg.block() {
			return nil, fmt.Errorf("games %v of %d are not in one block", numbers, b.cfg.Games)
		}
	}
	if err := b.crew.open(ctx, board); err != nil {
		return nil, err
	}
	_, err = b.produce(ctx, b.crew.Players[board], b.crew.Trees[board], numbers, func(g *games.Game) error {
		line, err := encode(g)
		lines = append(lines, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	return lines, nil
}

func (b *boards) Close() error { return b.crew.Close() }

func encode(g *games.Game) (json.RawMessage, error) {
	body, err := g.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

func decode(line json.RawMessage) (*games.Game, error) {
	var body []byte
	g := &games.Game{}
	err := json.Unmarshal(line, &body)
	if err == nil {
		err = g.UnmarshalBinary(body)
	}
	return g, err
}
