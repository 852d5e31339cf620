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

// text is the state of the match: a bar, the games, A's score and Elo, the SPRT, the speed and the time left.
//
//	[######--------------]  31/100  5:34 left  +9 -7 =15  Elo +22.5 +- 78.1  LLR 0.42 (-2.94, 2.94)  12.4 games/min
func (m *matchRun) text() string {
	total := m.schedule.total()
	r := m.first()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %3d/%d  ", view.Bar(m.games, total), m.games, total)
	each := time.Duration(0)
	if played := m.games - m.resumed; played > 0 {
		each = time.Since(m.begun) / time.Duration(played)
		fmt.Fprintf(&b, "%s left  ", view.Clock(each*time.Duration(total-m.games)))
	}
	if len(m.names) > 2 {
		fmt.Fprintf(&b, "%s ", m.names[0])
	}
	fmt.Fprintf(&b, "+%d -%d =%d  Elo %s", r.Wins, r.Losses, r.Draws, strings.TrimSuffix(stats.EloText(r.Elo, r.EloError, 1), " (no bound)"))
	if s := r.SPRT; s != nil {
		fmt.Fprintf(&b, "  LLR %.2f (%.2f, %.2f)", r.LLR, s.Lower, s.Upper)
		if s.Decision != stats.Undecided {
			fmt.Fprintf(&b, ", %s", s.Decision)
		}
	}
	if failed := r.Crashes + r.Timeouts + r.Illegal; failed > 0 {
		fmt.Fprintf(&b, "  %d failed", failed)
	}
	if each > 0 {
		fmt.Fprintf(&b, "  %.1f games/min", 1/each.Minutes())
	}
	return b.String()
}

// say writes the line of a game that has ended. Beside a live line it writes only games that a failure ended.
func (m *matchRun) say(r *record) {
	out := m.config.Output.Out
	if m.live != nil {
		defer m.live.Draw(m.text())
		if r.Failure == "" {
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
	fmt.Fprintf(out, "game %d of %d: %s - %s %s (%s, %d plies); %s\n", r.Number+1, m.schedule.total(),
		r.White, r.Black, r.Result, r.Reason, r.Plies, result.String())
}
