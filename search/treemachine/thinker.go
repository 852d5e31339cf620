package treemachine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/models"
	"tesla/search"
	"tesla/search/alphabeta"
	"tesla/tt128"
	"tesla/uci/client"
)

// thinker searches tasks for a node, one at a time.
type thinker interface {
	newGame() error
	newSearch()
	think(t *task, p *board.Position, stop func() bool) (result, error)
	close() error
}

// newThinker is what the order of a node asks for.
func newThinker(ctx context.Context, o order) (thinker, error) {
	if o.Engine != nil {
		f := &foreign{config: client.Config{Path: o.Engine.Path, Options: o.Engine.Options}, depth: o.LeafDepth}
		return f, f.start(ctx)
	}
	net, err := models.OpenNNUE(o.Weights)
	if err != nil {
		return nil, err
	}
	if net.ShortHash() != o.Net {
		return nil, fmt.Errorf("net %s, that of the root is %s", net.ShortHash(), o.Net)
	}
	table, err := tt128.New(o.Hash)
	if err != nil {
		return nil, err
	}
	return &own{alphabeta.NewThread(net, table, alphabeta.Mode{Plain: o.Plain}), alphabeta.NewLeaf(net, table, o.LeafDepth), table}, nil
}

// own searches with this program's alpha-beta, on tables of its own.
type own struct {
	branches *alphabeta.Thread
	leaves   alphabeta.Leaf
	table    *tt128.Table
}

func (w *own) newGame() error {
	w.table.Clear()
	w.branches.Forget()
	w.leaves.Forget()
	return nil
}

func (w *own) newSearch() { w.table.NewSearch() }

func (w *own) think(t *task, p *board.Position, stop func() bool) (result, error) {
	if b := t.Branch; b != nil {
		b.Root = *p
		found, ok := w.branches.Branch(b, stop)
		return result{Found: found, Stopped: !ok}, nil
	}
	cp, best := w.leaves.Leaf(p, t.Leaf.Keys, t.Leaf.Game, t.Leaf.Further, stop)
	nodes, plies := w.leaves.Work()
	return result{Found: alphabeta.Found{Move: best, Value: cp, Nodes: nodes, Evals: w.leaves.Evals(), Plies: plies}, Stopped: stop()}, nil
}

func (w *own) close() error { return w.table.Close() }

// Engine is a UCI engine that searches leaves in place of this program.
type Engine struct {
	Path    string // its program on the node's host: a name in PATH, or a path
	Options []client.Option
}

// What an engine has found at these limits counts, though the depth is not reached.
const (
	leafNodes = 1_000_000 // as of this program's own leaves: one may be searched deeper again and again
	leafTime  = time.Minute
)

var errNoScore = errors.New("the engine gives no score")

// foreign searches leaves with a UCI engine. It does not tell the engine which positions came before: a repetition
// of these is a draw to the root alone.
type foreign struct {
	config client.Config
	depth  int // plies of the first search of a leaf
	engine *client.Engine
}

func (f *foreign) start(ctx context.Context) (err error) {
	f.engine, err = client.Start(ctx, f.config)
	return err
}

func (f *foreign) newGame() error { return f.engine.NewGame(context.Background()) }

func (f *foreign) newSearch() {}

func (f *foreign) think(t *task, p *board.Position, stop func() bool) (result, error) {
	if p.NeedsChess960() && !f.config.Chess960 { // the mode is set at the start
		f.engine.Close()
		f.config.Chess960 = true
		if err := f.start(context.Background()); err != nil {
			return result{}, err
		}
	}
	halt, done := make(chan struct{}), make(chan struct{})
	defer close(done)
	go func() {
		tick := time.NewTicker(pollTime)
		defer tick.Stop()
		for !stop() {
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
		close(halt)
	}()
	limits := search.Limits{Depth: f.depth + t.Leaf.Further, Nodes: leafNodes}
	a, err := f.engine.SearchUntil(context.Background(), halt, board.NewGame(*p), limits, leafTime, deadTime)
	if err == nil && len(a.Lines) == 0 && !stop() {
		err = errNoScore
	}
	if err != nil || len(a.Lines) == 0 {
		return result{Stopped: true}, err
	}
	found := alphabeta.Found{Move: a.Move, Value: a.Lines[0].Score.Value(), Nodes: a.Info.Nodes, Plies: max(a.Info.Depth, a.Info.SelDepth)}
	return result{Found: found, Stopped: stop()}, nil
}

func (f *foreign) close() error {
	f.engine.Close()
	return nil
}
