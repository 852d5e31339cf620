// Package client asks a UCI engine in a process of its own. Package match has a client that bears with any engine under a clock;
// this one is for asking much at once.
package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"tesla/board"
	"tesla/search"
)

// Engine is a running engine. One goroutine at a time may use it.
type Engine struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

// Start starts the program at path with arguments and sets options, each Name=value.
func Start(path string, args []string, options ...string) (*Engine, error) {
	e := &Engine{command: exec.Command(path, args...)}
	var err error
	if e.in, err = e.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewScanner(out)
	if err := e.command.Start(); err != nil {
		return nil, err
	}
	text := "uci\n"
	for _, o := range options {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			return nil, errors.Join(fmt.Errorf("option %q: want Name=value", o), e.Close())
		}
		text += fmt.Sprintf("setoption name %s value %s\n", name, value)
	}
	err = e.Write(text + "isready\n")
	if err == nil {
		err = e.Read("readyok", nil)
	}
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Write writes commands, each with its line's end.
func (e *Engine) Write(text string) error {
	_, err := io.WriteString(e.in, text)
	return err
}

// Read reads lines up to the one that begins with answer, and gives each to line, nil for none, in words.
func (e *Engine) Read(answer string, line func(words []string) error) error {
	for e.out.Scan() {
		if line != nil {
			if err := line(strings.Fields(e.out.Text())); err != nil {
				return fmt.Errorf("engine's line %q: %w", e.out.Text(), err)
			}
		}
		if strings.HasPrefix(e.out.Text(), answer) {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("engine ended before it said %s", answer), e.out.Err())
}

// Close ends the engine.
func (e *Engine) Close() error {
	err := e.Write("quit\n")
	return errors.Join(err, e.in.Close(), e.command.Wait())
}

// Line is what an engine says of one of its variations.
type Line struct {
	Rank  int // from 1
	Score search.Score
	Move  board.Move // the first
}

// ParseLine reads an info line in words about a position; ok is false where it has no score or move, or the score is a bound.
func ParseLine(p *board.Position, words []string) (l Line, ok bool, err error) {
	l.Rank = 1
	scored := false
	for i := 1; i+1 < len(words); i++ {
		switch words[i] {
		case "lowerbound", "upperbound", "string":
			return l, false, nil
		case "multipv":
			if l.Rank, err = strconv.Atoi(words[i+1]); err != nil || l.Rank < 1 {
				return l, false, fmt.Errorf("multipv %s", words[i+1])
			}
		case "score":
			if i+2 >= len(words) {
				return l, false, errors.New("no score")
			}
			x, err := strconv.Atoi(words[i+2])
			if err != nil {
				return l, false, err
			}
			if l.Score, scored = (search.Score{CP: x}), true; words[i+1] == "mate" {
				l.Score = search.Score{Mate: x}
			}
		case "pv":
			l.Move, err = p.ParseMove(words[i+1], false)
			return l, scored && err == nil, err
		}
	}
	return l, false, nil
}
