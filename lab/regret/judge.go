package regret

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"tesla/board"
	"tesla/lab/journal"
	"tesla/search"
	"tesla/uci/client"
)

// Judge scores moves by a UCI engine, each from a cleared table, so that a verdict does not depend on those before, and keeps
// what it said in a journal. Its methods may be called by several goroutines.
type Judge struct {
	engine header

	mutex   sync.Mutex
	known   map[question]int // centipawns
	journal *journal.Journal // nil: nothing is kept
	news    int              // verdicts that were not known
}

// header of a journal says who judges.
type header struct {
	Kind    int      `json:"tesla_verdicts"` // the version
	Program string   `json:"program"`
	Args    []string `json:"args"`
	Options []string `json:"options"`
	Nodes   int64    `json:"nodes"`
}

type question struct {
	Position string `json:"position"` // FEN
	Move     string `json:"move"`     // UCI
}

// verdict is a record of a journal.
type verdict struct {
	question
	CP *int `json:"cp"` // for the side that moves
}

// NewJudge makes a judge of a program with options, each Name=value, that searches so many nodes a move. Verdicts are kept in a
// journal at path, "" for none. That of another judge, or with a line that is no verdict, is an error.
func NewJudge(program string, args, options []string, nodes int64, path string) (j *Judge, err error) {
	j = &Judge{engine: header{1, program, args, options, nodes}, known: map[question]int{}}
	if path == "" {
		return j, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if j.journal, err = journal.Open(file, j.engine, "", j.check); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := j.journal.Replay(j.take); err != nil {
		return nil, errors.Join(err, j.journal.Close())
	}
	return j, nil
}

// check compares the header of a journal with this judge.
func (j *Judge) check(line []byte) error {
	differences, err := journal.Differences(json.RawMessage(line), j.engine)
	if err != nil {
		return err
	}
	if len(differences) > 0 {
		return fmt.Errorf("of another judge: %v", differences[0])
	}
	return nil
}

// take adds the verdict of a line.
func (j *Judge) take(line []byte) error {
	var v verdict
	if err := json.Unmarshal(line, &v); err != nil {
		return fmt.Errorf("no verdict: %w", err)
	}
	if v.Position == "" || v.Move == "" || v.CP == nil {
		return fmt.Errorf("no verdict: %s", line)
	}
	j.known[v.question] = *v.CP
	return nil
}

// Close closes the journal.
func (j *Judge) Close() error {
	if j.journal == nil {
		return nil
	}
	return j.journal.Close()
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
	engine *client.Engine
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
	key := question{p.FEN(false), p.UCI(m, false)}
	b.mutex.Lock()
	cp, ok := b.known[key]
	b.mutex.Unlock()
	if ok {
		return cp, nil
	}
	if cp, err = b.ask(&after); err != nil {
		return 0, fmt.Errorf("%s: %s %s: %w", b.Judge.engine.Program, key.Position, key.Move, err)
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.known[key] = cp
	b.news++
	if b.journal != nil {
		err = b.journal.Append(verdict{key, &cp})
	}
	return cp, err
}

// ask is the engine's score of a position, for the side that has just moved.
func (b *bench) ask(p *board.Position) (int, error) {
	var err error
	of := &b.Judge.engine
	if b.engine == nil {
		if b.engine, err = client.Start(of.Program, of.Args, of.Options...); err != nil {
			return 0, err
		}
	}
	if err := b.engine.Write("ucinewgame\nisready\n"); err != nil {
		return 0, err
	}
	if err := b.engine.Read("readyok", nil); err != nil {
		return 0, err
	}
	if err := b.engine.Write(fmt.Sprintf("position fen %s\ngo nodes %d\n", p.FEN(false), of.Nodes)); err != nil {
		return 0, err
	}
	var last client.Line
	scored := false
	err = b.engine.Read("bestmove", func(words []string) error {
		if len(words) == 0 || words[0] != "info" {
			return nil
		}
		line, ok, err := client.ParseLine(p, words)
		if ok && line.Rank == 1 {
			last, scored = line, true
		}
		return err
	})
	if err == nil && !scored {
		err = errors.New("the engine gave no score")
	}
	return -last.Score.Value(), err
}
