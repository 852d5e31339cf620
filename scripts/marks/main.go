// Command marks compares the marks that tesla annotate wrote with a reference engine's verdict on the same moves (docs/log/marks.md).
//
//	go run ./scripts/marks -log ref.jsonl -nodes 1000000 games.pgn
//	go run ./scripts/marks -log ref.jsonl -marks annotated.pgn games.pgn
//
// The first command scores each position of the games and goes on where it was cut short. The second counts.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"time"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/match/pgn"
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
		if c.have, err = scores(c.log); err == nil && *marks == "" {
			err = c.run(ctx, flag.Args())
		} else if err == nil {
			err = c.count(os.Stdout, *marks)
		}
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
	have        map[string]score
}

// score is a line of the log.
type score struct {
	FEN  string `json:"fen"`
	CP   int    `json:"cp"` // of the side to move
	Best string `json:"best,omitempty"`
}

// scores reads the log.
func scores(path string) (map[string]score, error) {
	have := map[string]score{}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return have, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s score
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		have[s.FEN] = s
	}
	return have, nil
}

// games are the first games of a file.
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
	out, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
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
				if _, ok := c.have[s.FEN]; ok {
					continue
				}
				if time.Since(begun) > c.most {
					log.Print("the time is over")
					return out.Close()
				}
				if err := s.ask(ctx, e, at); err != nil {
					return fmt.Errorf("%s: %s, %s: %w", file, g.Name(), s.FEN, err)
				}
				c.have[s.FEN] = s
				text, err := json.Marshal(s)
				if err == nil {
					_, err = out.Write(append(text, '\n'))
				}
				if err != nil {
					return err
				}
			}
			log.Printf("%s: %s is done", file, g.Name())
		}
	}
	return out.Close()
}

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
