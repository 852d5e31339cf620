package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tesla/lab/journal"
	"tesla/lab/match/player"
	"tesla/lab/work"
)

// boards implement work.Boards. Each has players of its own.
type boards struct {
	m     *matchRun
	seats [][]*seat // of each board; nil before its first game
}

// Open implements work.Order. The games depend on the order alone.
func (o *Order) Open(ctx context.Context, most int, in player.InProcess, _ func(string)) (work.Boards, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	config := o.config(most, in)
	if err := config.Validate(); err != nil {
		return nil, err
	}
	openings, _, err := LoadOpenings(config.Openings.File, config.Openings.Plies)
	if err != nil {
		return nil, err
	}
	m, err := newRun(ctx, &config, openings)
	if err != nil {
		return nil, err
	}
	b := &boards{m: m, seats: make([][]*seat, len(m.venue.slots))}
	if err := b.compare(o); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// compare is an error unless programs and nets are the same here.
func (b *boards) compare(o *Order) error {
	for i, name := range b.m.names {
		if there, here := o.Nets[i], b.m.nets[i]; there != here {
			return fmt.Errorf("wrong net: that of %s is %q here, %q is wanted", name, here, there)
		}
		if o.Programs[i] == "" {
			continue
		}
		here, err := journal.ProgramHash(o.Players[i].Cmd)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if here != o.Programs[i] {
			return fmt.Errorf("wrong program: %s of %s is %s here, %s is wanted", o.Players[i].Cmd, name, here, o.Programs[i])
		}
	}
	return nil
}

// Len implements work.Boards.
func (b *boards) Len() int { return len(b.seats) }

// Scale implements work.Boards.
func (b *boards) Scale(factor float64) {
	for i := range b.m.config.Players {
		p := &b.m.config.Players[i]
		p.Condition = scaled(p.Condition, factor)
	}
}

// Play implements work.Boards. A line is one of the journal.
func (b *boards) Play(ctx context.Context, board int, numbers []int) (lines []json.RawMessage, err error) {
	if b.seats[board] == nil {
		seats := make([]*seat, len(b.m.names))
		for i := range seats {
			seats[i] = b.m.seat(i, b.m.venue.slots[board])
		}
		b.seats[board] = seats
		for _, s := range seats {
			if err := s.prepare(ctx); err != nil {
				return nil, err
			}
		}
	}
	seats := b.seats[board]
	for _, number := range numbers {
		if number < 0 || number >= b.m.schedule.total() {
			return nil, fmt.Errorf("game %d of %d", number, b.m.schedule.total())
		}
		r := b.m.newRecord(number)
		if r, err = play(ctx, b.m.config, r, [2]*seat{seats[r.sides[0]], seats[r.sides[1]]}); err != nil {
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

// Close implements work.Boards.
func (b *boards) Close() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, seats := range b.seats {
		closeAll(ended, seats)
	}
	return errors.Join(b.m.config.Adjudication.tables.close(), b.m.venue.close())
}
