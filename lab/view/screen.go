package view

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"tesla/internal/output"
)

// screen is a terminal with a panel that is redrawn.
type screen struct {
	out    io.Writer
	size   func() (columns, rows int)
	colour bool
	drawn  int // rows of the panel on the terminal
	at     time.Time
}

// screenOn is the terminal that a command writes to, nil where that is none.
func screenOn(out io.Writer) *screen {
	size := sizeOf(out)
	if size == nil {
		return nil
	}
	return &screen{out: out, size: size, colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// sizeOf tells the size of the terminal that a command writes to. It is nil where that is none.
func sizeOf(out io.Writer) func() (columns, rows int) {
	file := output.Terminal(out)
	if file == nil || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return func() (int, int) {
		columns, rows, err := term.GetSize(int(file.Fd()))
		if err != nil || columns < 1 || rows < 1 {
			return 80, 24
		}
		return columns, rows
	}
}

func (s *screen) columns() int {
	columns, _ := s.size()
	return columns
}

// due reports whether it is time to redraw. More often than this cannot be read.
func (s *screen) due(now time.Time) bool { return now.Sub(s.at) > 50*time.Millisecond }

// draw replaces the panel. Rows that the terminal has no room for are left out, for it could not go back above them.
func (s *screen) draw(panel []string) {
	s.at = time.Now()
	columns, rows := s.size()
	panel = panel[:min(len(panel), max(1, rows-1))]
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r", s.drawn)
	}
	for _, text := range panel {
		if visible(text) >= columns {
			text = cut(escape.ReplaceAllString(text, ""), columns-1)
		}
		b.WriteString(text + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	s.drawn = len(panel)
	// A terminal that is gone is no reason to end the search.
	_, _ = io.WriteString(s.out, b.String())
}

// escape is a command that sets colours.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// visible is the number of columns that a text takes.
func visible(text string) int { return utf8.RuneCountInString(escape.ReplaceAllString(text, "")) }

// cut is a text, without colours, of at most the given columns.
func cut(text string, columns int) string {
	if utf8.RuneCountInString(text) > columns {
		return string([]rune(text)[:max(0, columns)])
	}
	return text
}

// The colours of the panel, as parameters of the terminal's command.
const (
	bold       = "1"
	dim        = "2"
	green      = "32"
	red        = "31"
	whitePiece = "1"
	blackPiece = "36"
	marked     = "7"
)

func (s *screen) style(text string, styles ...string) string {
	if !s.colour || text == "" || len(styles) == 0 {
		return text
	}
	return "\x1b[" + strings.Join(styles, ";") + "m" + text + "\x1b[0m"
}

func (s *screen) bold(text string) string { return s.style(text, bold) }
func (s *screen) dim(text string) string  { return s.style(text, dim) }

// score is green where the side to move is better, red where it is worse.
func (s *screen) score(text string, cp int) string {
	const even = 20 // centipawns
	switch {
	case cp > even:
		return s.style(text, bold, green)
	case cp < -even:
		return s.style(text, bold, red)
	}
	return s.bold(text)
}

func (s *screen) piece(letter string, some, white, mark bool) string {
	var styles []string
	switch {
	case white:
		styles = append(styles, whitePiece)
	case some:
		styles = append(styles, blackPiece)
	default:
		styles = append(styles, dim)
	}
	if mark {
		styles = append(styles, marked)
	}
	return s.style(letter, styles...)
}
