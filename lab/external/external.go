// Package external asks UCI engines for moves and scores of single positions: the teacher of training data, the judge of
// a regret run.
//
// Invariant: every question ends. An engine that crashes, hangs or answers nonsense is started anew and asked again, a
// few times; then the question fails with the last reason.
package external

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
)

const (
	// tries is how often a question is asked before it has failed.
	tries = 3
	// stopTime is how long an engine may take to answer after it was told to stop.
	stopTime = 2 * time.Second
	// An engine that has answered knownAnswers times may take slowFactor times its slowest answer, and leastTime.
	knownAnswers = 10
	slowFactor   = 20
	leastTime    = 10 * time.Second
)

// Engine is an engine that is started when it is first asked, and again after it has failed. When a game first has
// castling rights that only Chess960 has, it is started again in the mode UCI_Chess960 and stays in it. It is for one
// goroutine at a time.
type Engine struct {
	config client.Config
	limits search.Limits
	fresh  bool // each question is of a new game
	most   time.Duration
	tell   func(text string)

	running *client.Engine // nil: none
	answers int
	slowest time.Duration
}

// New makes an engine that searches with the limits, which have Nodes. Where fresh is set, it forgets its table before
// each question. tell is told of each restart.
func New(config client.Config, limits search.Limits, fresh bool, tell func(text string)) *Engine {
	return &Engine{config: config, limits: limits, fresh: fresh, most: client.NodeTime(limits.Nodes), tell: tell}
}

// Start starts the engine, unless it runs.
func (e *Engine) Start(ctx context.Context) (err error) {
	if e.running == nil {
		e.running, err = client.Start(ctx, e.config)
	}
	return err
}

// Close ends the engine.
func (e *Engine) Close() {
	if e.running != nil {
		e.running.Close()
		e.running = nil
	}
}

// Ask has the engine search the game's position, and passes its answer to use. An error of use is the engine's failure.
func (e *Engine) Ask(ctx context.Context, g *board.Game, use func(*client.Answer) error) error {
	for try := 1; ; try++ {
		err := e.ask(ctx, g, use)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e.running == nil && e.answers == 0 || errors.Is(err, client.ErrOption) {
			return err // it has never worked
		}
		e.Close()
		if try == tries {
			return fmt.Errorf("it failed %d times, at last: %w", tries, err)
		}
		e.tell(fmt.Sprintf("%s is started anew: %v", e.config.Path, err))
	}
}

func (e *Engine) ask(ctx context.Context, g *board.Game, use func(*client.Answer) error) error {
	if g.Start.NeedsChess960() && !e.config.Chess960 {
		e.Close()
		e.config.Chess960 = true
	}
	if err := e.Start(ctx); err != nil {
		return err
	}
	if e.fresh {
		if err := e.running.NewGame(ctx); err != nil {
			return err
		}
	}
	a, err := e.running.Search(ctx, g, e.limits, e.patience(), stopTime)
	if err == nil {
		err = use(&a)
	}
	if err == nil {
		e.answers++
		e.slowest = max(e.slowest, a.Took())
	}
	return err
}

// patience is how long the engine may search.
func (e *Engine) patience() time.Duration {
	if e.answers < knownAnswers {
		return e.most
	}
	return min(e.most, max(leastTime, slowFactor*e.slowest))
}
