package match

import (
	"context"
	"fmt"
	"strings"
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

func startEngine(ctx context.Context, s *seat) (instance, error) {
	c := s.spec.Engine()
	c.Chess960, c.Cores, c.StartTime, c.Ponder = s.chess960, s.slot.cores, s.config.Patience.Start, s.ponders
	c.Name, c.Log = fmt.Sprintf("%s#%d", s.name, s.slot.number+1), s.shared.writers(s.spec)
	c.OnFault = func(f client.Fault, n int, text string) { s.happened(faults[f], n, text) }
	c.OnString = s.hear
	e, err := client.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	s.size = sizeText(e.Value("Threads"), e.Value("Hash"))
	if s.foreign = !strings.HasPrefix(e.ID(), "Tesla"); s.foreign {
		s.identify(e.ID() + s.size)
	}
	if s.ponders && !e.CanPonder() {
		s.ponders = false
		s.shared.say(s.name + " has no option Ponder, so it does not ponder")
	}
	return &engine{s, e}, nil
}

func (e *engine) move(
	ctx context.Context, g *board.Game, limits search.Limits, allowance time.Duration,
) (reply, error) {
	a, err := e.Search(ctx, g, limits, allowance, e.seat.config.Patience.Grace)
	return replyOf(&a), err
}

func replyOf(a *client.Answer) reply {
	r := reply{move: a.Move, ponder: a.Ponder, info: a.Info, scored: a.Scored, took: max(a.Took(), 0), begun: a.Begun, arrived: a.Arrived}
	if a.Arrived.IsZero() && !a.Begun.IsZero() {
		r.took = time.Since(a.Begun)
	}
	return r
}

func (e *engine) ponder(ctx context.Context, g *board.Game, limits search.Limits) error {
	return e.Ponder(ctx, g, limits, e.seat.config.Patience.Grace)
}

func (e *engine) hit(ctx context.Context, allowance time.Duration) (reply, error) {
	a, err := e.Hit(ctx, allowance, e.seat.config.Patience.Grace)
	return replyOf(&a), err
}

func (e *engine) miss(ctx context.Context) error { return e.Miss(ctx, e.seat.config.Patience.Grace) }
