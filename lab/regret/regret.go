// Package regret compares searches by what their moves lose in the eyes of a stronger engine, the judge. All players
// move in the same positions of games, each from an empty tree.
//
// The points that a player loses move by move add up to what it loses in a game. So the mean difference between two
// players tells who is better, as a match does, but from fewer searches: no search is spent on games that are decided,
// and where the players choose the same move, chance adds no noise. The comparison tells nothing about clocks, about
// tree reuse, or about a player that leads games into positions that suit it. A match has the last word.
//
// Invariant: a result covers all positions and all players. A search that fails ends the run without a result.
package regret

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tesla/board"
	"tesla/lab/watchdog"
	"tesla/search"
)

// pointScale is the judge's score, in centipawns, at which the odds of the game are e to one.
const pointScale = 150

// points is the expected points, 0..1, at a score of the judge.
func points(cp int) float64 { return 1 / (1 + math.Exp(-float64(cp)/pointScale)) }

// Player is a search that is compared.
type Player struct {
	Name   string
	Limits search.Limits
	New    func() (search.Searcher, error) // one searcher for each worker
}

// Config says who is compared, and on which positions.
type Config struct {
	Players   []Player // all are compared with the first
	Positions []board.Position
	Judge     *Judge
	Workers   int            // positions that are searched at the same time
	Progress  func(done int) // may be nil
}

// Standing is the result of one player.
type Standing struct {
	Name  string  `json:"name"`
	Loss  float64 `json:"loss"`  // mean points per move below the best move of any player
	Diff  float64 `json:"diff"`  // mean points per move that it loses more than the first player
	Error float64 `json:"error"` // half of its 95 % interval
}

// Result of a comparison.
type Result struct {
	Positions int        `json:"positions"`
	Differ    int        `json:"differ"` // positions in which the players chose different moves
	Judged    int        `json:"judged"` // moves whose verdict was not in the judge's journal
	Tables    int        `json:"tables"` // moves whose verdict endgame tables gave; they are not among the judged ones
	Players   []Standing `json:"players"`
}

// Run compares the players. It ends early with the error of ctx, a player or the judge. When ctx ends, a search or a
// searcher that hangs is abandoned after a grace time.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{cfg: cfg, losses: make([][]float64, len(cfg.Players))}
	r.judged, r.tabled = cfg.Judge.asked()
	for i := range r.losses {
		r.losses[i] = make([]float64, len(cfg.Positions))
	}
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(1, cfg.Workers) {
		wait.Go(func() {
			if err := r.work(ctx, next); err != nil {
				stop(err)
			}
		})
	}
	for i := range cfg.Positions {
		select {
		case next <- i:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return r.result(), nil
}

type run struct {
	cfg    Config
	losses [][]float64 // by player and position
	judged int         // by the judge before this run
	tabled int         // by its tables before this run

	mutex  sync.Mutex
	done   int
	differ int
}

// work takes positions until there are no more.
func (r *run) work(ctx context.Context, next <-chan int) (err error) {
	var players []*watchdog.Searcher
	defer func() {
		for _, p := range players {
			err = errors.Join(err, p.Close())
		}
	}()
	for _, p := range r.cfg.Players {
		s, err := watchdog.Open(ctx, watchdog.Grace, p.New)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		players = append(players, s)
	}
	b := r.cfg.Judge.bench()
	defer b.engine.Close()
	moves := make([]board.Move, len(players))
	for i := range next {
		p := &r.cfg.Positions[i]
		for k, s := range players {
			if err := s.NewGame(ctx); err != nil {
				return fmt.Errorf("%s: %w", r.cfg.Players[k].Name, err)
			}
			found, err := s.Search(ctx, board.NewGame(*p), r.cfg.Players[k].Limits, nil)
			if err != nil {
				return fmt.Errorf("%s: %w", r.cfg.Players[k].Name, err)
			}
			moves[k] = found.Best
			if ctx.Err() != nil {
				return nil
			}
			if moves[k] == board.NullMove {
				return fmt.Errorf("%s: no move in %s", r.cfg.Players[k].Name, p.FEN(true))
			}
		}
		if err := r.judge(ctx, i, p, moves, b); err != nil {
			return err
		}
	}
	return nil
}

// judge notes what each move loses against the best of them. Where all players chose the same move it asks nobody.
func (r *run) judge(ctx context.Context, i int, p *board.Position, moves []board.Move, b *bench) error {
	differ, best := false, math.Inf(-1)
	for _, m := range moves {
		differ = differ || m != moves[0]
	}
	if differ {
		for k, m := range moves {
			cp, err := b.score(ctx, p, m)
			if err != nil {
				return err
			}
			r.losses[k][i] = -points(cp)
			best = max(best, points(cp))
		}
		for k := range moves {
			r.losses[k][i] += best
		}
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.done++
	if differ {
		r.differ++
	}
	if r.cfg.Progress != nil {
		r.cfg.Progress(r.done)
	}
	return nil
}

func (r *run) result() *Result {
	judged, tabled := r.cfg.Judge.asked()
	res := &Result{Positions: len(r.cfg.Positions), Differ: r.differ, Judged: judged - r.judged, Tables: tabled - r.tabled}
	for k, p := range r.cfg.Players {
		s := Standing{Name: p.Name, Loss: stat.Mean(r.losses[k], nil)}
		diff := make([]float64, len(r.cfg.Positions))
		for i := range diff {
			diff[i] = r.losses[k][i] - r.losses[0][i]
		}
		mean, deviation := stat.MeanStdDev(diff, nil)
		s.Diff, s.Error = mean, distuv.UnitNormal.Quantile(0.975)*stat.StdErr(deviation, float64(len(diff)))
		res.Players = append(res.Players, s)
	}
	return res
}

// String is a table of the losses, in thousandths of a point per move.
func (r *Result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d positions, moves differ in %d, %d moves judged", r.Positions, r.Differ, r.Judged)
	if r.Tables > 0 {
		fmt.Fprintf(&b, ", %d by endgame tables", r.Tables)
	}
	b.WriteByte('\n')
	b.WriteString("thousandths of a point that a move loses (less is better), and how many more than those of the first player (95 %):\n")
	for i, s := range r.Players {
		fmt.Fprintf(&b, "%7.2f", 1000*s.Loss)
		if i > 0 {
			fmt.Fprintf(&b, "  %+6.2f +- %.2f", 1000*s.Diff, 1000*s.Error)
		} else {
			fmt.Fprintf(&b, "%*s", 17, "")
		}
		fmt.Fprintf(&b, "  %s\n", s.Name)
	}
	return b.String()
}
