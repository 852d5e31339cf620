// Command marks compares the marks that tesla annotate wrote with a reference engine's verdict on the same moves (docs/log/marks.md).
//
//	go run ./scripts/marks -log ref.jsonl -nodes 1000000 games.pgn
//	go run ./scripts/marks -log ref.jsonl -marks annotated.pgn games.pgn
//
// The first command scores each position of the games and goes on where it was cut short. The second counts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/match/pgn"
	"tesla/lab/sweep"
	"tesla/search"
	"tesla/uci/client"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("marks: ")
	var c config
	flag.StringVar(&c.log, "log", "", "file of the reference's scores, to which new ones are added")
	flag.StringVar(&c.engine, "engine", "stockfish", "UCI engine that is the reference: a path, or a name in PATH")
	flag.Int64Var(&c.nodes, "nodes", 1_000_000, "nodes of the reference for each position")
	flag.DurationVar(&c.most, "most", time.Hour, "end after this time")
	flag.IntVar(&c.games, "games", 1<<30, "games of each file")
	marks := flag.String("marks", "", "count the marks of these annotated games")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := errors.New("want -log and files of games")
	if c.log != "" && flag.NArg() > 0 {
		err = c.do(ctx, flag.Args(), *marks)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type config struct {
	log, engine string
	nodes       int64
	games       int
	most        time.Duration
	scores      *sweep.Journal[string, score] // by FEN
}

// header is the first line of the log.
type header struct {
	Version int `json:"tesla_marks"`
}

// score is a line of the log.
type score struct {
	FEN  string `json:"fen"`
	CP   int    `json:"cp"` // of the side to move
	Best string `json:"best,omitempty"`
}

// do opens the log, and scores the positions of games or counts marks.
func (c *config) do(ctx context.Context, files []string, marks string) (err error) {
	c.scores, err = sweep.OpenJournal(sweep.File{Path: c.log, Resume: true, Tell: func(text string) { log.Print(text) }}, header{1},
		func(s *score) (string, error) { return s.FEN, nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.scores.Close()) }()
	if marks != "" {
		return c.count(os.Stdout, marks)
	}
	return c.run(ctx, files)
}

// read reads the first games of a file.
func (c *config) read(path string) ([]*pgn.Annotated, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := pgn.ReadAnnotated(string(data))
	for _, g := range all {
		if g.Err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, g.Name(), g.Err)
		}
	}
	return all[:min(len(all), c.games)], nil
}

// run scores the positions of the games.
func (c *config) run(ctx context.Context, files []string) error {
	e := external.New(client.Config{Path: c.engine, Options: []client.Option{{Name: "Threads", Value: "1"}, {Name: "Hash", Value: "64"}}},
		search.Limits{Nodes: c.nodes}, true, func(text string) { log.Print(text) })
	defer e.Close()
	begun := time.Now()
	for _, file := range files {
		games, err := c.read(file)
		if err != nil {
			return err
		}
		for _, g := range games {
			for ply := range len(g.Moves) + 1 {
				line := pgn.Line{Start: g.Start, Moves: g.Moves[:ply]}
				at := line.Game()
				s := score{FEN: at.Pos.FEN(false)}
				_, err := c.scores.Do(s.FEN, func() (score, error) {
					if time.Since(begun) > c.most {
						return s, errTime
					}
					return s, s.ask(ctx, e, at)
				})
				if errors.Is(err, errTime) {
					log.Print(err)
					return nil
				}
				if err != nil {
					return fmt.Errorf("%s: %s, %s: %w", file, g.Name(), s.FEN, err)
				}
			}
			log.Printf("%s: %s is done", file, g.Name())
		}
	}
	return nil
}

var errTime = errors.New("the time is over")

// ask has the reference score a position.
func (s *score) ask(ctx context.Context, e *external.Engine, g *board.Game) error {
	switch g.Outcome() {
	case board.Ongoing:
	case board.Checkmate:
		s.CP = search.MatedIn(0)
		return nil
	default:
		return nil
	}
	return e.Ask(ctx, g, func(a *client.Answer) error {
		if len(a.Lines) == 0 {
			return errors.New("the engine gave no score")
		}
		s.CP, s.Best = a.Lines[0].Score.Value(), g.Pos.UCI(a.Move, false)
		return nil
	})
}
