package client

import (
	"bytes"
	"fmt"
	"time"
)

// hear takes a piece of the output. An answer in it is passed on when the whole piece has been read, so that what
// follows it in the same piece is not taken for the answer to the next question.
func (e *Engine) hear(chunk []byte, at time.Time) {
	before := e.lines.cuts
	e.lines.feed(chunk, func(line []byte) { e.line(line, at) })
	if e.answer != nil {
		e.answers <- *e.answer // there is room: awaited was set when the channel was empty
		e.answer = nil
	}
	e.log.flush()
	if n := e.lines.cuts - before; n > 0 {
		e.fault(Overlong, n, fmt.Sprintf("a line above %d bytes is cut", maxLine))
	}
}

// complain takes a piece of the standard error.
func (e *Engine) complain(chunk []byte, at time.Time) {
	e.errors.feed(chunk, func(line []byte) { e.log.add(at, fromStderr, bytes.TrimRight(line, "\r")) })
	e.log.flush()
}

// line reads one line. What is not UCI is ignored.
func (e *Engine) line(line []byte, at time.Time) {
	line = bytes.TrimSpace(line)
	e.log.add(at, fromEngine, line)
	word, rest := cutWord(line)
	late, said, reported := false, "", (*Report)(nil)
	e.mu.Lock()
	switch string(word) {
	case "info":
		if e.searching {
			e.heard.info(line)
		} else {
			e.checkRefusal(line)
		}
		kind, text := cutWord(rest)
		switch isString := string(kind) == "string"; {
		case e.killed:
		case isString && e.config.OnString != nil:
			said = Printable(bytes.TrimSpace(text), maxString)
		case !isString && e.searching && e.config.OnInfo != nil:
			r := e.heard.report(line)
			reported = &r
		}
	case "id":
		if kind, name := cutWord(rest); string(kind) == "name" && e.id == "" {
			e.id = Printable(bytes.TrimSpace(name), maxString)
		}
	case "option":
		if e.awaited == "uciok" {
			d := parseDeclaration(string(rest))
			e.declared[key(d.Name)] = d
		}
	case "uciok", "readyok", "bestmove":
		if e.awaited == string(word) {
			if string(word) == "uciok" {
				e.unknown = e.unknown[:0] // what came before is a greeting
			}
			e.awaited, e.searching = "", false
			e.answer = &answer{string(line), at}
		} else if string(word) == "bestmove" && !e.killed {
			late, e.suspect = true, true
		}
	case "", "registration", "copyprotection":
	default:
		e.unknown = append(e.unknown[:0], line[:min(len(line), 200)]...)
		e.checkRefusal(line)
	}
	e.mu.Unlock()
	if said != "" {
		e.config.OnString(said)
	}
	if reported != nil {
		e.config.OnInfo(*reported)
	}
	if late {
		e.fault(Unasked, 1, fmt.Sprintf("no search was running at %q", Printable(line, 80)))
	}
}

// checkRefusal keeps the first line that refuses an option. It is called with the lock held.
func (e *Engine) checkRefusal(line []byte) {
	if e.awaited == "readyok" && e.refusal == "" && len(line) < 1000 && refuses(string(line)) {
		e.refusal = Printable(line, 160)
	}
}

// maxString is how many bytes of the text of an "info string" are passed on.
const maxString = 400

// maxLine is how many bytes of a line are kept. The rest of the line is dropped.
const maxLine = 64 << 10

// splitter joins pieces of output to lines. It holds at most one line.
type splitter struct {
	part []byte // the beginning of a line
	cut  bool   // some of that line was dropped
	cuts int    // lines that were cut
}

// feed calls line for each line that ends in the chunk. An empty chunk ends the last line. The line is valid until
// the call returns.
func (s *splitter) feed(chunk []byte, line func([]byte)) {
	if len(chunk) == 0 {
		s.flush(line)
	}
	for {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			s.keep(chunk)
			return
		}
		if len(s.part) == 0 && end <= maxLine {
			line(chunk[:end])
		} else {
			s.keep(chunk[:end])
			s.flush(line)
		}
		chunk = chunk[end+1:]
	}
}

func (s *splitter) keep(b []byte) {
	if room := maxLine - len(s.part); len(b) > room {
		b = b[:room]
		if !s.cut {
			s.cut = true
			s.cuts++
		}
	}
	s.part = append(s.part, b...)
}

// flush passes the line on and begins the next.
func (s *splitter) flush(line func([]byte)) {
	if len(s.part) > 0 {
		line(s.part)
	}
	s.part, s.cut = s.part[:0], false
}
