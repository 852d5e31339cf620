// Command endings plays won endings against a defender that plays by endgame tables, and counts how many are won within
// the fifty-move rule.
//
//	go run ./scripts/endings -syzygy DIR -material KBNvK,KQvKR -search lazysmp
//	go run ./scripts/endings -syzygy DIR -material KBNvK -search bestfirst -backend cpu -tables=false -positions 15
//
// The side that is named first moves first, and wins with best play. It is played by a searcher on a clock, with the
// tables or without them. The defender plays the move with the longest distance to a capture or pawn move, or a better
// one where the searcher has erred. A game ends by the rules of chess: only mate counts as won.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"time"

	"tesla/board"
	"tesla/engine"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
	"tesla/tablebase/syzygy"
)

// longest bounds a game, in plies. The fifty-move rule ends those that make no progress.
const longest = 1000

func main() {
	log.SetFlags(0)
	r := runner{set: engine.Default()}
	material := flag.String("material", "KBNvK,KQvKR,KPvKP,KRvKP", "endings to play, after their files")
	flag.IntVar(&r.positions, "positions", 100, "positions of each ending")
	flag.Uint64Var(&r.seed, "seed", 1, "seed for the positions")
	flag.StringVar(&r.set.Search, "search", r.set.Search, "search algorithm of the side that wins")
	flag.StringVar(&r.set.Backend, "backend", r.set.Backend, "what evaluates positions")
	flag.IntVar(&r.set.Threads, "threads", r.set.Threads, "threads")
	folder := flag.String("syzygy", "", "folders of Syzygy tables, separated as in PATH; needed")
	flag.StringVar(&r.set.GaviotaTbPath, "gaviota", "", "folders of Gaviota tables for the side that wins")
	tables := flag.Bool("tables", true, "the side that wins uses the tables, too")
	flag.DurationVar(&r.base, "base", time.Second, "time of the side that wins")
	flag.DurationVar(&r.increment, "increment", 10*time.Millisecond, "increment of each move")
	flag.Parse()
	if *tables {
		r.set.SyzygyPath = *folder
	} else {
		r.set.GaviotaTbPath = ""
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.run(ctx, *folder, strings.Split(*material, ",")); err != nil {
		log.Fatal("endings: ", err)
	}
}

// runner plays endings.
type runner struct {
	set             engine.Settings
	positions       int
	seed            uint64
	base, increment time.Duration

	tables  *syzygy.Tables // of the defender
	backend string         // as it was opened
}

// run plays the endings and prints a line for each.
func (r *runner) run(ctx context.Context, folder string, materials []string) (err error) {
	if folder == "" {
		return errors.New("no -syzygy")
	}
	var errs []error
	if r.tables, errs = syzygy.Open(folder, 0); len(errs) > 0 {
		return errors.Join(errs...)
	}
	defer func() { err = errors.Join(err, r.tables.Close()) }()
	for _, m := range materials {
		if err := r.ending(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
	}
	return nil
}

// open opens the searcher of the side that wins.
func (r *runner) open() (search.Searcher, error) {
	s, notes, err := engine.Open(r.set)
	for _, n := range notes {
		log.Print(n)
	}
	if err != nil {
		return nil, err
	}
	r.backend = s.Backend().Name
	return s, nil
}

// ending plays the positions of an ending.
func (r *runner) ending(ctx context.Context, material string) error {
	random := rand.New(rand.NewPCG(r.seed, 0))
	all := &sweep.Sweep{Steps: r.positions, What: "games of " + material, Progress: view.ProgressOn(os.Stderr)}
	winner := []sweep.Searcher{{Name: r.set.Search, Open: r.open}}
	games, err := sweep.Searches(ctx, all, winner, func(ctx context.Context, s *sweep.Searcher, _ int) (*board.Game, error) {
		p, err := r.position(random, material)
		if err != nil {
			return nil, err
		}
		g, err := r.play(ctx, s, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.FEN(false), err)
		}
		return g, nil
	})
	if err != nil {
		return err
	}
	results, plies := map[board.Outcome]int{}, 0
	for _, g := range games[0] {
		outcome := g.Outcome()
		if outcome == board.Checkmate && len(g.Moves)%2 == 0 { // the defender mates
			outcome = board.Ongoing
		}
		results[outcome]++
		if outcome == board.Checkmate {
			plies += len(g.Moves)
		} else {
			log.Printf("not won: %s, %s after %d plies", g.Start.FEN(false), g.Outcome(), len(g.Moves))
		}
	}
	won := results[board.Checkmate]
	fmt.Printf("%s: %s on %s won %d of %d, after %.1f plies on average; %d ended by fifty moves, %d by repetition\n", material,
		r.set.Search, r.backend, won, r.positions, float64(plies)/float64(max(1, won)), results[board.FiftyMoves], results[board.Repetition])
	return nil
}

// position is a random position of a material in which White is to move and wins.
func (r *runner) position(random *rand.Rand, material string) (board.Position, error) {
	white, black, found := strings.Cut(material, "v")
	if !found {
		return board.Position{}, errors.New("want a name such as KBNvK")
	}
	pieces := white + strings.ToLower(black)
	var failed error
	for range 100000 {
		var squares [64]rune
		for i, square := range random.Perm(64)[:len(pieces)] {
			squares[square] = rune(pieces[i])
		}
		p, err := board.ParseFEN(placement(&squares) + " w - - 0 1")
		if err != nil {
			continue // kings that touch, pawns on the last rank
		}
		v, err := r.tables.WDL(&p, syzygy.Hard)
		if failed = err; err == nil && v == syzygy.Win && p.HasLegalMove() {
			return p, nil
		}
	}
	return board.Position{}, errors.Join(errors.New("no won position was found"), failed)
}

// placement is the first field of a FEN.
func placement(squares *[64]rune) string {
	var ranks []string
	for rank := range 8 {
		var b strings.Builder
		for _, piece := range squares[8*rank : 8*rank+8] {
			if piece == 0 {
				piece = '1'
			}
			b.WriteRune(piece)
		}
		ranks = append(ranks, b.String())
	}
	return strings.Join(ranks, "/")
}

// play plays a position to its end.
func (r *runner) play(ctx context.Context, s *sweep.Searcher, p board.Position) (*board.Game, error) {
	g, left := board.NewGame(p), r.base
	if err := s.NewGame(ctx); err != nil {
		return nil, err
	}
	for g.Outcome() == board.Ongoing && len(g.Moves) < longest {
		if g.Pos.Black {
			best, err := r.tables.Rank(&g.Pos)
			if err != nil {
				return nil, err
			}
			g.Play(best[0].Move)
			continue
		}
		began := time.Now()
		limits := search.Limits{HasClock: true, Time: [2]time.Duration{left, r.base}, Inc: [2]time.Duration{r.increment, r.increment}}
		best, err := s.Search(ctx, g, limits, nil)
		if err != nil {
			return nil, err
		}
		g.Play(best.Best)
		left = max(r.increment, left-time.Since(began)+r.increment)
	}
	return g, nil
}
