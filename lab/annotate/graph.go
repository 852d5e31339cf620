package annotate

import (
	"fmt"
	"image/color"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tesla/internal/output"
	"tesla/internal/output/plots"
)

const (
	graphWidth  = 20 * vg.Centimeter
	graphHeight = 8 * vg.Centimeter
)

// The colours of a graph. People with colour blindness can tell those of the marks apart, by their shapes too.
var (
	whiteSide = color.RGBA{R: 0xf0, G: 0xec, B: 0xe2, A: 0xff}
	blackSide = color.RGBA{R: 0x4a, G: 0x4a, B: 0x4a, A: 0xff}
	middle    = color.RGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}
	graphMark = map[mark]struct {
		color color.Color
		shape draw.GlyphDrawer
	}{
		imprecise: {color.RGBA{R: 0xe6, G: 0xb4, B: 0x22, A: 0xff}, draw.CircleGlyph{}},
		wrong:     {color.RGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}, draw.TriangleGlyph{}},
		bad:       {color.RGBA{R: 0xb0, G: 0x1e, B: 0x2e, A: 0xff}, draw.SquareGlyph{}},
	}
)

// graphKinds are the formats of the graphs.
var graphKinds = []string{"svg", "png"}

func (g *game) picture(kind string) string { return fmt.Sprintf("game-%04d.%s", g.Number, kind) }

func (f *File) pictures() (all []output.File) {
	for _, g := range f.games {
		for _, kind := range graphKinds {
			if g.searches() > 0 {
				all = append(all, output.File{Name: g.picture(kind), Ours: plots.Ours})
			}
		}
	}
	return all
}

// graphs draws the games that were judged, each as SVG and as PNG.
func (f *File) graphs() error {
	if f.cfg.Graphs == "" {
		return nil
	}
	for _, g := range f.games {
		if g.searches() == 0 {
			continue
		}
		p, err := g.graph()
		if err != nil {
			return fmt.Errorf("graph of %s: %w", g.Name(), err)
		}
		for _, kind := range graphKinds {
			if err := plots.Save(p, graphWidth, graphHeight, filepath.Join(f.cfg.Graphs, g.picture(kind))); err != nil {
				return fmt.Errorf("graph of %s: %w", g.Name(), err)
			}
		}
	}
	return nil
}

// graph draws White's win percentage after each move, as an area below the curve, and the marks of the moves.
func (g *game) graph() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s - %s  %s", g.Tag("White"), g.Tag("Black"), g.Result)
	p.Title.Padding = vg.Millimeter
	p.X.Label.Text, p.Y.Label.Text = "move", "White wins, %"
	p.Y.Min, p.Y.Max = 0, 100
	p.BackgroundColor = color.White
	var curve plotter.XYs
	marked := map[mark]plotter.XYs{}
	for k := range g.evaluations {
		i := g.first + k // moves before the position
		wins := winPercent(g.evaluations[k].CP)
		if g.positions[i].Black {
			wins = 100 - wins
		}
		at := plotter.XY{X: g.moveNumber(i), Y: wins}
		curve = append(curve, at)
		if k > 0 {
			m := g.verdicts[k-1].mark
			marked[m] = append(marked[m], at)
		}
	}
	left, right := curve[0].X, curve[len(curve)-1].X
	all, err := plotter.NewPolygon(plotter.XYs{{X: left, Y: 0}, {X: right, Y: 0}, {X: right, Y: 100}, {X: left, Y: 100}})
	if err != nil {
		return nil, err
	}
	below := append(plotter.XYs{{X: left, Y: 0}}, curve...)
	area, err := plotter.NewPolygon(append(below, plotter.XY{X: right, Y: 0}))
	if err != nil {
		return nil, err
	}
	even, err := plotter.NewLine(plotter.XYs{{X: left, Y: 50}, {X: right, Y: 50}})
	if err != nil {
		return nil, err
	}
	all.Color, all.LineStyle.Width, area.Color, area.LineStyle.Width, even.Color = blackSide, 0, whiteSide, 0, middle
	p.Add(all, area, even)
	return p, addMarks(p, marked)
}

// addMarks draws the moves that lost something, and names their marks.
func addMarks(p *plot.Plot, marked map[mark]plotter.XYs) error {
	for _, m := range []mark{imprecise, wrong, bad} {
		if len(marked[m]) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(marked[m])
		if err != nil {
			return err
		}
		dots.Color, dots.Shape, dots.Radius = graphMark[m].color, graphMark[m].shape, vg.Points(3.5)
		p.Add(dots)
		p.Legend.Add(strings.ToLower(m.String()), dots)
	}
	p.Legend.Left = true // there the area is light, for games begin balanced
	return nil
}

// moveNumber is the place of a position on the axis of moves: that of the move that led there.
func (g *game) moveNumber(i int) float64 {
	p := &g.positions[i]
	n := float64(p.Fullmove)
	if p.Black {
		return n
	}
	return n - 0.5
}
