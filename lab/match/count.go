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
	stable := m.config.Files.PGNStable
	if m.decided && stable {
		return nil
	}
	fact := r.fact()
	if !m.decided {
		m.games++
		m.facts = append(m.facts, fact)
		if m.tallies[r.pairing].Add(fact) {
			m.decide()
		}
	}
	if r.Worker != "" {
		m.workers.Add(r.Worker, r.pairing, &fact)
		m.reference = r.NPS * r.Factor
	}
	switch {
	case m.pgn == nil:
		return nil
	case stable:
		m.ahead[r.Number] = r
		return m.advance()
	}
	return m.write(r)
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

// advance writes the games whose turn has come to a stable PGN, in game order: all of them, or those that the test has seen.
func (m *matchRun) advance() error {
	for !m.decided || m.next < m.games {
		r, ok := m.ahead[m.next]
		if !ok {
			return nil
		}
		delete(m.ahead, m.next)
		m.next++
		if err := m.write(r); err != nil {
			return err
		}
	}
	return nil
}

// decide ends the match of two players: the games that the test has seen are those that count.
func (m *matchRun) decide() {
	m.decided, m.games = true, 2*m.result(0).SPRT.Pairs
	m.tallies[0] = stats.Tally{SPRT: m.config.SPRT}
	for _, f := range m.facts {
		if f.Game < m.games {
			m.tallies[0].Add(f)
		}
	}
	if m.cancel != nil { // else the journal is being read
		m.cancel()
	}
}

// fact is what the statistics keep of the game.
func (r *record) fact() stats.GameFact { return r.Game.fact(r.local(), r.leg == 0) }

// result is the result of a pairing so far, with the state of the SPRT.
func (m *matchRun) result(pairing int) stats.Result { return m.tallies[pairing].Result() }

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
		plays, reports := m.shared.identity(i)
		players = append(players, stats.Rating{Name: name, Incidents: incidents[i], Plays: plays, Reports: reports})
	}
	var pairings []stats.Pairing
	for i, sides := range m.schedule.pairings {
		r := m.result(i)
		r.Overhead = overhead
		for k, side := range sides {
			r.Plays[k], r.Reports[k], r.Incidents[k] = players[side].Plays, players[side].Reports, incidents[side]
		}
		first, second := m.names[sides[0]], m.names[sides[1]]
		pairings = append(pairings, stats.Pairing{First: first, Second: second, Result: r, Sides: sides})
	}
	t := stats.NewTable(players, pairings)
	t.Head = m.head()
	return t
}
