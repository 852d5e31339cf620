package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tesla/lab/match/player"
	"tesla/lab/work"
)

// boards are where the games of a match are played, each with players of its own. They implement work.Boards for the match
// of another process.
type boards struct {
	m        *matchRun
	seats    [][]*seat // of each board
	prepared []bool    // its players were started, and play as they were asked to
}

// boards are at most the given number of boards, whose players are not started yet.
func (m *matchRun) boards(most int) *boards {
	b := &boards{m: m, seats: make([][]*seat, min(most, len(m.shared.slots)))}
	b.prepared = make([]bool, len(b.seats))
	for i := range b.seats {
		for of := range m.names {
			b.seats[i] = append(b.seats[i], m.seat(of, m.shared.slots[i]))
		}
	}
	return b
}

// prepare starts the players of a board, once.
func (b *boards) prepare(ctx context.Context, board int) error {
	if b.prepared[board] {
		return nil
	}
	for _, s := range b.seats[board] {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	b.prepared[board] = true
	return nil
}

func (b *boards) game(ctx context.Context, board, number int) (*record, error) {
	r, seats := b.m.newRecord(number), b.seats[board]
	return r, play(ctx, b.m.config, r, [2]*seat{seats[r.sides[0]], seats[r.sides[1]]})
}

// Open implements work.Order. The games depend on the order alone.
func (o *Order) Open(ctx context.Context, most int, in player.InProcess, _ func(string)) (work.Boards, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	config := o.config(most, in)
	m, err := newRun(ctx, &config)
	if err != nil {
		return nil, err
	}
	b := m.boards(most)
	for i, wanted := range o.Identities {
		here, err := m.identity(i)
		if err == nil {
			err = config.Players[i].Compare(here, wanted)
		}
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	return b, nil
}

func (b *boards) Len() int { return len(b.seats) }

// Scale implements work.Boards.
func (b *boards) Scale(factor float64) {
	for i := range b.m.config.Players {
		p := &b.m.config.Players[i]
		p.Condition = scaled(p.Condition, factor)
	}
	b.seats = b.m.boards(len(b.seats)).seats // which know the conditions
}

// Play implements work.Boards. A line is one of the journal.
func (b *boards) Play(ctx context.Context, board int, numbers []int) (lines []json.RawMessage, err error) {
	if err := b.prepare(ctx, board); err != nil {
		return nil, err
	}
	for _, number := range numbers {
		if number < 0 || number >= b.m.total() {
			return nil, fmt.Errorf("game %d of %d", number, b.m.total())
		}
		r, err := b.game(ctx, board, number)
		if err != nil {
			return nil, err
		}
		r.Date = time.Now().Format(time.RFC3339)
		line, err := json.Marshal(&r.gameLine)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (b *boards) Close() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, seats := range b.seats {
		closeAll(ended, seats)
	}
	return errors.Join(b.m.config.Adjudication.tables.close(), b.m.shared.close())
}
