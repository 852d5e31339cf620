package match

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Run plays the match. When it is cancelled, or a player cannot be started, the result is that of the games that were
// finished, next to the error. Config.Out and Config.PGN are written from one goroutine at a time, in the order in which
// games end.
func Run(ctx context.Context, config Config) (Result, error) {
	if err := config.Validate(); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	openings, err := LoadOpenings(config.Openings, config.Plies)
	if err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	for i := range openings {
		config.Chess960 = config.Chess960 || needs960(&openings[i].Start)
	}
	if config.Log != nil {
		config.Log = &locked{to: config.Log}
	}
	m := &matchRun{config: &config, half: map[int]int{}}
	m.names[0], m.names[1] = labels(&config.A, &config.B)
	if m.venue, err = openVenue(&config, m.names); err != nil {
		return Result{}, fmt.Errorf("match: %w", err)
	}
	if config.PGN != "" {
		if m.pgn, err = os.OpenFile(config.PGN, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
			return Result{}, fmt.Errorf("match: %w", errors.Join(err, m.venue.close()))
		}
	}
	err = m.playAll(ctx, openings)
	if m.pgn != nil {
		if closed := m.pgn.Close(); err == nil {
			err = closed
		}
	}
	if closed := m.venue.close(); err == nil {
		err = closed
	}
	m.result.Incidents, m.result.Overhead = m.venue.incidents(), m.venue.gaps.overhead()
	m.result.update()
	if err != nil {
		err = fmt.Errorf("match: %w", err)
	}
	return m.result, err
}

// matchRun is a match in progress.
type matchRun struct {
	config *Config
	names  [2]string
	venue  *venue
	pgn    *os.File

	mu     sync.Mutex // guards all below, and writing
	result Result
	half   map[int]int // A's half points in pairs with one game finished
	err    error       // the first
}

// playAll deals the games to as many workers as play at a time, each with players of its own.
func (m *matchRun) playAll(ctx context.Context, openings []Opening) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pairs := order(len(openings), (m.config.Games+1)/2, m.config.Order == "random", m.config.Seed)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for _, slot := range m.venue.slots {
		workers.Go(func() {
			a, b := m.seat(0, slot), m.seat(1, slot)
			defer a.close()
			defer b.close()
			for number := range numbers {
				white, black := a, b
				if number%2 == 1 {
					white, black = b, a
				}
				r, err := play(ctx, m.config, number, &openings[pairs[number/2]], white, black)
				if err == nil {
					err = m.finish(r)
				}
				if err != nil {
					m.fail(err)
					cancel()
					return
				}
			}
		})
	}
deal:
	for number := range m.config.Games {
		select {
		case numbers <- number:
		case <-ctx.Done():
			m.fail(ctx.Err())
			break deal
		}
	}
	close(numbers)
	workers.Wait()
	return m.err
}

func (m *matchRun) seat(i int, slot slot) *seat {
	spec := [2]*Player{&m.config.A, &m.config.B}[i]
	return &seat{
		config: m.config, spec: spec, name: m.names[i], condition: m.config.condition(spec), chess960: m.config.Chess960,
		venue: m.venue, side: i, slot: slot,
	}
}

func (m *matchRun) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
}

// finish counts a game, writes it down and says how the match stands.
func (m *matchRun) finish(r *record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.result.add(r)
	if first, ok := m.half[r.number/2]; ok {
		m.result.Ptnml[first+r.pointsOfA()]++
		delete(m.half, r.number/2)
	} else {
		m.half[r.number/2] = r.pointsOfA()
	}
	m.result.update()
	if m.config.Out != nil {
		fmt.Fprintf(m.config.Out, "game %d of %d: %s - %s %s (%s, %d plies); %s\n", r.number+1, m.config.Games,
			r.names[0], r.names[1], r.score.text(), r.reason, len(r.game.Moves), m.result.String())
	}
	if m.pgn == nil {
		return nil
	}
	text := r.pgnText(m.names[0]+" - "+m.names[1], time.Now().Format("2006.01.02"), m.config.Chess960)
	if _, err := m.pgn.WriteString(text); err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}
