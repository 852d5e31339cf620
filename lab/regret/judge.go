package regret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/journal"
	"tesla/search"
	"tesla/tablebase"
	"tesla/uci/client"
)

// Judge scores moves by a UCI engine. Each search begins with a cleared table, so that a verdict does not depend on
// those before it. The verdicts are kept in a journal. Several goroutines may call its methods.
type Judge struct {
	engine client.Config
	nodes  int64             // of each search
	hash   string            // of its program; empty: nothing is kept
	tell   func(text string) // of each restart

	// Tables give the verdict where they know the position after a move; nil: none. A bad table ends the run.
	Tables *tablebase.Tables

	mutex   sync.Mutex
	known   map[question]int // centipawns
	journal *journal.Journal // nil: nothing is kept
	news    int              // verdicts for which the engine was asked
	tabled  int              // verdicts that the tables gave
}

// header is the first line of a journal and says who judges.
type header struct {
	Kind    int      `json:"tesla_verdicts"` // the version
	Program string   `json:"program"`
	Hash    string   `json:"program_hash"`
	Args    []string `json:"args"`
	Options []string `json:"options"`
	Nodes   int64    `json:"nodes"`
}

type question struct {
	Position string `json:"position"` // FEN
	Move     string `json:"move"`     // UCI
}

// verdict is a line of a journal.
type verdict struct {
	question
	CP *int `json:"cp"` // for the side that moves
}

// NewJudge makes a judge of an engine that searches a number of nodes for each move. The verdicts are kept in a
// journal at path, or nowhere if path is empty. A journal of another judge is an error, and so are one that another
// process uses and a line that is not a verdict. tell is told when the engine failed and is started anew.
func NewJudge(engine client.Config, nodes int64, path string, tell func(text string)) (j *Judge, err error) {
	j = &Judge{engine: engine, nodes: nodes, known: map[question]int{}, tell: tell}
	if path == "" {
		return j, nil
	}
	if j.hash, err = journal.ProgramHash(engine.Path); err != nil {
		return nil, fmt.Errorf("judge: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if j.journal, err = journal.Open(file, j.header(), "", j.check); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := j.journal.Replay(j.take); err != nil {
		return nil, errors.Join(err, j.journal.Close())
	}
	if lost := j.journal.Lost(); lost > 0 {
		tell(fmt.Sprintf("verdicts %s: the last %d bytes were no whole verdict and were cut off", path, lost))
	}
	return j, nil
}

func (j *Judge) header() header {
	h := header{Kind: 1, Program: j.engine.Path, Hash: j.hash, Args: j.engine.Args, Nodes: j.nodes}
	for _, o := range j.engine.Options {
		h.Options = append(h.Options, o.String())
	}
	return h
}

// check compares the header of a journal with this judge.
func (j *Judge) check(line []byte) error {
	different, err := journal.Differences(json.RawMessage(line), j.header())
	if err == nil && len(different) > 0 {
		err = fmt.Errorf("the journal is of another judge: %v", different[0])
	}
	return err
}

// take adds the verdict of a line.
func (j *Judge) take(line []byte) error {
	var v verdict
	if err := json.Unmarshal(line, &v); err != nil {
		return fmt.Errorf("not a verdict: %w", err)
	}
	if v.Position == "" || v.Move == "" || v.CP == nil {
		return fmt.Errorf("not a verdict: %s", line)
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

// asked is the number of verdicts for which the engine was asked, and of those that the tables gave.
func (j *Judge) asked() (engine, tables int) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.news, j.tabled
}

// bench is an engine of the judge for one goroutine. It is started when it is first asked.
type bench struct {
	*Judge
	engine *external.Engine
}

func (j *Judge) bench() *bench {
	return &bench{j, external.New(j.engine, search.Limits{Nodes: j.nodes}, true, j.tell)}
}

// score is what a legal move is worth for the side that makes it, in centipawns; mates are on the scale of
// [search.MateScore].
func (b *bench) score(ctx context.Context, p *board.Position, m board.Move) (cp int, err error) {
	after := *p
	p.Make(m, &after)
	game := board.NewGame(after)
	switch game.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		return search.MateScore - 1, nil
	default:
		return 0, nil
	}
	if cp, known, err := b.byTables(&after); known || err != nil {
		return cp, err
	}
	key := question{p.FEN(false), p.UCI(m, false)}
	b.mutex.Lock()
	cp, ok := b.known[key]
	b.mutex.Unlock()
	if ok {
		return cp, nil
	}
	if cp, err = b.ask(ctx, game); err != nil {
		return 0, fmt.Errorf("judge %s: %s %s: %w", b.Judge.engine.Path, key.Position, key.Move, err)
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

// byTables is the score of a position by endgame tables, for the side that has just moved.
func (b *bench) byTables(p *board.Position) (cp int, known bool, err error) {
	if b.Tables == nil {
		return 0, false, nil
	}
	result, known, err := b.Tables.Outcome(p)
	if err != nil {
		return 0, false, fmt.Errorf("judge: %w", err)
	}
	if known {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.tabled++
	}
	return -result * search.TableScore, known, nil
}

// ask is the engine's score of a position, for the side that has just moved.
func (b *bench) ask(ctx context.Context, g *board.Game) (cp int, err error) {
	err = b.engine.Ask(ctx, g, func(a *client.Answer) error {
		if len(a.Lines) == 0 {
			return errors.New("the engine gave no score")
		}
		if a.Lines[0].Move == board.NullMove {
			return fmt.Errorf("%w: the first move of the variation", client.ErrIllegal)
		}
		cp = -a.Lines[0].Score.Value()
		return nil
	})
	return cp, err
}
