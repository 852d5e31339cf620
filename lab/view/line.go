package view

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"tesla/internal/beat"
)

// Line is one line on a terminal that is redrawn.
type Line struct {
	To      io.Writer
	Columns func() int // of the terminal; nil: 80

	mu sync.Mutex // guards writing
}

// Run draws the line each second. The function that it returns draws it a last time and ends it.
func (l *Line) Run(text func() string) (stop func()) {
	draw := func() { l.Draw(text()) }
	draw()
	end := beat.Every(time.Second, draw)
	return func() {
		end()
		draw()
		l.End()
	}
}

// End ends the line.
func (l *Line) End() { l.print("\n") }

// Draw replaces the line. It cuts the text where the terminal ends.
func (l *Line) Draw(text string) {
	width := 80
	if l.Columns != nil {
		width = l.Columns()
	}
	l.print("\r\x1b[K" + cut(text, width-1))
}

// Wipe clears the line.
func (l *Line) Wipe() { l.print("\r\x1b[K") }

// Write puts lines of text above the line, which is redrawn at the next tick.
func (l *Line) Write(text []byte) (int, error) {
	l.print("\r\x1b[K" + string(text))
	return len(text), nil
}

// print ignores errors: a terminal that is gone is no reason to end what it tells of.
func (l *Line) print(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.To, text)
}

// Bar is a bar that shows how much of the total is done.
func Bar(done, total int) string {
	const width = 20
	filled := width * done / max(total, 1)
	return "[" + strings.Repeat("#", filled) + strings.Repeat("-", width-filled) + "]"
}

// Clock is a time in minutes and seconds, with hours where there are any.
func Clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// LineOn is a line on the terminal that a command writes to, nil where that is none.
func LineOn(out io.Writer) *Line {
	size := sizeOf(out)
	if size == nil {
		return nil
	}
	return &Line{To: out, Columns: func() int {
		columns, _ := size()
		return columns
	}}
}

// Progress is the line of a command that has a number of things to do: a bar, how many are done, and the time left. Its methods
// may be called where it is nil.
type Progress struct {
	line   *Line
	began  time.Time
	before int // things that were done before
}

// ProgressOn is a progress line on the terminal that a command writes to, nil where that is none.
func ProgressOn(out io.Writer) *Progress {
	line := LineOn(out)
	if line == nil {
		return nil
	}
	return NewProgress(line)
}

// NewProgress shows progress in a line.
func NewProgress(line *Line) *Progress { return &Progress{line: line, began: time.Now()} }

// Begin counts the time left from now on: what follows is another number of things.
func (p *Progress) Begin() {
	if p != nil {
		p.began, p.before = time.Now(), 0
	}
}

// Skip says that some things were done before the command began.
func (p *Progress) Skip(done int) {
	if p != nil {
		p.before = done
	}
}

// Draw shows that some of all things are done, and what else there is to tell. what is what they are, such as "positions". The
// time left counts those that are done as equally long.
//
//	[######--------------] 31 of 100 positions, 5:34 left, 12 solved
func (p *Progress) Draw(done, of int, what, more string) {
	if p == nil {
		return
	}
	text := fmt.Sprintf("%s %d of %d %s", Bar(done, of), done, of, what)
	if here := done - p.before; here > 0 {
		text += fmt.Sprintf(", %s left", Clock(time.Since(p.began)/time.Duration(here)*time.Duration(of-done)))
	}
	if more != "" {
		text += ", " + more
	}
	p.line.Draw(text)
}

// Above is where lines of text are written to that are to stay: above the line, or out without a terminal.
func (p *Progress) Above(out io.Writer) io.Writer {
	if p == nil {
		return out
	}
	return p.line
}

// End ends the line.
func (p *Progress) End() {
	if p != nil {
		p.line.End()
	}
}
