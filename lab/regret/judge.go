package regret

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/journal"
	"tesla/lab/sweep"
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

	verdicts     *sweep.Journal[question, verdict]
	news, tabled atomic.Int64 // verdicts for which the engine was asked, and those that the tables gave
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
// journal at path, or in memory if path is empty. A journal of another judge is an error, and so are one that another
// process uses and a line that is not a verdict. tell is told when the engine failed and is started anew.
func NewJudge(engine client.Config, nodes int64, path string, tell func(text string)) (j *Judge, err error) {
	j = &Judge{engine: engine, nodes: nodes, tell: tell}
	if path != "" {
		if j.hash, err = journal.ProgramHash(engine.Path); err != nil {
			return nil, fmt.Errorf("judge: %w", err)
		}
	}
	j.verdicts, err = sweep.OpenJournal(sweep.File{Path: path, Resume: true, Tell: tell}, j.header(), questionOf)
	return j, err
}

func (j *Judge) header() header {
	h := header{Kind: 1, Program: j.engine.Path, Hash: j.hash, Args: j.engine.Args, Nodes: j.nodes}
	for _, o := range j.engine.Options {
		h.Options = append(h.Options, o.String())
	}
	return h
}

// questionOf is what a verdict answers.
func questionOf(v *verdict) (question, error) {
	if v.Position == "" || v.Move == "" || v.CP == nil {
		return question{}, errors.New("not a verdict")
	}
	return v.question, nil
}

// Close closes the journal.
func (j *Judge) Close() error { return j.verdicts.Close() }

// asked is the number of verdicts for which the engine was asked, and of those that the tables gave.
func (j *Judge) asked() (engine, tables int) { return int(j.news.Load()), int(j.tabled.Load()) }

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
	v, err := b.verdicts.Do(key, func() (verdict, error) {
		cp, err := b.ask(ctx, game)
		if err != nil {
			return verdict{}, fmt.Errorf("judge %s: %s %s: %w", b.Judge.engine.Path, key.Position, key.Move, err)
		}
		b.news.Add(1)
		return verdict{key, &cp}, nil
	})
	if err != nil {
		return 0, err
	}
	return *v.CP, nil
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
		b.tabled.Add(1)
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
