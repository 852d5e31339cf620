package match

import (
	"context"
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
)

// faults are the incidents that the UCI client finds.
var faults = map[client.Fault]incident{
	client.IllegalPV: illegalPV, client.OtherMove: otherMove, client.Unasked: unasked, client.Overlong: overlong,
	client.BadQuit: badQuit,
}

// engine is a player in a process of its own: a UCI engine.
type engine struct {
	seat *seat
	*client.Engine
}

// startEngine starts the engine of a seat.
func startEngine(ctx context.Context, s *seat) (*engine, error) {
	c := s.spec.Engine()
	c.Chess960, c.Cores, c.StartTime = s.chess960, s.slot.cores, s.config.Patience.Start
	c.Name, c.Log = fmt.Sprintf("%s#%d", s.name, s.slot.number+1), s.venue.writers(s.spec)
	c.OnFault = func(f client.Fault, n int, text string) { s.happened(faults[f], n, text) }
	c.OnString = s.hear
	e, err := client.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &engine{s, e}, nil
}

func (e *engine) newGame(ctx context.Context) error { return e.NewGame(ctx) }

func (e *engine) move(
	ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration,
) (reply, error) {
	a, err := e.Search(ctx, g, limits, allowance, e.seat.config.Patience.Grace)
	r := reply{move: a.Move, info: a.Info, scored: a.Scored, took: a.Took(), begun: a.Begun, arrived: a.Arrived}
	if a.Arrived.IsZero() && !a.Begun.IsZero() {
		r.took = time.Since(a.Begun)
	}
	return r, err
}

func (e *engine) close() { e.Close() }

func (e *engine) kill() { e.Kill() }
