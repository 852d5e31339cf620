package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"tesla/lab/work"
)

// hosted is a match whose games are played by other processes, see package fleet. It implements work.Run.
type hosted struct {
	order Order
	units []work.Unit // the two games of a pair, or one of them where the journal has the other

	m  *matchRun
	mu sync.Mutex // held while a unit is taken
}

// playElsewhere has the missing games played by other processes.
func (m *matchRun) playElsewhere(ctx context.Context, missing []int) error {
	order, err := m.newOrder()
	if err != nil {
		return err
	}
	r := &hosted{order: order, m: m}
	for _, number := range missing {
		f := m.schedule.at(number)
		id := number
		if f.second {
			id--
		}
		if last := len(r.units) - 1; last >= 0 && r.units[last].ID == id {
			r.units[last].Games = append(r.units[last].Games, number)
		} else {
			r.units = append(r.units, work.Unit{ID: id, Games: []int{number}})
		}
	}
	m.begun = time.Now()
	if m.live != nil {
		defer m.live.Run(m.status)()
	}
	ctx, m.cancel = context.WithCancel(ctx)
	defer m.cancel()
	if err := m.config.Elsewhere.Play(ctx, r); err != nil {
		m.fail(err)
	}
	return m.err
}

// ID implements work.Run.
func (r *hosted) ID() string { return r.m.style.id }

// Kind implements work.Run.
func (*hosted) Kind() string { return work.Match }

// Commit implements work.Run.
func (r *hosted) Commit() string { return r.order.Commit }

// Order implements work.Run.
func (r *hosted) Order() work.Order { return r.order.clone() }

// Units implements work.Run. The number of a unit is that of the pair's first game.
func (r *hosted) Units() []work.Unit { return r.units }

// Clock implements work.Run.
func (r *hosted) Clock() (limited bool, speed float64) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	return r.order.hasClock(), r.m.reference
}

// Take implements work.Run. A line is one of the journal.
func (r *hosted) Take(from work.Origin, lines []json.RawMessage) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var records []*record
	for _, line := range lines {
		played, err := r.m.reread(line)
		switch {
		case errors.Is(err, errThere):
		case err != nil:
			return fmt.Errorf("%w: %w", work.ErrResult, err)
		default:
			played.Origin = from
			records = append(records, played)
		}
	}
	for _, played := range records {
		for side, plays := range played.Plays {
			if plays == "" {
				continue
			}
			if first := r.m.venue.identify(played.sides[side], plays); first != "" {
				played.Incidents = append(played.Incidents, incidentLine{r.m.names[played.sides[side]], incidentNames[otherNet], 1,
					fmt.Sprintf("on worker %s it plays with %s, not with %s as at first", from.Worker, plays, first)})
			}
		}
		r.m.venue.restore(played.Incidents)
		if err := r.m.finish(played); err != nil {
			r.m.fail(err)
			return err
		}
	}
	return nil
}

// reread makes a record of a game that was played elsewhere.
func (m *matchRun) reread(line []byte) (*record, error) {
	m.mu.Lock()
	r, err := m.restore(line)
	m.mu.Unlock()
	if err == nil {
		err = m.replay(r)
	}
	return r, err
}

// replay is an error unless rules and adjudication give a game the result that it has.
func (m *matchRun) replay(r *record) error {
	again := m.newRecord(r.Number)
	rules := &m.config.Adjudication
	for i := r.book; i < len(r.Moves); i++ {
		if rules.over(again) {
			return fmt.Errorf("game %d is over after %d moves (%s) and goes on", r.Number, i, again.Reason)
		}
		again.game.Play(r.game.Moves[i])
		again.Moves = append(again.Moves, r.Moves[i])
	}
	switch ended := rules.over(again); {
	case r.Failure != "":
		return nil
	case !ended:
		return fmt.Errorf("game %d has a result (%s) and is not over", r.Number, r.Reason)
	case again.Result != r.Result:
		return fmt.Errorf("game %d is said to end %s (%s), and ends %s (%s)", r.Number, r.Result, r.Reason, again.Result, again.Reason)
	}
	return nil
}

// Done implements work.Run.
func (r *hosted) Done(u work.Unit) bool {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	for _, number := range u.Games {
		if _, there := r.m.there[number]; !there {
			return false
		}
	}
	return true
}

// Say implements work.Run.
func (r *hosted) Say(text string) { r.m.venue.say(text) }

// Progress implements work.Run.
func (r *hosted) Progress() work.Progress {
	m := r.m
	m.mu.Lock()
	defer m.mu.Unlock()
	p := work.Progress{Players: m.names, Games: m.games, Total: m.schedule.total(), Text: m.text(), Workers: m.workers.List()}
	if spent := time.Since(m.begun).Minutes(); spent > 0 {
		p.Speed = float64(m.games-m.resumed) / spent
	}
	return p
}

// tellWorkers tells of the workers whose results deviate from those of the others.
func (m *matchRun) tellWorkers(to io.Writer) {
	for _, w := range m.workers.List() {
		if w.Deviates() {
			fmt.Fprintf(to, "match: the results of worker %s differ from those of the others (chi-square, p = %.2g): --without %s leaves them out\n", w.Name, w.P, w.Name)
		}
	}
}
