package match

import (
	"context"
	"time"

	"tesla/board"
	"tesla/search"
)

// A player ponders while its opponent thinks: it searches the position after the reply that it expects. Where that reply
// is played (a hit), the search goes on as its next one, and its time counts from then on. Otherwise (a miss) the search
// is stopped and its move is dropped. What the player takes to stop is on nobody's clock.

// ponder begins such a search. reply is the player's own last move. Nothing happens where that names no reply, or one
// that ends the game. A player that fails at that fails again, and loses, as it is asked for its move.
func (s *seat) ponder(ctx context.Context, g *board.Game, reply *reply, limits search.Limits) {
	if !s.ponders || !g.Pos.IsLegal(reply.ponder) {
		return
	}
	next := g.Clone()
	next.Play(reply.ponder)
	if next.Outcome() != board.Ongoing {
		return
	}
	limits.Ponder = true
	s.expected, s.pondering = reply.ponder, s.instance.ponder(ctx, next, limits) == nil
}

// move has the player move. A search that it ponders on is continued or ended.
func (s *seat) move(ctx context.Context, r *record, limits search.Limits, allowance time.Duration) (reply, error) {
	if s.pondering {
		s.pondering = false
		if r.last.move == s.expected {
			return s.instance.hit(ctx, allowance)
		}
		if err := s.instance.miss(ctx); err != nil {
			return reply{}, err
		}
	}
	return s.instance.move(ctx, r.game, limits, allowance)
}

// rest ends the search that the player ponders on as the game ends. A player that does not stop is closed.
func (s *seat) rest(ctx context.Context) {
	if !s.pondering {
		return
	}
	s.pondering = false
	if err := s.instance.miss(ctx); err != nil {
		s.close()
	}
}

// countPondering counts the reply that the player expected, now that its opponent has moved.
func (r *record) countPondering(side int, s *seat, played board.Move) {
	if s.pondering {
		r.Ponder[side].Moves++
		if played == s.expected {
			r.Ponder[side].Hits++
		}
	}
}
