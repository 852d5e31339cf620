package match

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"tesla/lab/work"
)

// distribute has the missing games played by other processes, see package fleet. A unit is the two games of a pair, or
// one of them where the journal has the other; its number is that of the pair's first game.
func (m *matchRun) distribute(ctx context.Context, missing []int) error {
	order, err := m.newOrder()
	if err != nil {
		return err
	}
	pair := func(game int) int { return game - m.at(game).leg }
	m.begun = time.Now()
	if m.live != nil {
		defer m.live.Run(m.status)()
	}
	outer := ctx
	ctx, m.cancel = context.WithCancel(ctx)
	defer m.cancel()
	err = m.config.Distributor.Play(ctx, &work.Run{ID: m.style.id, Kind: work.Match, Commit: order.Commit,
		Order: func() work.Order { return order.clone() }, Units: work.Units(missing, pair), Unit: pair, Has: m.has, Read: m.reread,
		Sync: func() error { return nil }, // each line of the journal is synced
		Clock: func() (limited bool, speed float64) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.ContainsFunc(order.Conditions, timed), m.reference
		},
		Say: m.shared.say, Progress: m.progress})
	if err != nil {
		m.mu.Lock()
		m.refused = len(m.there) == 0 && outer.Err() == nil
		m.mu.Unlock()
		m.fail(err)
	}
	return m.err
}

func (m *matchRun) has(game int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, there := m.there[game]
	return there
}

// reread reads a game that was played elsewhere. A line is one of the journal.
func (m *matchRun) reread(line json.RawMessage) (game int, keep func(from work.Origin) error, err error) {
	r, err := m.restore(line)
	if err == nil {
		err = m.replay(r)
	}
	if err != nil {
		return 0, nil, err
	}
	return r.Number, func(from work.Origin) error { return m.keep(r, from) }, nil
}

// keep writes down a game that was played elsewhere.
func (m *matchRun) keep(r *record, from work.Origin) error {
	r.Origin = from
	for side, plays := range r.Plays {
		if plays == "" {
			continue
		}
		if first := m.shared.identify(r.sides[side], plays); first != "" {
			r.Incidents = append(r.Incidents, incidentLine{m.names[r.sides[side]], incidentNames[otherNet], 1,
				fmt.Sprintf("on worker %s it plays with %s, not with %s as at first", from.Worker, plays, first)})
		}
	}
	m.shared.restore(r.Incidents)
	err := m.finish(r)
	if err != nil {
		m.fail(err)
	}
	return err
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

// progress is how far the match is, for those who watch it from elsewhere.
func (m *matchRun) progress() work.Progress {
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
