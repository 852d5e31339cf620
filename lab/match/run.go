package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tesla/lab/journal"
	"tesla/lab/match/pgn"
	"tesla/lab/match/player"
	"tesla/lab/match/stats"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/lab/watchdog"
)

// Play plays the match. When it is cancelled, a search fails, or a player cannot be started, it returns the error
// beside the table of the games that were finished. The games in progress are then not counted and not written down.
// Play returns within a few grace times after ctx has ended, whatever a player does.
//
// The outputs, the PGN and the journal are written in the order in which games end; a stable PGN in the order of the
// games. When the SPRT decides, the games in progress are cancelled, and those that the test has seen are the ones
// that count.
func Play(ctx context.Context, config Config) (stats.Table, error) {
	m, err := newRun(ctx, &config)
	if err != nil {
		return stats.Table{}, fmt.Errorf("match: %w", err)
	}
	if err = m.open(); err == nil {
		err = m.playAll(ctx)
	}
	if config.Output.Warn != nil {
		m.tellWorkers(config.Output.Warn)
	}
	err = errors.Join(err, m.close())
	if m.refused && m.journal != nil && !config.Files.Resume {
		err = errors.Join(err, os.Remove(config.Files.Journal)) // it has a header only, and would be in the way
	}
	if err != nil {
		err = fmt.Errorf("match: %w", err)
	}
	return m.table(), err
}

// tell writes the first ten notes and the number of the others.
func tell(to io.Writer, notes []string) {
	const most = 10
	for _, note := range notes[:min(most, len(notes))] {
		fmt.Fprintf(to, "match: %s\n", note)
	}
	if more := len(notes) - most; more > 0 {
		fmt.Fprintf(to, "match: %d more such lines\n", more)
	}
}

// matchRun is a match in progress.
type matchRun struct {
	config   *Config
	nets     []string // hashes; empty: not known
	openings []pgn.Line
	order    []int              // opening of each round
	journal  *journal.Journal   // nil: none
	cancel   context.CancelFunc // ends the games in progress
	live     *view.Line         // nil: none
	begun    time.Time
	begunBy  string // commit of the program that began the journal
	refused  bool   // a player could not be prepared, or the fleet not be reached: no game was played
	shared   *shared

	mu        sync.Mutex // guards all below, and writing
	ledger               // schedule and names do not change
	pgn       *pgnFile   // nil: none
	style     *pgnStyle
	reading   bool      // the journal is being read
	restored  []*record // games of the journal, before they are counted
	again     []string  // their PGN, which is written again
	resumed   int       // games that were in the journal
	games     int       // finished games that count
	tallies   []stats.Tally
	workers   stats.Workers
	reference float64          // speed at which clocks run as the match says, nodes a second; 0: not known
	next      int              // the first game that is not in a stable PGN
	ahead     map[int]*record  // finished games that wait for an earlier one; only for a stable PGN
	facts     []stats.GameFact // games that were counted
	decided   bool             // the SPRT has ended the match
	err       error            // the first error
}

// newRun checks the configuration, and prepares its match.
func newRun(ctx context.Context, config *Config) (*matchRun, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	openings, notes, err := LoadOpenings(config.Openings.File, config.Openings.Plies)
	if err != nil {
		return nil, err
	}
	if config.Output.Warn != nil {
		tell(config.Output.Warn, notes)
	}
	for i := range openings {
		config.Openings.Chess960 = config.Openings.Chess960 || openings[i].Start.NeedsChess960()
	}
	m := &matchRun{config: config, openings: openings, ahead: map[int]*record{}}
	m.names = player.Labels(config.Players)
	m.schedule = newSchedule(len(config.Players), config.Games, config.Format)
	m.order = order(len(openings), m.schedule.rounds(), config.Openings.Order == RandomOrder, config.Openings.Seed)
	m.there = map[int]int{}
	m.tallies = make([]stats.Tally, len(m.schedule.pairings))
	m.tallies[0].SPRT = config.SPRT // which needs two players
	onDevice, err := m.describePlayers(ctx)
	if err != nil {
		return nil, err
	}
	m.style = newStyle(m)
	if config.Output.Live != nil {
		m.live = &view.Line{To: config.Output.Live, Columns: config.Output.Columns}
		if config.Output.Warn != nil {
			config.Output.Warn = m.live
		}
	}
	if m.shared, err = openShared(config, m.names, onDevice); err != nil {
		return nil, err
	}
	if t := config.Adjudication.tables; t != nil {
		t.Tell(func(err error) { m.shared.say(err.Error() + ": its positions are played on") })
	}
	return m, nil
}

// describePlayers asks for the nets of the players in process, and whether any player computes on an accelerator. Both
// may open a device, which may hang.
func (m *matchRun) describePlayers(ctx context.Context) (onDevice bool, err error) {
	type description struct {
		nets     []string
		onDevice bool
	}
	asking, stop := context.WithTimeout(ctx, m.config.Patience.Start)
	defer stop()
	d, err := watchdog.Call(asking, m.config.Patience.Grace, func() (d description, err error) {
		d.nets = make([]string, len(m.names))
		for i := range m.config.Players {
			p := &m.config.Players[i]
			if p.Cmd != "" || m.config.InProcess.Net == nil {
				continue
			}
			if d.nets[i], err = m.config.InProcess.Net(searcherOf(p)); err != nil {
				return d, fmt.Errorf("%s: net: %w", m.names[i], err)
			}
		}
		d.onDevice = m.config.onDevice()
		return d, nil
	}, nil)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, fmt.Errorf("describing the players: %w", err)
	}
	m.nets = d.nets
	return d.onDevice, nil
}

// open opens journal and PGN, and counts the games that the journal has.
func (m *matchRun) open() (err error) {
	files := &m.config.Files
	if files.Journal != "" {
		first, err := m.openJournal()
		if err != nil {
			return err
		}
		m.style.id, m.style.machine, m.begunBy = first.ID, first.Machine, first.Commit
	}
	if files.PGN != "" {
		if m.pgn, err = openPGN(files.PGN); err != nil {
			return err
		}
	}
	if !files.Resume {
		return nil
	}
	if err := m.journal.Replay(m.revisit); err != nil {
		return err
	}
	if m.leaveOut(m.config.Without) {
		if err := m.journal.Append(leftOut{m.config.Without}); err != nil {
			return err
		}
	}
	m.reading = true
	for _, r := range m.restored {
		m.shared.restore(r.Incidents)
		for side, plays := range r.Plays {
			if plays != "" {
				m.shared.identify(r.sides[side], plays)
			}
		}
		if err := m.count(r); err != nil {
			return err
		}
	}
	m.reading, m.restored = false, nil
	if lost := m.journal.Lost(); lost > 0 && m.config.Output.Out != nil {
		fmt.Fprintf(m.config.Output.Out, "journal %s: the last %d bytes were no whole record and were cut off\n", files.Journal, lost)
	}
	if m.resumed = m.games; m.config.Output.Out != nil {
		fmt.Fprintf(m.config.Output.Out, "resumed: %d of %d games are in %s\n", m.resumed, m.schedule.total(), files.Journal)
	}
	if m.pgn == nil {
		return nil
	}
	defer func() { m.again = nil }()
	return m.pgn.rewrite(m.style, m.again)
}

// revisit takes a line of the journal.
func (m *matchRun) revisit(line []byte) error {
	if workers := leaves(line); workers != nil {
		m.leaveOut(workers)
		return nil
	}
	r, err := m.restore(line)
	if err == nil {
		err = m.enter(r.Number)
	}
	if err != nil {
		return err
	}
	if m.pgn != nil {
		r.text = r.pgnGame(m.style).Text()
	}
	r.game, r.Moves = nil, nil
	m.restored = append(m.restored, r)
	return nil
}

// leaveOut takes back the games of some workers, and reports whether there are any.
func (m *matchRun) leaveOut(workers []string) (any bool) {
	m.restored = slices.DeleteFunc(m.restored, func(r *record) bool {
		out := slices.Contains(workers, r.Worker)
		if out {
			delete(m.there, r.Number)
		}
		any = any || out
		return out
	})
	return any
}

// newRecord is a game before its first move.
func (m *matchRun) newRecord(number int) *record {
	r := &record{fixture: m.at(number)}
	r.Number, r.Commit, r.AWhite, r.Opening = number, m.config.Commit, r.leg == 0, m.order[r.round]
	r.White, r.Black = m.names[r.sides[0]], m.names[r.sides[1]]
	r.game = m.openings[r.Opening].Game()
	r.book = len(r.game.Moves)
	p := r.game.Start
	r.Start = p.FEN(m.config.Openings.Chess960)
	for _, move := range r.game.Moves {
		r.Moves = append(r.Moves, Move{UCI: p.UCI(move, m.config.Openings.Chess960), Book: true})
		p = p.After(move)
	}
	return r
}

// restore is the game of a line of the journal. It must have the opening and the rules of this match.
func (m *matchRun) restore(line []byte) (*record, error) {
	var l gameLine
	if _, err := m.read(line, &l); err != nil {
		return nil, err
	}
	r := m.newRecord(l.Number)
	if l.Opening != r.Opening || l.Start != r.Start || len(l.Moves) < r.book || len(l.Moves) != l.Plies {
		return nil, fmt.Errorf("game %d has opening %d from %s and %d moves of %d plies, not opening %d from %s with %d moves", l.Number,
			l.Opening, l.Start, len(l.Moves), l.Plies, r.Opening, r.Start, r.book)
	}
	if l.Plays != nil && len(l.Plays) != 2 {
		return nil, fmt.Errorf("game %d: what %d players play with, want 2", l.Number, len(l.Plays))
	}
	for _, i := range l.Incidents {
		if !slices.Contains(m.names, i.Player) || !slices.Contains(incidentNames[:], i.Kind) {
			return nil, fmt.Errorf("game %d: incident %q of %q", l.Number, i.Kind, i.Player)
		}
	}
	copy(l.Moves, r.Moves)
	l.Commit = cmp.Or(l.Commit, m.begunBy)
	r.gameLine = l
	return r, r.play(r.game)
}

// close closes the files. Games that wait for one before them go to the PGN as they are.
func (m *matchRun) close() error {
	var errs []error
	if m.pgn != nil {
		if m.config.Files.PGNStable && !m.decided {
			for _, number := range slices.Sorted(maps.Keys(m.ahead)) {
				errs = append(errs, m.write(m.ahead[number]))
			}
		}
		errs = append(errs, m.pgn.close())
	}
	if m.journal != nil {
		errs = append(errs, m.journal.Close())
	}
	return errors.Join(append(errs, m.config.Adjudication.tables.close(), m.shared.close())...)
}

// playAll deals the games that are missing to the workers. There is one for each game at a time, with its own players.
func (m *matchRun) playAll(ctx context.Context) error {
	var missing []int
	for number := range m.total() {
		if _, there := m.there[number]; !there {
			missing = append(missing, number)
		}
	}
	if m.decided || len(missing) == 0 {
		return nil
	}
	if m.config.Distributor != nil {
		return m.distribute(ctx, missing)
	}
	outer := ctx
	ctx, m.cancel = context.WithCancel(ctx)
	defer m.cancel()
	b := m.boards(len(missing))
	if err := b.prepare(ctx, 0); err != nil {
		closeAll(outer, b.seats[0])
		m.refused = outer.Err() == nil
		return err
	}
	m.begun = time.Now()
	if out := m.config.Output.Out; out != nil {
		fmt.Fprint(out, m.head())
	}
	if m.live != nil {
		defer m.live.Run(m.status)()
	}
	var workers atomic.Int32
	all := &sweep.Sweep{Steps: len(missing), Workers: len(b.seats)}
	_ = all.Each(ctx, func(ctx context.Context, games iter.Seq[int]) error {
		board := int(workers.Add(1)) - 1
		defer closeAll(outer, b.seats[board])
		for i := range games {
			r, err := b.game(ctx, board, missing[i])
			if err == nil {
				err = m.finish(r)
			}
			if err != nil {
				m.fail(err)
				return err
			}
		}
		return nil
	}) // m.err is the error
	if ctx.Err() != nil && len(m.there) < m.total() {
		m.fail(ctx.Err())
	}
	return m.err
}

func (m *matchRun) seat(i int, slot slot) *seat {
	spec := &m.config.Players[i]
	var session player.Session
	if spec.Cmd == "" {
		session, _, _ = spec.Session() // Validate has read it
	}
	return &seat{
		config: m.config, spec: spec, session: session, name: m.names[i], condition: m.config.condition(spec),
		chess960: m.config.Openings.Chess960, shared: m.shared, side: i, slot: slot, ponders: m.config.ponders(spec),
	}
}

// fail keeps the first error. That games were cancelled is no error once the match is decided.
func (m *matchRun) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil && !(m.decided && errors.Is(err, context.Canceled)) {
		m.err = err
	}
}
