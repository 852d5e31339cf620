package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"tesla/lab/match/stats"
)

// Elsewhere has the games of a match played by other processes, see package fleet.
type Elsewhere interface {
	// Play has the games played that run lacks, and hands them to run.Take. It returns nil when all of them are there.
	Play(ctx context.Context, run *Run) error
}

// Origin says who played a game for the match, and how its clocks were set.
type Origin struct {
	Worker string  `json:"worker,omitempty"`       // empty: this process
	NPS    float64 `json:"worker_nps,omitempty"`   // of the worker's bench, nodes a second on each core
	Factor float64 `json:"clock_factor,omitempty"` // by which its clocks were multiplied
}

// Run is a match for those who have its games played elsewhere.
type Run struct {
	ID    string // of the match, the same when it is resumed
	Order Order
	Units []Unit // games that the journal lacks, in the order of the schedule

	m  *matchRun
	mu sync.Mutex // held while a unit is taken
}

// Unit is what one worker plays: the two games of a pair, or one of them where the journal has the other.
type Unit struct {
	ID    int   `json:"id"`    // number of the pair's first game
	Games []int `json:"games"` // numbers
}

// ErrResult is wrapped by the error of Take about a result that cannot be right.
var ErrResult = errors.New("the result cannot be right")

// playElsewhere has the missing games played by other processes.
func (m *matchRun) playElsewhere(ctx context.Context, missing []int) error {
	order, err := m.newOrder()
	if err != nil {
		return err
	}
	r := &Run{ID: m.style.id, Order: order, m: m}
	for _, number := range missing {
		f := m.schedule.at(number)
		id := number
		if f.second {
			id--
		}
		if last := len(r.Units) - 1; last >= 0 && r.Units[last].ID == id {
			r.Units[last].Games = append(r.Units[last].Games, number)
		} else {
			r.Units = append(r.Units, Unit{id, []int{number}})
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

// Take takes the games of a unit, each a line of the journal. Those that are there already are passed over. When it
// returns nil, all others are on the disk. An error that wraps ErrResult is about the lines, and nothing is taken;
// any other ends the match.
func (r *Run) Take(from Origin, lines []json.RawMessage) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var records []*record
	for _, line := range lines {
		played, err := r.m.reread(line)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrResult, err)
		}
		if played != nil {
			played.origin = from
			records = append(records, played)
		}
	}
	for _, played := range records {
		for side, plays := range played.plays {
			if plays == "" || side > 1 {
				continue
			}
			if first := r.m.venue.identify(played.sides[side], plays); first != "" {
				played.incidents = append(played.incidents, incidentLine{played.names[side], incidentNames[otherNet], 1,
					fmt.Sprintf("on worker %s it plays with %s, not with %s as at first", from.Worker, plays, first)})
			}
		}
		if err := r.m.venue.restore(played.incidents); err != nil {
			return fmt.Errorf("%w: game %d: %w", ErrResult, played.number, err)
		}
		if err := r.m.finish(played); err != nil {
			r.m.fail(err)
			return err
		}
	}
	return nil
}

// reread makes a record of a game that was played elsewhere; nil where that game is there already.
func (m *matchRun) reread(line []byte) (*record, error) {
	var l gameLine
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, err
	}
	if l.Game < 0 || l.Game >= m.schedule.total() {
		return nil, fmt.Errorf("game %d of %d", l.Game, m.schedule.total())
	}
	m.mu.Lock()
	done := m.done[l.Game]
	m.mu.Unlock()
	if done {
		return nil, nil
	}
	r := m.newRecord(l.Game)
	if err := l.restore(r, m.config.Openings.Chess960); err != nil {
		return nil, err
	}
	return r, m.replay(r)
}

// replay is an error unless rules and adjudication give a game the result that it has.
func (m *matchRun) replay(r *record) error {
	again := m.newRecord(r.number)
	rules := &m.config.Adjudication
	for i, move := range r.moves {
		if rules.over(again) {
			return fmt.Errorf("game %d is over after %d moves (%s) and goes on", r.number, i, again.reason)
		}
		again.game.Play(move.move)
		again.moves = append(again.moves, move)
	}
	switch ended := rules.over(again); {
	case r.failure != nil:
		return nil
	case !ended:
		return fmt.Errorf("game %d has a result (%s) and is not over", r.number, r.reason)
	case again.score != r.score:
		return fmt.Errorf("game %d is said to end %s (%s), and ends %s (%s)", r.number, r.score.text(), r.reason, again.score.text(), again.reason)
	}
	return nil
}

// Done tells whether a unit's games are all there.
func (r *Run) Done(u Unit) bool {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	for _, number := range u.Games {
		if !r.m.done[number] {
			return false
		}
	}
	return true
}

// Say tells the user something.
func (r *Run) Say(text string) { r.m.venue.say(text) }

// Progress is how far a match is, for those who watch it from elsewhere.
type Progress struct {
	Players []string       `json:"players"`
	Games   int            `json:"games"`
	Total   int            `json:"total"`
	Text    string         `json:"text"` // of the live line
	Speed   float64        `json:"games_a_minute"`
	Workers []stats.Worker `json:"workers"`
}

// Progress is how far the match is.
func (r *Run) Progress() Progress {
	m := r.m
	m.mu.Lock()
	defer m.mu.Unlock()
	p := Progress{Players: m.names, Games: m.games, Total: m.schedule.total(), Text: m.text(), Workers: m.workers.List()}
	if spent := time.Since(m.begun).Minutes(); spent > 0 {
		p.Speed = float64(m.games-m.resumed) / spent
	}
	return p
}

// Reference is the speed at which clocks run as the match says, nodes a second; 0: the journal has no game with a worker.
func (r *Run) Reference() float64 {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	return r.m.reference
}

// tellWorkers tells of the workers whose results deviate from those of the others.
func (m *matchRun) tellWorkers(to io.Writer) {
	for _, w := range m.workers.List() {
		if w.Deviates() {
			fmt.Fprintf(to, "match: the results of worker %s differ from those of the others (chi-square, p = %.2g): --without %s leaves them out\n", w.Name, w.P, w.Name)
		}
	}
}
