package match

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tesla/lab/match/stats"
)

// liveLine is one line on a terminal that is redrawn.
type liveLine struct {
	columns func() int

	mu sync.Mutex // guards writing
	to io.Writer
}

// run draws the line each second. The function that it returns draws it a last time and ends it.
func (l *liveLine) run(text func() string) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		l.draw(text())
		for {
			select {
			case <-ticks.C:
				l.draw(text())
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		l.draw(text())
		l.print("\n")
	}
}

// draw replaces the line. It cuts the text where the terminal ends.
func (l *liveLine) draw(text string) {
	width := 80
	if l.columns != nil {
		width = l.columns()
	}
	if utf8.RuneCountInString(text) >= width {
		text = string([]rune(text)[:max(0, width-1)])
	}
	l.print("\r\x1b[K" + text)
}

// wipe clears the line.
func (l *liveLine) wipe() { l.print("\r\x1b[K") }

// Write puts lines of text above the line, which is redrawn at the next tick.
func (l *liveLine) Write(text []byte) (int, error) {
	l.print("\r\x1b[K" + string(text))
	return len(text), nil
}

// print ignores errors: a terminal that is gone is no reason to end a match.
func (l *liveLine) print(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.to, text)
}

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
	const width = 20
	total := m.schedule.total()
	filled := width * m.games / max(total, 1)
	r := m.first()
	var b strings.Builder
	fmt.Fprintf(&b, "[%s%s] %3d/%d  ", strings.Repeat("#", filled), strings.Repeat("-", width-filled), m.games, total)
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
		fmt.Fprintf(&b, "  %.1f games/min  %s left", 1/each.Minutes(), clockText(left))
	}
	return b.String()
}

// clockText is a time in minutes and seconds, with hours where there are any.
func clockText(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// say writes the line of a game that has ended. Beside a live line it writes only games that a failure ended.
func (m *matchRun) say(r *record) {
	out := m.config.Output.Out
	if m.live != nil {
		defer m.live.draw(m.text())
		if r.failure == nil {
			return
		}
		m.live.wipe()
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
