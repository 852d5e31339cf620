package regret

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"tesla/board"
	"tesla/search"
	"tesla/uciclient"
)

// Judge scores moves by a UCI engine, each from a cleared table, so that a verdict does not depend on those before, and keeps
// what it said in a file. Its methods may be called by several goroutines.
type Judge struct {
	program string
	args    []string
	options []string
	nodes   int64

	mutex sync.Mutex
	known map[string]int // centipawns of "FEN;move"
	file  *os.File       // nil: nothing is kept
	news  int            // verdicts that were not known
}

// NewJudge makes a judge of a program with options, each Name=value, that searches so many nodes a move. Verdicts are kept in the
// file at path, "" for none: a line says what gave them, and each further line FEN;move;centipawns. A file of another judge, or with
// a line that is no verdict, is an error; a last line without an end, as a kill may leave it, is cut off.
func NewJudge(program string, args, options []string, nodes int64, path string) (j *Judge, err error) {
	j = &Judge{program: program, args: args, options: options, nodes: nodes, known: map[string]int{}}
	if path == "" {
		return j, nil
	}
	if j.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return nil, err
	}
	if err := j.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), j.file.Close())
	}
	return j, nil
}

// load reads the file, and leaves it at its end.
func (j *Judge) load() error {
	head := fmt.Sprintf("verdicts of %s, %d nodes\n", strings.Join(append(append([]string{j.program}, j.args...), j.options...), " "), j.nodes)
	in := bufio.NewReader(j.file)
	size := int64(0)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err != nil { // the end
			break
		}
		size += int64(len(line))
		if n == 1 {
			if line != head {
				return fmt.Errorf("line 1: %q, want %q", line, head)
			}
			continue
		}
		at := strings.LastIndexByte(line, ';')
		cp, err := strconv.Atoi(strings.TrimSpace(line[at+1:]))
		if at < 0 || err != nil {
			return fmt.Errorf("line %d: %q is no verdict", n, line)
		}
		j.known[line[:at]] = cp
	}
	if err := j.file.Truncate(size); err != nil {
		return err
	}
	if _, err := j.file.Seek(size, 0); err != nil || size > 0 {
		return err
	}
	_, err := j.file.WriteString(head)
	return err
}

// Close closes the file.
func (j *Judge) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}

// asked counts the verdicts that were not known.
func (j *Judge) asked() int {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.news
}

// bench is one engine of the judge's, started when it is first asked.
type bench struct {
	*Judge
	engine *uciclient.Engine
}

func (b *bench) Close() error {
	if b.engine == nil {
		return nil
	}
	return b.engine.Close()
}

// score is what a legal move is worth for the side that makes it, in centipawns; mates as [search.MateScore] has them.
func (b *bench) score(p *board.Position, m board.Move) (cp int, err error) {
	after := *p
	p.Make(m, &after)
	switch board.NewGame(after).Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		return search.MateScore - 1, nil
	default:
		return 0, nil
	}
	key := p.FEN(false) + ";" + p.UCI(m, false)
	b.mutex.Lock()
	cp, ok := b.known[key]
	b.mutex.Unlock()
	if ok {
		return cp, nil
	}
	if cp, err = b.ask(&after); err != nil {
		return 0, fmt.Errorf("%s: %s: %w", b.program, key, err)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.known[key] = cp
	b.news++
	if b.file != nil {
		_, err = fmt.Fprintf(b.file, "%s;%d\n", key, cp)
	}
	return cp, err
}

// ask is the engine's score of a position, for the side that has just moved.
func (b *bench) ask(p *board.Position) (int, error) {
	var err error
	if b.engine == nil {
		if b.engine, err = uciclient.Start(b.program, b.args, b.options...); err != nil {
			return 0, err
		}
	}
	if err := b.engine.Write("ucinewgame\nisready\n"); err != nil {
		return 0, err
	}
	if err := b.engine.Read("readyok", nil); err != nil {
		return 0, err
	}
	if err := b.engine.Write(fmt.Sprintf("position fen %s\ngo nodes %d\n", p.FEN(false), b.nodes)); err != nil {
		return 0, err
	}
	var last uciclient.Line
	scored := false
	err = b.engine.Read("bestmove", func(words []string) error {
		if len(words) == 0 || words[0] != "info" {
			return nil
		}
		line, ok, err := uciclient.ParseLine(p, words)
		if ok && line.Rank == 1 {
			last, scored = line, true
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case !scored:
		return 0, errors.New("the engine gave no score")
	case last.Score.Mate > 0:
		return -(search.MateScore - (2*last.Score.Mate - 1)), nil
	case last.Score.Mate < 0:
		return search.MateScore + 2*last.Score.Mate, nil
	}
	return -last.Score.CP, nil
}
