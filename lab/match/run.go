package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"tesla/lab/journal"
)

// Run plays a match and returns its result from A's side, of all A's games where there are more than two players. See
// Play.
func Run(ctx context.Context, config Config) (Result, error) {
	table, err := Play(ctx, config)
	return table.First(), err
}

// Play plays the match. When it is cancelled, or a player cannot be started, the table is that of the games that were
// finished, next to the error. Config.Out, Live, PGN and Journal are written from one goroutine at a time, in the order
// in which games end; PGN in the order of the games where it is to be stable. When the SPRT decides, the games in
// progress are cancelled, and those that the test has seen are the ones that count.
func Play(ctx context.Context, config Config) (Table, error) {
	if err := config.Validate(); err != nil {
		return Table{}, fmt.Errorf("match: %w", err)
	}
	openings, err := LoadOpenings(config.Openings, config.Plies)
	if err != nil {
		return Table{}, fmt.Errorf("match: %w", err)
	}
	for i := range openings {
		config.Chess960 = config.Chess960 || needs960(&openings[i].Start)
	}
	if config.Log != nil {
		config.Log = &locked{to: config.Log}
	}
	m, err := newRun(&config, openings)
	if err != nil {
		return Table{}, fmt.Errorf("match: %w", err)
	}
	if err = m.open(); err == nil {
		err = m.playAll(ctx)
	}
	err = errors.Join(err, m.close())
	if config.Report != "" && m.games > 0 {
		err = errors.Join(err, WriteReport(config.Report, [2]string(m.names), m.tallies[0].Facts(), config.SPRT))
	}
	if err != nil {
		err = fmt.Errorf("match: %w", err)
	}
	return m.table(), err
}

// matchRun is a match in progress.
type matchRun struct {
	config   *Config
	players  []*Player
	names    []string
	nets     []string // hashes; empty: not known
	schedule schedule
	openings []Opening
	order    []int              // opening of each round
	journal  *journal.Journal   // nil: none
	cancel   context.CancelFunc // ends the games in progress
	live     *liveLine          // nil: none
	begun    time.Time
	venue    *venue

	mu      sync.Mutex // guards all below, and writing
	pgn     *pgnFile
	style   *pgnStyle
	done    []bool // of each game
	resumed int    // games that the journal had
	games   int    // that are finished
	tallies []Tally
	next    int             // the first game that is not finished
	ahead   map[int]*record // finished games that a game before them is not, each stripped of what nobody needs
	points  []int           // A's, of the games before next; only for Config.Judge
	ordered []*record       // those games, stripped; only for Config.Judge
	decided bool            // Config.Judge has ended the match
	err     error           // the first
}

func newRun(config *Config, openings []Opening) (*matchRun, error) {
	m := &matchRun{config: config, players: config.players(), openings: openings, ahead: map[int]*record{}}
	m.names = labels(m.players...)
	m.schedule = newSchedule(len(m.players), config.Games, config.Format)
	m.order = order(len(openings), m.schedule.rounds(), config.Order == "random", config.Seed)
	m.done = make([]bool, m.schedule.total())
	m.tallies = make([]Tally, len(m.schedule.pairings))
	if config.SPRT != nil && config.Judge == nil {
		config.Judge = &Referee{Test: config.SPRT}
	}
	m.nets = make([]string, len(m.players))
	for i, p := range m.players {
		if p.Cmd != "" || config.Net == nil {
			continue
		}
		var err error
		if m.nets[i], err = config.Net(*p); err != nil {
			return nil, fmt.Errorf("%s: net: %w", m.names[i], err)
		}
	}
	m.style = newStyle(m)
	if config.Live != nil {
		m.live = &liveLine{to: config.Live, columns: config.Columns}
		if config.Warn != nil {
			config.Warn = m.live
		}
	}
	var err error
	m.venue, err = openVenue(config, m.names)
	return m, err
}

// result is that of a pairing so far, with how the SPRT stands.
func (m *matchRun) result(pairing int) Result {
	r := m.tallies[pairing].Result()
	if referee, ok := m.config.Judge.(*Referee); ok {
		referee.Report(&r)
	}
	return r
}

func (m *matchRun) format() string {
	if m.config.Format == Gauntlet {
		return Gauntlet
	}
	return RoundRobin
}

// open opens journal and PGN, and counts the games that the journal has.
func (m *matchRun) open() (err error) {
	var first *header
	if m.config.Journal != "" {
		if first, err = m.openJournal(); err != nil {
			return err
		}
	}
	if !m.config.Resume {
		if m.config.PGN != "" {
			m.pgn, err = openPGN(m.config.PGN)
		}
		return err
	}
	if m.config.PGN != "" {
		if m.pgn, err = rebuildPGN(m.config.PGN, first); err != nil {
			return err
		}
	}
	if err := m.journal.Replay(m.revisit); err != nil {
		return err
	}
	if m.resumed = m.games; m.config.Out != nil {
		fmt.Fprintf(m.config.Out, "resumed: %d of %d games are in %s\n", m.resumed, m.schedule.total(), m.config.Journal)
	}
	if m.pgn == nil {
		return nil
	}
	return m.pgn.commit()
}

// revisit takes a game from its line of the journal.
func (m *matchRun) revisit(line []byte) error {
	var l gameLine
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	if l.Game < 0 || l.Game >= m.schedule.total() {
		return fmt.Errorf("game %d of %d", l.Game, m.schedule.total())
	}
	if m.done[l.Game] {
		return fmt.Errorf("game %d is there a second time", l.Game)
	}
	r := m.newRecord(l.Game)
	if err := l.restore(r, m.config.Chess960); err != nil {
		return err
	}
	return m.count(r)
}

func (m *matchRun) newRecord(number int) *record {
	r := &record{fixture: m.schedule.at(number), failed: -1}
	r.aWhite, r.opening = !r.second, m.order[r.round]
	o := &m.openings[r.opening]
	r.game, r.book = o.game(), len(o.Moves)
	for side, player := range r.sides {
		r.names[side], r.conditions[side] = m.names[player], m.config.condition(m.players[player])
	}
	return r
}

// close closes the files; games that wait for one before them go to the PGN as they are.
func (m *matchRun) close() error {
	var errs []error
	if m.pgn != nil && m.pgn.to != "" { // reading the journal failed
		m.pgn.drop()
		m.pgn = nil
	}
	if m.pgn != nil {
		if m.config.PGNStable && !m.decided {
			for _, number := range slices.Sorted(maps.Keys(m.ahead)) {
				errs = append(errs, m.pgn.write(m.ahead[number].pgnText(m.style)))
			}
		}
		errs = append(errs, m.pgn.close())
	}
	if m.journal != nil {
		errs = append(errs, m.journal.Close())
	}
	return errors.Join(append(errs, m.venue.close())...)
}

// playAll deals the games that are missing to as many workers as play at a time, each with players of its own.
func (m *matchRun) playAll(ctx context.Context) error {
	var missing []int
	for number, done := range m.done {
		if !done {
			missing = append(missing, number)
		}
	}
	if m.decided {
		return nil
	}
	ctx, m.cancel = context.WithCancel(ctx)
	defer m.cancel()
	m.begun = time.Now()
	if m.live != nil {
		defer m.live.run(m.status)()
	}
	numbers := make(chan int)
	var workers sync.WaitGroup
	for _, slot := range m.venue.slots[:min(len(m.venue.slots), len(missing))] {
		workers.Go(func() { m.work(ctx, slot, numbers) })
	}
deal:
	for _, number := range missing {
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

// work plays games until there are no more, or one cannot be played.
func (m *matchRun) work(ctx context.Context, slot slot, numbers <-chan int) {
	seats := make([]*seat, len(m.players))
	for i := range seats {
		seats[i] = m.seat(i, slot)
		defer seats[i].close()
	}
	for number := range numbers {
		r := m.newRecord(number)
		r, err := play(ctx, m.config, r, [2]*seat{seats[r.sides[0]], seats[r.sides[1]]})
		if err == nil {
			err = m.finish(r)
		}
		if err != nil {
			m.fail(err)
			m.cancel()
			return
		}
	}
}

func (m *matchRun) seat(i int, slot slot) *seat {
	spec := m.players[i]
	return &seat{
		config: m.config, spec: spec, name: m.names[i], condition: m.config.condition(spec), chess960: m.config.Chess960,
		venue: m.venue, side: i, slot: slot,
	}
}

// fail keeps the first error; that games were cancelled is none when the match is decided.
func (m *matchRun) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil && !(m.decided && errors.Is(err, context.Canceled)) {
		m.err = err
	}
}

// finish writes a game down, counts it and says how the match stands. A game that ends after the decision is forgotten.
func (m *matchRun) finish(r *record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.decided {
		return nil
	}
	r.date = time.Now()
	if m.journal != nil {
		if err := m.journal.Append(r.line(m.config.Chess960)); err != nil {
			return err
		}
	}
	if err := m.count(r); err != nil {
		return err
	}
	m.say(r)
	return nil
}

// count counts a game that is in the journal and writes it to the PGN.
func (m *matchRun) count(r *record) error {
	m.done[r.number] = true
	r.plies = len(r.game.Moves)
	if m.decided && m.config.PGNStable {
		return nil
	}
	if !m.decided {
		m.games++
		m.tallies[r.pairing].Add(r.fact())
	}
	if m.pgn != nil && !m.config.PGNStable {
		if err := m.pgn.write(r.pgnText(m.style)); err != nil {
			return err
		}
	}
	if m.pgn == nil || !m.config.PGNStable {
		r.strip()
	}
	m.ahead[r.number] = r
	return m.advance()
}

// strip drops the moves, which most of the memory of a finished game goes to.
func (r *record) strip() { r.game, r.moves = nil, nil }

// advance takes the games whose turn has come in game order: to a stable PGN, and before the judge.
func (m *matchRun) advance() error {
	for !m.decided {
		r, ok := m.ahead[m.next]
		if !ok {
			return nil
		}
		delete(m.ahead, m.next)
		m.next++
		if m.pgn != nil && m.config.PGNStable {
			if err := m.pgn.write(r.pgnText(m.style)); err != nil {
				return err
			}
		}
		if m.config.Judge == nil {
			continue
		}
		r.strip()
		m.ordered, m.points = append(m.ordered, r), append(m.points, r.pointsOfA())
		if m.config.Judge.Stop(m.points) {
			m.decide()
		}
	}
	return nil
}

// decide ends the match: the games that the judge was told are those that count.
func (m *matchRun) decide() {
	m.decided, m.games = true, len(m.ordered)
	m.tallies = make([]Tally, len(m.schedule.pairings))
	for _, r := range m.ordered {
		m.tallies[r.pairing].Add(r.fact())
	}
	if m.cancel != nil { // else the journal is being read
		m.cancel()
	}
}

// say writes the line of a game that has ended. Where there is a live line, only of one that a failure ended.
func (m *matchRun) say(r *record) {
	out := m.config.Out
	if m.live != nil {
		defer m.live.draw(m.text())
		if r.failure == nil {
			return
		}
		m.live.wipe()
		if out == nil {
			out = m.config.Live
		}
	}
	if out == nil {
		return
	}
	result := m.result(r.pairing)
	fmt.Fprintf(out, "game %d of %d: %s - %s %s (%s, %d plies); %s\n", r.number+1, m.schedule.total(),
		r.names[0], r.names[1], r.score.text(), r.reason, r.plies, result.String())
}
