package match

import (
	"time"

	"tesla/lab/match/stats"
)

// finish writes a game into the journal, counts it and reports it. A game that ends after the decision is dropped.
func (m *matchRun) finish(r *record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.decided {
		return nil
	}
	r.Date = time.Now().Format(time.RFC3339)
	if err := m.enter(r.Number); err != nil {
		return err
	}
	if m.journal != nil {
		if err := m.journal.Append(&r.gameLine); err != nil {
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
	if m.decided && m.config.Files.PGNStable {
		return nil
	}
	if !m.decided {
		m.games++
		m.tallies[r.pairing].Add(r.fact())
	}
	if r.Worker != "" {
		f := r.fact()
		m.workers.Add(r.Worker, r.pairing, &f)
		m.reference = r.NPS * r.Factor
	}
	if m.pgn != nil && !m.config.Files.PGNStable {
		if err := m.write(r); err != nil {
			return err
		}
	}
	if m.pgn == nil || !m.config.Files.PGNStable {
		r.strip()
	}
	m.ahead[r.Number] = r
	return m.advance()
}

// write writes a game to the PGN. Those from the journal wait until all of them are read.
func (m *matchRun) write(r *record) error {
	text := r.text
	if text == "" {
		text = r.pgnGame(m.style).Text()
	}
	if m.reading {
		m.again = append(m.again, text)
		return nil
	}
	return m.pgn.write(text)
}

// strip drops the moves, which take most of the memory of a finished game.
func (r *record) strip() { r.game, r.Moves, r.text = nil, nil, "" }

// advance takes the games whose turn has come, in game order, and hands them to a stable PGN and to the judge.
func (m *matchRun) advance() error {
	for !m.decided {
		r, ok := m.ahead[m.next]
		if !ok {
			return nil
		}
		delete(m.ahead, m.next)
		m.next++
		if m.pgn != nil && m.config.Files.PGNStable {
			if err := m.write(r); err != nil {
				return err
			}
		}
		if m.config.Judge == nil {
			continue
		}
		r.strip()
		m.ordered, m.points = append(m.ordered, r), append(m.points, r.fact().Points)
		if m.config.Judge.Stop(m.points) {
			m.decide()
		}
	}
	return nil
}

// decide ends the match: the games that the judge has seen are those that count.
func (m *matchRun) decide() {
	m.decided, m.games = true, len(m.ordered)
	m.tallies = make([]stats.Tally, len(m.schedule.pairings))
	for _, r := range m.ordered {
		m.tallies[r.pairing].Add(r.fact())
	}
	if m.cancel != nil { // else the journal is being read
		m.cancel()
	}
}

// fact is what the statistics keep of the game.
func (r *record) fact() stats.GameFact { return r.Game.fact(r.local(), !r.second) }

// result is the result of a pairing so far, with the state of the SPRT.
func (m *matchRun) result(pairing int) stats.Result {
	r := m.tallies[pairing].Result()
	if referee, ok := m.config.Judge.(*stats.Referee); ok {
		referee.Report(&r)
	}
	return r
}

// first is the result of all games of the first player so far.
func (m *matchRun) first() stats.Result {
	var results []*stats.Result
	for i, sides := range m.schedule.pairings {
		if sides[0] == 0 {
			r := m.result(i)
			results = append(results, &r)
		}
	}
	return stats.Total(results)
}

func (m *matchRun) table() stats.Table {
	m.mu.Lock()
	defer m.mu.Unlock()
	incidents, overhead := m.shared.incidents(), m.shared.delays.Overhead()
	var players []stats.Rating
	for i, name := range m.names {
		plays, reports := m.shared.identities([2]int{i, i})
		players = append(players, stats.Rating{Name: name, Incidents: incidents[i], Plays: plays[0], Reports: reports[0]})
	}
	var pairings []stats.Pairing
	for i, sides := range m.schedule.pairings {
		r := m.result(i)
		r.Plays, r.Reports = m.shared.identities(sides)
		r.Incidents, r.Overhead = [2]stats.Incidents{incidents[sides[0]], incidents[sides[1]]}, overhead
		first, second := m.names[sides[0]], m.names[sides[1]]
		pairings = append(pairings, stats.Pairing{First: first, Second: second, Result: r, Sides: sides})
	}
	t := stats.NewTable(players, pairings)
	t.Head = m.head()
	return t
}
