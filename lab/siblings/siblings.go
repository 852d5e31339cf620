// Package siblings measures whether a value orders the moves of one position, which goes with playing strength where the
// error on positions of games does not.
//
// A file has one position a line, "FEN;move:score move:score ...": every legal move in UCI form with the score of a strong
// engine after it, in centipawns for the player who moves; 32000 - n is a mate in n plies, -(32000 - n) being mated.
package siblings

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"tesla/batcher"
	"tesla/board"
	"tesla/lab/sweep"
	"tesla/lab/view"
)

const (
	// scale is the centipawns of one unit of a label's logit: the expected score is 1 / (1 + exp(-cp / scale)).
	scale = 250
	// distinct is the least difference of two labels, as expected scores, that a value is asked to order.
	distinct = 0.03
)

// Position is a position, its children (the positions after each legal move), and their labels.
type Position struct {
	Board    board.Position
	Moves    []board.Move
	Children []board.Position
	Labels   []float64 // expected score in [0, 1] for the player who moves
}

// Read reads a file. Its errors name the line.
func Read(r io.Reader) ([]Position, error) {
	var all []Position
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		p, err := parse(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		all = append(all, p)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New("no position")
	}
	return all, nil
}

func parse(line string) (p Position, err error) {
	fen, labels, found := strings.Cut(line, ";")
	if !found {
		return p, errors.New("want FEN;move:score move:score and so on")
	}
	if p.Board, err = board.ParseFEN(fen); err != nil {
		return p, err
	}
	for _, text := range strings.Fields(labels) {
		move, score, _ := strings.Cut(text, ":")
		m, err := p.Board.ParseMove(move)
		if err != nil {
			return p, err
		}
		cp, err := strconv.Atoi(score)
		if err != nil {
			return p, fmt.Errorf("%q: want move:centipawns", text)
		}
		child := p.Board.After(m)
		p.Moves, p.Children = append(p.Moves, m), append(p.Children, child)
		p.Labels = append(p.Labels, 1/(1+math.Exp(-float64(cp)/scale)))
	}
	if want := p.Board.CountLegal(); len(p.Moves) != want {
		return p, fmt.Errorf("%d moves have labels, %d are legal", len(p.Moves), want)
	}
	return p, nil
}

// ReadFile reads a file by its name.
func ReadFile(path string) ([]Position, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// ByNet gives the values of an evaluation that takes at most maxBatch positions at once. Where the game is over, the
// rules give the value.
func ByNet(evaluate func([]*batcher.Item) error, maxBatch int) func(p *Position) ([]float64, error) {
	return func(p *Position) ([]float64, error) {
		items := make([]*batcher.Item, len(p.Children))
		for i := range items {
			items[i] = &batcher.Item{Position: p.Children[i], Moves: p.Children[i].LegalMoves(nil)}
		}
		for part := range slices.Chunk(items, maxBatch) {
			if err := evaluate(part); err != nil {
				return nil, err
			}
		}
		values := make([]float64, len(items))
		for i, it := range items {
			switch child := &p.Children[i]; {
			case len(it.Moves) == 0 && child.InCheck():
				values[i] = 1
			case len(it.Moves) == 0 || child.InsufficientMaterial():
				values[i] = 0
			default:
				values[i] = -float64(it.Eval.Q)
			}
		}
		return values, nil
	}
}

// Report is the result of a measurement.
type Report struct {
	Backend   string  `json:"backend"`
	Model     string  `json:"model"`
	Positions int     `json:"positions"`
	Loss      float64 `json:"loss"`       // expected score that the move of the best value loses, mean
	LossError float64 `json:"loss_error"` // 95 %
	Pairs     int     `json:"pairs"`      // of siblings whose labels are distinct
	InOrder   float64 `json:"in_order"`   // share of them that the values order as the labels do
}

// Measure compares with the labels what value gives for the children of each position: higher is better for the player
// who moves to them, in any scale. A pair of equal values counts as half in order. progress may be nil.
func Measure(ctx context.Context, positions []Position, value func(p *Position) ([]float64, error), progress *view.Progress) (r Report, err error) {
	var sum, squares, ordered float64
	all := &sweep.Sweep{Steps: len(positions), What: "positions", Progress: progress}
	err = all.Each(ctx, func(_ context.Context, steps iter.Seq[int]) error {
		for i := range steps {
			p := &positions[i]
			values, err := value(p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Board.FEN(false), err)
			}
			loss := p.loss(values)
			sum, squares = sum+loss, squares+loss*loss
			pairs, good := p.inOrder(values)
			r.Pairs, ordered = r.Pairs+pairs, ordered+good
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	n := float64(len(positions))
	r.Positions, r.Loss = len(positions), sum/n
	r.LossError = 1.96 * math.Sqrt(max(0, squares/n-r.Loss*r.Loss)/n)
	r.InOrder = ordered / max(1, float64(r.Pairs))
	return r, nil
}

// loss is the expected score that the move of the highest value loses against the move of the best label.
func (p *Position) loss(values []float64) float64 {
	chosen, best := 0, math.Inf(-1)
	for i, v := range values {
		if v > values[chosen] {
			chosen = i
		}
		best = max(best, p.Labels[i])
	}
	return best - p.Labels[chosen]
}

// inOrder counts the pairs of siblings whose labels are distinct, and those that the values order as the labels do.
func (p *Position) inOrder(values []float64) (pairs int, ordered float64) {
	for i := range values {
		for j := range i {
			difference := p.Labels[i] - p.Labels[j]
			if math.Abs(difference) < distinct {
				continue
			}
			pairs++
			switch order := (values[i] - values[j]) * difference; {
			case order > 0:
				ordered++
			case order == 0:
				ordered += 0.5
			}
		}
	}
	return pairs, ordered
}

// String is the report in one line.
func (r Report) String() string {
	return fmt.Sprintf("%s, net %s, %d positions: loss %.4f +- %.4f (less is better), %.1f %% of %d pairs in order (more is better)",
		r.Backend, r.Model, r.Positions, r.Loss, r.LossError, 100*r.InOrder, r.Pairs)
}
