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
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"tesla/board"
	"tesla/lab/sweep"
	"tesla/lab/view"
	"tesla/search"
)

// pointScale is the judge's score, in centipawns, at which the odds of the game are e to one.
const pointScale = 150

// points is the expected points, 0..1, at a score of the judge.
func points(cp int) float64 { return 1 / (1 + math.Exp(-float64(cp)/pointScale)) }

// Player is a search that is compared.
type Player struct {
	sweep.Searcher
	Limits search.Limits
}

// Config says who is compared, and on which positions.
type Config struct {
	Players   []Player // all are compared with the first
	Positions []board.Position
	Judge     *Judge
	Workers   int            // positions that are searched at the same time
	Progress  *view.Progress // nil: none
	Journal   sweep.File     // of the moves
	Label     any            // what the moves depend on, the header of the journal
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
	moves, err := cfg.moves(ctx)
	if err != nil {
		return nil, err
	}
	judged, tabled := cfg.Judge.asked()
	losses := make([][]float64, len(cfg.Players))
	for k := range losses {
		losses[k] = make([]float64, len(cfg.Positions))
	}
	all := &sweep.Sweep{Steps: len(cfg.Positions), Workers: cfg.Workers, What: "positions judged", Progress: cfg.Progress}
	var differ atomic.Int64
	err = all.Each(ctx, func(ctx context.Context, steps iter.Seq[int]) error {
		b := cfg.Judge.bench()
		defer b.engine.Close()
		for i := range steps {
			if same(moves, i) {
				continue
			}
			differ.Add(1)
			if err := b.judge(ctx, &cfg.Positions[i], moves, i, losses); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	judgedNow, tabledNow := cfg.Judge.asked()
	r := &Result{Positions: len(cfg.Positions), Differ: int(differ.Load()), Judged: judgedNow - judged, Tables: tabledNow - tabled}
	for k, p := range cfg.Players {
		s := Standing{Name: p.Name, Loss: stat.Mean(losses[k], nil)}
		diff := make([]float64, len(cfg.Positions))
		for i := range diff {
			diff[i] = losses[k][i] - losses[0][i]
		}
		mean, deviation := stat.MeanStdDev(diff, nil)
		s.Diff, s.Error = mean, distuv.UnitNormal.Quantile(0.975)*stat.StdErr(deviation, float64(len(diff)))
		r.Players = append(r.Players, s)
	}
	return r, nil
}

// choice is the move of a player, a record of the journal.
type choice struct {
	Player   string `json:"player"`
	Position string `json:"position"` // FEN
	Move     string `json:"move"`     // UCI
}

// moves are the moves of all players, by player and position.
func (cfg *Config) moves(ctx context.Context) (moves [][]board.Move, err error) {
	j, err := sweep.OpenJournal(cfg.Journal, cfg.Label, func(r *choice) (choice, error) {
		if r.Move == "" {
			return choice{}, errors.New("no move")
		}
		return choice{Player: r.Player, Position: r.Position}, nil
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = j.End(err) }()
	players := make([]sweep.Searcher, len(cfg.Players))
	limits := map[string]search.Limits{}
	for k, p := range cfg.Players {
		if _, twice := limits[p.Name]; twice {
			p.Name = fmt.Sprintf("%s (%d)", p.Name, k+1)
		}
		players[k], limits[p.Name] = p.Searcher, p.Limits
	}
	all := &sweep.Sweep{Steps: len(cfg.Positions), Workers: cfg.Workers, What: "moves", Progress: cfg.Progress, Resumed: j.Resumed}
	return sweep.Searches(ctx, all, players, func(ctx context.Context, s *sweep.Searcher, i int) (board.Move, error) {
		p := &cfg.Positions[i]
		asked := choice{Player: s.Name, Position: p.FEN(true)}
		c, err := j.Do(asked, func() (choice, error) {
			found, err := s.FromNothing(ctx, p, limits[s.Name], nil)
			asked.Move = p.UCI(found.Best, true)
			return asked, err
		})
		if err != nil {
			return board.NullMove, err
		}
		return p.ParseMove(c.Move)
	})
}

// same reports whether all players chose the same move in a position.
func same(moves [][]board.Move, i int) bool {
	return !slices.ContainsFunc(moves, func(of []board.Move) bool { return of[i] != moves[0][i] })
}

// judge notes what the players' moves in position i lose against the best of them.
func (b *bench) judge(ctx context.Context, p *board.Position, moves [][]board.Move, i int, losses [][]float64) error {
	best := math.Inf(-1)
	for k := range moves {
		cp, err := b.score(ctx, p, moves[k][i])
		if err != nil {
			return err
		}
		losses[k][i] = -points(cp)
		best = max(best, points(cp))
	}
	for k := range moves {
		losses[k][i] += best
	}
	return nil
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
