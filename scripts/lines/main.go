// Command lines measures which player is the better tool where several lines are wanted. It takes positions of games, at
// most one of a game, has UCI engines search each with several values of MultiPV, and logs their lines. A judge scores
// every move that any of them named, and its own best. At the end it prints a table.
//
//	go run ./scripts/lines -log lines.jsonl -player name=lazysmp,cmd=build/tesla,option.Search=lazysmp \
//		-player cmd=stockfish random-02.games book-02.games
//
// It goes on where it was cut short; with -table it prints the table of what the log has and searches nothing. All scores
// are turned into points by sure.Points: the scores that Tesla prints are made for it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"tesla/board"
	"tesla/lab/external"
	"tesla/lab/match/player"
	"tesla/lab/regret"
	"tesla/lab/sweep"
	"tesla/search"
	"tesla/uci/client"
)

// header is the first line of a log: what its searches depend on.
type header struct {
	Players  []player.Player `json:"players"`
	MultiPV  []int           `json:"multipv"`
	MoveTime time.Duration   `json:"movetime"`
	Judge    string          `json:"judge"`
	Nodes    int64           `json:"nodes"` // of the judge for each move
	Seed     uint64          `json:"seed"`
	Files    []string        `json:"files"`
}

// Record is a position with what was found of it, a line of a log.
type Record struct {
	FEN      string         `json:"fen"`
	Game     string         `json:"game"`     // file and number
	Searches []Search       `json:"searches"` // by seat
	Scores   map[string]int `json:"scores"`   // of the judge, centipawns for the side that moves
}

// Search is what a player found.
type Search struct {
	Player  string `json:"player"`
	MultiPV int    `json:"multipv"`
	Lines   []Line `json:"lines"`
}

// Line is the first move of a variation.
type Line struct {
	Move  string `json:"move"`
	CP    int    `json:"cp"`
	Depth int    `json:"depth"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("lines: ")
	var h header
	flag.Func("player", "a player, as in tesla match: name=N,cmd=PATH,option.X=Y; the first is what the others are compared with", func(text string) error {
		p, err := player.Parse(text)
		h.Players = append(h.Players, p)
		return err
	})
	ranks := flag.String("multipv", "1,3,5", "values of MultiPV")
	flag.DurationVar(&h.MoveTime, "movetime", time.Second, "time of a search")
	flag.StringVar(&h.Judge, "judge", "stockfish", "UCI engine that judges: a path, or a name in PATH")
	flag.Int64Var(&h.Nodes, "nodes", 50_000, "nodes of the judge for each move")
	flag.Uint64Var(&h.Seed, "seed", 1, "seed for the choice of positions")
	positions := flag.Int("positions", 100, "positions to take, from all files together")
	path := flag.String("log", "", "file of the searches, to which new ones are added")
	table := flag.Bool("table", false, "search nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	for text := range strings.SplitSeq(*ranks, ",") {
		k, bad := strconv.Atoi(text)
		h.MultiPV, err = append(h.MultiPV, k), errors.Join(err, bad)
	}
	if h.Files = flag.Args(); *path == "" || len(h.Players) == 0 || len(h.Files) == 0 {
		err = errors.Join(err, errors.New("want -log, players and files of games"))
	}
	if err == nil {
		err = h.run(ctx, *path, *positions, *table)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func tell(text string) { log.Print(text) }

var errMissing = errors.New("the log does not have the position")

// run searches the positions that the log does not have yet, and prints the table.
func (h *header) run(ctx context.Context, path string, positions int, table bool) (err error) {
	todo, err := regret.OnePerGame(h.Files, positions, h.Seed)
	if err != nil {
		return err
	}
	kept, err := sweep.OpenJournal(sweep.File{Path: path, Resume: true, Tell: tell}, h, func(r *Record) (string, error) { return r.Game, nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	judge, err := regret.NewReference(h.Judge, h.Nodes, tell)
	if err != nil {
		return err
	}
	defer judge.Close()
	seats := h.seats()
	for _, s := range seats {
		defer s.engine.Close()
	}
	for i, of := range todo {
		r, err := kept.Do(of.Game, func() (Record, error) {
			r := Record{FEN: of.FEN, Game: of.Game}
			if table {
				return r, errMissing
			}
			log.Printf("position %d of %d", i+1, len(todo))
			return r, r.fill(ctx, seats, judge)
		})
		if errors.Is(err, errMissing) {
			continue
		} else if err != nil {
			return fmt.Errorf("%s: %w", of.FEN, err)
		}
		for k, s := range seats {
			s.found.add(r.Searches[k].Lines, r.Scores)
		}
	}
	printTable(os.Stdout, seats, len(h.Players))
	return nil
}

// seat is a player with a value of MultiPV.
type seat struct {
	name   string
	lines  int
	engine *external.Engine
	warm   bool // it has searched: the first search takes memory
	heard  collector
	found  results
}

func (h *header) seats() (all []*seat) {
	for _, k := range h.MultiPV {
		for i := range h.Players {
			s := &seat{name: h.Players[i].Label(), lines: k}
			c := h.Players[i].Engine()
			c.Options = append(c.Options, client.Option{Name: "MultiPV", Value: strconv.Itoa(k)})
			c.OnInfo = func(r client.Report) { s.heard.add(&r) }
			s.engine = external.New(c, search.Limits{MoveTime: h.MoveTime, MultiPV: k}, true, tell)
			all = append(all, s)
		}
	}
	return all
}

// fill has all players search the position, and their moves judged.
func (r *Record) fill(ctx context.Context, seats []*seat, judge *regret.Reference) error {
	p, err := board.ParseFEN(r.FEN)
	if err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, s := range seats {
		found, err := s.search(ctx, &p)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		r.Searches = append(r.Searches, found)
		for _, l := range found.Lines {
			wanted[l.Move] = true
		}
	}
	r.Scores, err = judge.Scores(ctx, &p, wanted)
	return err
}

func (s *seat) search(ctx context.Context, p *board.Position) (found Search, err error) {
	found = Search{Player: s.name, MultiPV: s.lines}
	for ready := false; !ready && err == nil; s.warm = true {
		ready, s.heard = s.warm, collector{}
		err = s.engine.Ask(ctx, board.NewGame(*p), func(*client.Answer) error { return nil })
	}
	for _, r := range s.heard.best {
		found.Lines = append(found.Lines, Line{p.UCI(r.PV[0], false), r.Score.Value(), r.Depth})
	}
	return found, err
}

// collector keeps the last set of lines with the most of them. A set with a score that is a bound counts only where there is no
// other with as many.
type collector struct {
	best, set    []client.Report
	exact, bound bool // best has no bound; set has one
}

func (c *collector) add(r *client.Report) {
	if r.MultiPV <= 1 {
		c.set, c.bound = nil, false
	}
	if !r.Scored || len(r.PV) == 0 || max(1, r.MultiPV) != len(c.set)+1 {
		return
	}
	c.set, c.bound = append(c.set, *r), c.bound || r.Bound != search.Exact
	if len(c.set) > len(c.best) || len(c.set) == len(c.best) && !(c.bound && c.exact) {
		c.best, c.exact = slices.Clone(c.set), !c.bound
	}
}
