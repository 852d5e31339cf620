package match

import (
	"fmt"
	"strings"
	"time"

	"tesla/lab/match/stats"
	"tesla/lab/view"
)

// status is the text of the live line.
func (m *matchRun) status() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text()
}

// text is the state of the match: a bar, the games, A's score and Elo, the judge, the speed and the time left.
//
//	[######--------------]  31/100  +9 =15 -7  Elo +22.5 ± 78.1  LLR 0.42 (-2.94, 2.94)  12.4 games/min  5:34 left
func (m *matchRun) text() string {
	total := m.schedule.total()
	r := m.first()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %3d/%d  ", view.Bar(m.games, total), m.games, total)
	if len(m.names) > 2 {
		fmt.Fprintf(&b, "%s ", m.names[0])
	}
	fmt.Fprintf(&b, "+%d =%d -%d  Elo %+.1f", r.Wins, r.Draws, r.Losses, r.Elo)
	if r.EloError < stats.MaxElo {
		fmt.Fprintf(&b, " ± %.1f", r.EloError)
	}
	if m.config.Judge != nil {
		fmt.Fprintf(&b, "  %s", m.config.Judge)
	}
	if failed := r.Crashes + r.Timeouts + r.Illegal; failed > 0 {
		fmt.Fprintf(&b, "  %d failed", failed)
	}
	spent := time.Since(m.begun)
	if played := m.games - m.resumed; played > 0 && spent > 0 {
		each := spent / time.Duration(played)
		left := each * time.Duration(total-m.games)
		fmt.Fprintf(&b, "  %.1f games/min  %s left", 1/each.Minutes(), view.Clock(left))
	}
	return b.String()
}

// say writes the line of a game that has ended. Beside a live line it writes only games that a failure ended.
func (m *matchRun) say(r *record) {
	out := m.config.Output.Out
	if m.live != nil {
		defer m.live.Draw(m.text())
		if r.failure == nil {
			return
		}
		m.live.Wipe()
		if out == nil {
			out = m.config.Output.Live
		}
	}
	if out == nil {
		return
	}
	result := m.result(r.pairing)
	fmt.Fprintf(out, "game %d of %d: %s - %s %s (%s, %d plies); %s\n", r.number+1, m.schedule.total(),
		r.names[0], r.names[1], r.score.text(), r.reason, r.plies, result.String())
}
