package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tesla/board"
	"tesla/search"
)

// Answer is an engine's answer to a search, with what it reported before.
type Answer struct {
	Move    board.Move
	Ponder  board.Move  // the reply that it expects; NullMove where it names none that is legal
	Info    search.Info // depth, nodes, speed, score and bound of the last report of the first line; no PV
	Scored  bool        // Info has a score
	Lines   []Line      // the last exact report of each rank that had a variation, the best first
	Begun   time.Time   // just before the engine was told to go
	Arrived time.Time   // when its move was read; zero where none came
}

// Took is how long the engine had the move.
func (a *Answer) Took() time.Duration { return a.Arrived.Sub(a.Begun) }

// Line is the score of one variation.
type Line struct {
	Score search.Score
	Move  board.Move // its first; NullMove where that is illegal
}

// NodeTime is a limit for a search of a number of nodes where no clock gives one: a minute, and a millisecond for
// each node. A large net on one core takes less.
func NodeTime(nodes int64) time.Duration {
	return time.Minute + time.Duration(min(nodes, int64(time.Hour)))*time.Millisecond
}

// Search lets the engine search the game's position and waits for its move. After the allowance it sends
// stop, and gives the engine the grace to answer. With an error the Answer still has what the engine reported.
func (e *Engine) Search(
	ctx context.Context, g *board.Game, l search.Limits, allowance, grace time.Duration,
) (Answer, error) {
	return e.SearchUntil(ctx, nil, g, l, allowance, grace)
}

// SearchUntil is Search, but the allowance ends at the latest when halt is closed.
func (e *Engine) SearchUntil(
	ctx context.Context, halt <-chan struct{}, g *board.Game, l search.Limits, allowance, grace time.Duration,
) (Answer, error) {
	if err := e.synchronize(ctx, allowance+grace); err != nil {
		return Answer{}, err
	}
	if err := e.Go(g, l); err != nil {
		return e.finishSearch(answer{}, err)
	}
	return e.waitOrStop(ctx, halt, allowance, grace)
}

// Ponder starts a search of a position that the next move of the opponent may bring about. It may block for the limit,
// where the engine has to be brought back into step. Hit or Miss must follow before the next command.
func (e *Engine) Ponder(ctx context.Context, g *board.Game, l search.Limits, limit time.Duration) error {
	if err := e.synchronize(ctx, limit); err != nil {
		return err
	}
	l.Ponder = true
	return e.Go(g, l)
}

// Hit tells the engine that the move was played, and waits as Search does. The time of the search counts from here.
func (e *Engine) Hit(ctx context.Context, allowance, grace time.Duration) (Answer, error) {
	e.begun = time.Now()
	if err := e.send([]byte("ponderhit\n")); err != nil {
		return e.finishSearch(answer{}, err)
	}
	return e.waitOrStop(ctx, nil, allowance, grace)
}

// Miss ends a search that Ponder has started, and drops its move.
func (e *Engine) Miss(ctx context.Context, grace time.Duration) error {
	err := e.Stop()
	var a answer
	if err == nil {
		a, err = e.await(ctx, nil, "bestmove", grace)
	}
	if _, err = e.finishSearch(a, err); errors.Is(err, ErrIllegal) {
		return nil
	}
	return err
}

// waitOrStop waits for the move of a search, and sends stop after the allowance or when halt is closed.
func (e *Engine) waitOrStop(ctx context.Context, halt <-chan struct{}, allowance, grace time.Duration) (Answer, error) {
	a, err := e.await(ctx, halt, "bestmove", allowance)
	if errors.Is(err, ErrHang) {
		if err = e.Stop(); err == nil {
			if a, err = e.await(ctx, nil, "bestmove", grace); errors.Is(err, ErrHang) {
				err = fmt.Errorf("%w of stop", err)
			}
		}
	}
	return e.finishSearch(a, err)
}

// synchronize waits for readyok if the engine has sent a bestmove unasked: what comes before readyok belongs to an
// earlier search.
func (e *Engine) synchronize(ctx context.Context, limit time.Duration) error {
	e.mu.Lock()
	suspect := e.suspect
	e.mu.Unlock()
	if !suspect {
		return nil
	}
	return e.query(ctx, "isready\n", "readyok", limit)
}

// Go starts a search of the game's position. It does not block, except on an engine that does not read its input.
// Wait must follow before the next command but Stop.
func (e *Engine) Go(g *board.Game, l search.Limits) error {
	e.commands = append(append(e.commands[:0], e.position.of(g, e.config.Chess960)...), '\n')
	e.commands = append(append(e.commands, goCommand(&g.Pos, &l)...), '\n')
	e.mu.Lock()
	e.searching = true
	e.heard.reset(&g.Pos, e.config.Chess960, e.config.OnFault != nil, l.MultiPV)
	e.mu.Unlock()
	e.begun = time.Now()
	return e.ask(e.commands, "bestmove")
}

// Stop tells the engine to end its search.
func (e *Engine) Stop() error { return e.send([]byte("stop\n")) }

// Wait waits for the move of the search that Go has started.
func (e *Engine) Wait(ctx context.Context, limit time.Duration) (Answer, error) {
	return e.finishSearch(e.await(ctx, nil, "bestmove", limit))
}

// finishSearch makes an Answer of the bestmove and the reports before it.
func (e *Engine) finishSearch(got answer, err error) (Answer, error) {
	e.mu.Lock()
	e.awaited, e.searching = "", false
	h := &e.heard // the reader leaves it alone now
	e.mu.Unlock()
	a := Answer{Info: h.last, Scored: h.scored, Lines: slices.Clone(h.ranks), Begun: e.begun, Arrived: got.at}
	if h.pv.Illegal > 0 && e.config.OnFault != nil {
		e.fault(IllegalPV, h.pv.Illegal, "an illegal move in the variation "+h.pv.Example)
	}
	if e.fail(err) != nil {
		return a, err
	}
	_, rest := cutWord([]byte(got.line))
	word, rest := cutWord(rest)
	if len(word) == 0 {
		return a, fmt.Errorf("%w: bestmove without a move", ErrIllegal)
	}
	p := &h.pv.pos
	if a.Move, err = p.ParseMove(string(word)); err != nil {
		return a, fmt.Errorf("%w: %s", ErrIllegal, Printable([]byte(err.Error()), 120))
	}
	a.Ponder = expected(p, a.Move, rest)
	if first := h.pv.First; first != board.NullMove && first != a.Move {
		text := fmt.Sprintf("it moves %s, but its variation begins with %s", word, p.UCI(first, e.config.Chess960))
		e.fault(OtherMove, 1, text)
	}
	return a, nil
}

// expected is the reply behind the move of a bestmove.
func expected(p *board.Position, played board.Move, rest []byte) board.Move {
	word, rest := cutWord(rest)
	if string(word) != "ponder" {
		return board.NullMove
	}
	next := p.After(played)
	word, _ = cutWord(rest)
	m, err := next.ParseMove(string(word))
	if err != nil {
		return board.NullMove
	}
	return m
}

// goCommand is the command that starts a search within the limits. Limits have the clock of the side to move first,
// the command has White's.
func goCommand(p *board.Position, l *search.Limits) string {
	var b strings.Builder
	b.WriteString("go")
	if l.Ponder {
		b.WriteString(" ponder")
	}
	if l.HasClock {
		white, black := 0, 1
		if p.Black {
			white, black = 1, 0
		}
		fmt.Fprintf(&b, " wtime %d btime %d", l.Time[white].Milliseconds(), l.Time[black].Milliseconds())
		if l.Inc[0]+l.Inc[1] > 0 {
			fmt.Fprintf(&b, " winc %d binc %d", l.Inc[white].Milliseconds(), l.Inc[black].Milliseconds())
		}
		if l.MovesToGo > 0 {
			fmt.Fprintf(&b, " movestogo %d", l.MovesToGo)
		}
	}
	if l.Nodes > 0 {
		fmt.Fprintf(&b, " nodes %d", l.Nodes)
	}
	if l.Depth > 0 {
		fmt.Fprintf(&b, " depth %d", l.Depth)
	}
	if l.MoveTime > 0 {
		fmt.Fprintf(&b, " movetime %d", l.MoveTime.Milliseconds())
	}
	if l.Infinite {
		b.WriteString(" infinite")
	}
	return b.String()
}
