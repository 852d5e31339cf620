// Command sigma checks the sigma head of the CPU value net on games that the net was not trained on. Sigma is the net's
// own estimate of how far deeper search will move q. For some positions of every 40th game the command compares it with
// how far q did move, from the value after quiescence to the scores of two deeper searches: that of the game's teacher
// and that of Tesla's alpha-beta. It prints the means by tenths of sigma, and draws them.
//
//	go run ./scripts/nnue/sigma -games games.txt -plot docs/sigma.svg
package main

import (
	"context"
	"flag"
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"tesla/batcher"
	"tesla/board"
	"tesla/engine"
	"tesla/lab/games"
	"tesla/search"
)

const (
	heldOut = 40 // every 40th game is held out of training
	tenths  = 10 // groups of equal size, by sigma
)

func main() {
	file := flag.String("games", "", "games as text, see package games")
	weights := flag.String("net", "", "net file (default: the embedded one)")
	every := flag.Int("every", 10, "plies between two positions of a game")
	depth := flag.Int("depth", 8, "depth of the alpha-beta search, in plies")
	picture := flag.String("plot", "", "SVG or PNG file to draw")
	flag.Parse()
	if err := run(*file, *weights, *every, *depth, *picture); err != nil {
		fmt.Fprintln(os.Stderr, "sigma:", err)
		os.Exit(1)
	}
}

// sample holds, for one position, sigma and by how much each search moved q.
type sample struct{ sigma, teacher, own float64 }

// run takes the samples and reports on them.

func run(file, weights string, every, depth int, picture string) error {
	set := engine.Default()
	set.Search, set.Backend, set.WeightsFile = "lazysmp", "nnue", weights
	s, _, err := engine.Open(set)
	if err != nil {
		return err
	}
	defer s.Close()
	var samples []sample
	number := -1
	err = games.EachOf(file, func(g *games.Game) error {
		if number++; number%heldOut != 0 {
			return nil
		}
		_, err := g.Labels(func(ply int, p *board.Position, _ board.Move) error {
			if (ply+number/heldOut)%every != 0 {
				return nil
			}
			it := &batcher.Item{Position: *p}
			if err := s.Evaluator().Evaluate([]*batcher.Item{it}); err != nil {
				return err
			}
			own, err := s.Search(context.Background(), board.NewGame(*p), search.Limits{Depth: depth, MultiPV: 1}, nil)
			if err != nil {
				return err
			}
			q := float64(it.Eval.Q)
			samples = append(samples, sample{float64(it.Eval.Sigma), math.Abs(qOf(int(g.Plies[ply].Score)) - q),
				math.Abs(qOf(own.Info.Score.Value()) - q)})
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	if len(samples) < tenths {
		return fmt.Errorf("%s: %d positions, want at least %d", file, len(samples), tenths)
	}
	return report(samples, depth, picture)
}

// qOf converts a score in centipawns to q. A mate counts as the largest score in centipawns.
func qOf(cp int) float64 { return search.CPToQ(max(-search.MaxCP, min(search.MaxCP, cp))) }

// report prints the means by tenths of sigma and draws them.
func report(samples []sample, depth int, picture string) error {
	slices.SortFunc(samples, func(a, b sample) int {
		if a.sigma < b.sigma {
			return -1
		}
		return 1
	})
	own := fmt.Sprintf("alpha-beta to depth %d", depth)
	fmt.Printf("%d positions\n\n| tenth | sigma | teacher's search | %s |\n|---|---|---|---|\n", len(samples), own)
	var teacher, mine plotter.XYs
	for i := range tenths {
		part := samples[i*len(samples)/tenths : (i+1)*len(samples)/tenths]
		var mean sample
		for _, s := range part {
			mean.sigma += s.sigma / float64(len(part))
			mean.teacher += s.teacher / float64(len(part))
			mean.own += s.own / float64(len(part))
		}
		fmt.Printf("| %d | %.3f | %.3f | %.3f |\n", i+1, mean.sigma, mean.teacher, mean.own)
		teacher = append(teacher, plotter.XY{X: mean.sigma, Y: mean.teacher})
		mine = append(mine, plotter.XY{X: mean.sigma, Y: mean.own})
	}
	if picture == "" {
		return nil
	}
	p := plot.New()
	p.Title.Text = "Sigma on held-out games"
	p.X.Label.Text, p.Y.Label.Text = "mean sigma of a tenth of the positions (q)", "mean change of q by deeper search"
	ideal := plotter.NewFunction(func(x float64) float64 { return x })
	ideal.Dashes = []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(plotter.NewGrid(), ideal)
	p.Legend.Add("ideal", ideal)
	for _, series := range []struct {
		name  string
		xys   plotter.XYs
		color color.Color
	}{{"teacher's search", teacher, color.RGBA{B: 200, A: 255}}, {own, mine, color.RGBA{R: 200, A: 255}}} {
		line, points, err := plotter.NewLinePoints(series.xys)
		if err != nil {
			return fmt.Errorf("plot: %w", err)
		}
		line.Color, points.Color = series.color, series.color
		p.Add(line, points)
		p.Legend.Add(series.name, line, points)
	}
	p.X.Min, p.Y.Min = 0, 0
	p.Legend.Left, p.Legend.Top = true, true
	return p.Save(5*vg.Inch, 4*vg.Inch, picture)
}
