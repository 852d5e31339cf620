// Command sure makes what the models of sureness are fitted to (docs/sure.md). It takes positions of games, at most one of a
// game, has each searcher search them and logs what it knows of its choice as its effort grows. A reference engine scores
// the moves that any of them put first, those that a tree thinks best, and those that the engine itself thinks best.
//
//	go run ./scripts/sure -positions 300 -seed 1 -log sure.jsonl random-02.games book-02.games
//	go run ./scripts/sure -rows sure.jsonl >rows.csv
//	python3 scripts/sure/fit.py rows.csv
//
// The first command goes on where it was cut short. Every second position is searched with two threads.
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
	"slices"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/regret"
	"tesla/search"
	"tesla/search/sure"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("sure: ")
	var c config
	flag.IntVar(&c.positions, "positions", 300, "positions to take, from all files together")
	flag.Uint64Var(&c.seed, "seed", 1, "seed for the choice of positions")
	flag.StringVar(&c.log, "log", "", "file of the searches, to which new ones are added")
	flag.StringVar(&c.engine, "engine", "stockfish", "UCI engine that is the reference: a path, or a name in PATH")
	flag.Int64Var(&c.nodes, "nodes", 100_000, "nodes of the reference for each move")
	flag.Float64Var(&c.effort, "effort", 1, "factor of the searchers' efforts; 1 is about a second of a core")
	rows := flag.String("rows", "", "write the rows for fit.py of this log to standard output, and do nothing else")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *rows != "":
		err = writeRows(os.Stdout, *rows)
	case c.log == "" || flag.NArg() == 0:
		err = errors.New("want -log and files of games, or -rows")
	default:
		err = c.run(ctx, flag.Args())
	}
	if err != nil {
		log.Fatal(err)
	}
}

type config struct {
	positions   int
	seed        uint64
	log, engine string
	nodes       int64
	effort      float64
}

// Record is a line of the log: a position with what was found of it.
type Record struct {
	FEN     string            `json:"fen"`
	Game    string            `json:"game"` // file and number
	Threads int               `json:"threads"`
	Looks   map[string][]Look `json:"looks"` // by player
	Scores  map[string]int    `json:"scores"`
	Nodes   int64             `json:"nodes"` // of the reference for each score
}

// Look is what a search knew at a moment.
type Look struct {
	Facts  sure.Facts `json:"facts"`
	First  string     `json:"first"`
	Rivals []string   `json:"rivals,omitempty"` // the moves of Facts.Rivals
}

// player is a searcher and its effort at -effort 1.
type player struct {
	name         string
	search       string
	leafDepth    int
	nodes, evals float64
}

var players = []player{
	{name: "lazysmp", search: "lazysmp", nodes: 1_000_000},
	{name: "bestfirst", search: "bestfirst", leafDepth: engine.AutoLeafDepth, evals: 400},
	{name: "bestfirst-plain", search: "bestfirst", evals: 20_000},
}

// spacing is by how much the effort grows from one logged look to the next.
const spacing = 1.3

// run searches the positions that the log does not have yet.
func (c *config) run(ctx context.Context, files []string) error {
	have := map[string]bool{}
	err := each(c.log, func(r *Record) error {
		have[r.Game] = true
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	todo, err := regret.OnePerGame(files, c.positions, c.seed)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	ref, err := regret.NewReference(c.engine, c.nodes, func(text string) { log.Print(text) })
	if err != nil {
		return err
	}
	defer ref.Close()
	for i, of := range todo {
		if have[of.Game] {
			continue
		}
		r := &Record{FEN: of.FEN, Game: of.Game, Threads: 1 + i%2}
		if err := c.fill(ctx, r, ref); err != nil {
			return fmt.Errorf("%s: %w", r.FEN, err)
		}
		text, err := json.Marshal(r)
		if err == nil {
			_, err = out.Write(append(text, '\n'))
		}
		if err != nil {
			return err
		}
		log.Printf("%d of %d positions", i+1, len(todo))
	}
	return out.Close()
}

// fill searches a position with all players and has it scored.
func (c *config) fill(ctx context.Context, r *Record, ref *regret.Reference) error {
	p, err := board.ParseFEN(r.FEN)
	if err != nil {
		return err
	}
	r.Looks = map[string][]Look{}
	wanted := map[string]bool{}
	for _, who := range players {
		if r.Looks[who.name], err = c.search(ctx, who, &p, r.Threads); err != nil {
			return fmt.Errorf("%s: %w", who.name, err)
		}
		for _, l := range r.Looks[who.name] {
			wanted[l.First] = true
		}
		for _, name := range best(r.Looks[who.name], 4) {
			wanted[name] = true
		}
	}
	r.Nodes = c.nodes
	r.Scores, err = ref.Scores(ctx, &p, wanted)
	return err
}

// search logs a search of a position.
func (c *config) search(ctx context.Context, who player, p *board.Position, threads int) (looks []Look, err error) {
	set := engine.Default()
	set.Search, set.Backend, set.LeafDepth, set.Threads, set.Hash = who.search, "nnue", who.leafDepth, threads, 64
	next := 0.0
	s, _, err := engine.OpenSureness(set, func(f sure.Facts) {
		if f.Effort < next {
			return
		}
		next = spacing * f.Effort
		l := Look{Facts: f, First: p.UCI(f.First, false)}
		l.Facts.Rivals = append([]sure.Rival(nil), f.Rivals...)
		for _, rival := range f.Rivals {
			l.Rivals = append(l.Rivals, p.UCI(rival.Move, false))
		}
		looks = append(looks, l)
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, err = s.Search(ctx, board.NewGame(*p), search.Limits{Nodes: int64(c.effort * who.nodes), Evals: int64(c.effort * who.evals)}, nil)
	return looks, errors.Join(err, ctx.Err())
}

// best are the moves that the last look at a tree thinks best.
func best(looks []Look, most int) []string {
	if len(looks) == 0 {
		return nil
	}
	last := looks[len(looks)-1]
	order := make([]int, len(last.Rivals))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(last.Facts.Rivals[b].N - last.Facts.Rivals[a].N)
	})
	var names []string
	for _, i := range order[:min(most, len(order))] {
		names = append(names, last.Rivals[i])
	}
	return names
}

// each calls visit with the records of a log.
func each(path string, visit func(r *Record) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		r := &Record{}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		if err := visit(r); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
	return lines.Err()
}
