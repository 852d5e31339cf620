package stats

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// The colours of the plots.
var (
	plotBlue  = color.NRGBA{0x1f, 0x5f, 0xa8, 0xff}
	plotBand  = color.NRGBA{0x1f, 0x5f, 0xa8, 0x38}
	plotRed   = color.NRGBA{0xb0, 0x30, 0x30, 0xff}
	plotGreen = color.NRGBA{0x20, 0x80, 0x40, 0xff}
	plotGrey  = color.NRGBA{0x70, 0x70, 0x70, 0xff}
)

// sans is the font of the plots, that of the page.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, style := range []*text.Style{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font = font.From(sans, 11)
	}
	p.Add(plotter.NewGrid())
	return p
}

// counts are the ticks of an axis that counts things: whole numbers, about mostTicks of them.
type counts struct{}

const mostTicks = 6

// Ticks implements plot.Ticker.
func (counts) Ticks(least, most float64) (all []plot.Tick) {
	step, factors := 1.0, [3]float64{2, 2.5, 2}
	for i := 0; (most-least)/step > mostTicks; i++ {
		step *= factors[i%len(factors)]
	}
	for v := math.Ceil(least/step) * step; v <= most; v += step {
		all = append(all, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', 0, 64)})
	}
	return all
}

// line adds a line. Points that cannot be drawn, such as NaN, are no error: the plot then lacks the line.
func line(p *plot.Plot, points plotter.XYs, c color.Color, dashed bool) *plotter.Line {
	l, err := plotter.NewLine(points)
	if err != nil {
		return nil
	}
	l.Color, l.Width = c, vg.Points(1.5)
	if dashed {
		l.Width, l.Dashes = vg.Points(1), []vg.Length{vg.Points(5), vg.Points(3)}
	}
	p.Add(l)
	return l
}

// eloPlot shows the estimate of Elo and its 95 % band. The first games say little, so the scale is that of the band
// after a tenth of the games, and the lines are cut there.
func eloPlot(c *course) *plot.Plot {
	n := len(c.elo)
	if n < 4 {
		return nil
	}
	least, most := 0.0, 0.0
	for _, e := range c.elo[min(max(n/10, 20), n-1):] {
		least, most = min(least, e.low), max(most, e.high)
	}
	margin := max((most-least)/20, 1)
	least, most = least-margin, most+margin
	cut := func(v float64) float64 { return max(least, min(v, most)) }
	var middle, band plotter.XYs
	kept := thin(n)
	for _, i := range kept {
		middle = append(middle, plotter.XY{X: c.elo[i].games, Y: cut(c.elo[i].elo)})
		band = append(band, plotter.XY{X: c.elo[i].games, Y: cut(c.elo[i].high)})
	}
	for k := len(kept) - 1; k >= 0; k-- {
		band = append(band, plotter.XY{X: c.elo[kept[k]].games, Y: cut(c.elo[kept[k]].low)})
	}
	p := newPlot("games", "Elo")
	p.X.Tick.Marker = counts{}
	area, err := plotter.NewPolygon(band)
	if err != nil {
		return nil
	}
	area.Color, area.LineStyle.Width = plotBand, 0
	p.Add(area)
	line(p, plotter.XYs{{X: 0, Y: 0}, {X: float64(n), Y: 0}}, plotGrey, true)
	line(p, middle, plotBlue, false)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, float64(n), least, most
	return p
}

func llrPlot(c *course) *plot.Plot {
	if len(c.llr) == 0 {
		return nil
	}
	path := plotter.XYs{{X: 0, Y: 0}}
	for _, i := range thin(len(c.llr)) {
		path = append(path, c.llr[i])
	}
	p := newPlot("pairs", "LLR")
	p.X.Tick.Marker = counts{}
	lower, upper := c.test.Bounds()
	end := path[len(path)-1].X
	across := func(y float64) plotter.XYs { return plotter.XYs{{X: 0, Y: y}, {X: end, Y: y}} }
	p.Legend.Add("H1", line(p, across(upper), plotGreen, true))
	p.Legend.Add("H0", line(p, across(lower), plotRed, true))
	line(p, path, plotBlue, false)
	p.Legend.Left, p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs = true, true, vg.Points(8), -vg.Points(18) // below the line of H1
	room := (upper - lower) / 10
	p.Y.Min, p.Y.Max = min(p.Y.Min, lower)-room, max(p.Y.Max, upper)+room
	return p
}

func ptnmlPlot(c *course) *plot.Plot {
	if c.result.Ptnml.Pairs() == 0 {
		return nil
	}
	values, names := make(plotter.Values, 5), [5]string{"0", "1/2", "1", "3/2", "2"}
	for i, k := range c.result.Ptnml {
		values[i] = float64(k)
		names[i] += fmt.Sprintf(" (%d)", k)
	}
	bars, err := plotter.NewBarChart(values, vg.Points(40))
	if err != nil {
		return nil
	}
	bars.Color, bars.LineStyle.Width = plotBlue, 0
	p := newPlot("points of a pair (pairs)", "pairs")
	p.Add(bars)
	p.NominalX(names[:]...)
	p.Y.Tick.Marker = counts{}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, 4.5, 0, 1.05*p.Y.Max
	return p
}

// lengthsPlot is a histogram of the lengths of the games, where they are known.
func lengthsPlot(c *course) *plot.Plot {
	var moves plotter.Values
	longest := 0
	for _, f := range c.facts {
		if f.Plies > 0 {
			moves = append(moves, float64(f.Plies)/2)
			longest = max(longest, f.Plies)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	h, err := plotter.NewHist(moves, max(1, min(40, longest/4)))
	if err != nil {
		return nil
	}
	h.FillColor, h.LineStyle.Width = plotBlue, vg.Points(0.5)
	p := newPlot("moves, with those of the opening", "games")
	p.Add(h)
	p.Y.Min = 0
	p.X.Tick.Marker, p.Y.Tick.Marker = counts{}, counts{}
	return p
}
