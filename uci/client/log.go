package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"tesla/internal/output"
)

const (
	// logFileLimit is the size, in bytes, at which a log file is renamed to FILE.1, which replaces the FILE.1 before
	// it. The two files never hold more than twice this and one chunk.
	logFileLimit = 16 << 20
	// logQuota is how many bytes of an engine's output are logged between two commands to it. The rest is counted
	// only, so that a flood neither fills the disk nor rotates everything before it out of the log.
	logQuota = 1 << 20
	// logTime is how each line of a log begins.
	logTime = "15:04:05.000000 "
	// logLine is how many bytes of one line are logged.
	logLine = 4096
)

// The direction of a line in a log.
const (
	toEngine   = '>'
	fromEngine = '<'
	fromStderr = '!'
	remark     = '#' // by this program
)

// LogFile is a log file that rotates: when it has 16 MiB it is renamed to FILE.1 and begun anew. Several engines may
// share it.
type LogFile struct {
	mu    sync.Mutex
	path  string
	limit int64 // bytes
	size  int64 // bytes
	file  *os.File
	err   error // the first; nothing is written after it
}

// OpenLog opens a log file and appends to it. A file that is there already and is no log is an error.
func OpenLog(path string) (*LogFile, error) { return openLog(path, logFileLimit) }

// OpenWholeLog is OpenLog of a file that does not rotate.
func OpenWholeLog(path string) (*LogFile, error) { return openLog(path, math.MaxInt64) }

func openLog(path string, limit int64) (*LogFile, error) {
	l := &LogFile{path: path, limit: limit}
	err := l.open()
	if err == nil && limit < math.MaxInt64 {
		if err = output.Check(path+".1", isLog); err != nil { // rotating replaces it
			err = errors.Join(err, l.file.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	return l, nil
}

func (l *LogFile) open() (err error) {
	if l.file, err = output.Append(l.path, isLog); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		l.file.Close()
		return err
	}
	l.size = info.Size()
	return nil
}

// isLog recognizes a log by the time at its beginning.
func isLog(head []byte) bool {
	_, err := time.Parse(logTime, string(head[:min(len(head), len(logTime))]))
	return err == nil
}

// Write never returns an error: a full disk ends the log, but not the game. Close returns the error.
func (l *LogFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return len(b), nil
	}
	if l.size+int64(len(b)) > l.limit && l.size > 0 {
		if l.err = l.rotate(); l.err != nil {
			return len(b), nil
		}
	}
	n, err := l.file.Write(b)
	l.size += int64(n)
	l.err = err
	return len(b), nil
}

func (l *LogFile) rotate() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	if err := output.Check(l.path+".1", isLog); err != nil {
		return err
	}
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return err
	}
	return l.open()
}

// Close closes the file and returns the first error of writing.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.file.Close()
	if l.err != nil {
		err = l.err
	}
	if err != nil {
		return fmt.Errorf("log %s: %w", l.path, err)
	}
	return nil
}

// transcript writes the lines between this program and one engine to the logs. add collects lines, and flush writes
// them. The zero value writes nothing.
type transcript struct {
	mu    sync.Mutex
	name  []byte      // of the engine, before each line
	to    []io.Writer // none: nothing is logged
	lines []byte      // not yet written
	quota int         // bytes of output left until the next command
	lost  int         // lines that were left out
	bytes int64       // in these lines
}

// commands logs what is sent to the engine: commands, each with the end of its line.
func (t *transcript) commands(text []byte) {
	if len(t.to) == 0 {
		return
	}
	now := time.Now()
	for line := range bytes.Lines(text) {
		t.add(now, toEngine, bytes.TrimRight(line, "\n"))
	}
	t.flush()
}

// add collects a line. Output of the engine counts against the quota, which each command renews.
func (t *transcript) add(at time.Time, direction byte, line []byte) {
	if len(t.to) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch direction {
	case fromEngine, fromStderr:
		if t.quota < len(line) {
			t.quota = 0
			t.lost++
			t.bytes += int64(len(line))
			return
		}
		t.quota -= min(len(line), logLine) + len(t.name) + 20 // the time and the name fill disks too
	case toEngine:
		t.settle(at)
	}
	t.put(at, direction, line)
}

// settle logs what was left out and renews the quota.
func (t *transcript) settle(at time.Time) {
	if t.lost > 0 {
		t.put(at, remark, fmt.Appendf(nil, "%d lines of %d bytes are left out", t.lost, t.bytes))
	}
	t.quota, t.lost, t.bytes = logQuota, 0, 0
}

func (t *transcript) put(at time.Time, direction byte, line []byte) {
	t.lines = at.AppendFormat(t.lines, logTime)
	t.lines = append(t.lines, t.name...)
	t.lines = append(t.lines, ' ', direction, ' ')
	t.lines = appendPrintable(t.lines, line, logLine)
	t.lines = append(t.lines, '\n')
}

func (t *transcript) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return
	}
	for _, w := range t.to {
		_, _ = w.Write(t.lines) // a log that fails does not stop a game
	}
	t.lines = t.lines[:0]
}

func (t *transcript) end(at time.Time) {
	if len(t.to) == 0 {
		return
	}
	t.mu.Lock()
	t.settle(at)
	t.mu.Unlock()
	t.flush()
}

// Printable is text of an engine for a message of at most about limit bytes: control characters become escapes, and
// braces, which end comments in PGN, become parentheses.
func Printable(text []byte, limit int) string {
	return strings.NewReplacer("{", "(", "}", ")").Replace(string(appendPrintable(nil, text, limit)))
}

// appendPrintable appends at most limit bytes of text. A character that is not printable is written as an escape.
func appendPrintable(to, text []byte, limit int) []byte {
	cut := len(text) > limit
	if cut {
		text = text[:limit]
	}
	for len(text) > 0 {
		if text[0] >= ' ' && text[0] < utf8.RuneSelf-1 {
			to = append(to, text[0])
			text = text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\t' || r != utf8.RuneError && strconv.IsPrint(r):
			to = append(to, text[:size]...)
		default:
			for _, c := range text[:size] {
				to = fmt.Appendf(to, "\\x%02x", c)
			}
		}
		text = text[size:]
	}
	if cut {
		to = append(to, "..."...)
	}
	return to
}

// lastWords keeps the end of what a process has written.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

const lastWordsSize = 2048 // bytes

func (w *lastWords) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	w.text = append(w.text[:0], w.text[max(0, len(w.text)-lastWordsSize):]...)
	return len(b), nil
}

// tail is the end of the text, at most limit bytes of it, its lines joined by " | ".
func (w *lastWords) tail(limit int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []byte
	for line := range bytes.Lines(w.text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, " | "...)
		}
		lines = append(lines, line...)
	}
	if over := len(lines) - limit; over > 0 {
		lines = append([]byte("..."), lines[over:]...)
	}
	return string(appendPrintable(nil, lines, limit+3))
}
