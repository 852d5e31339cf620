package backendbench

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"tesla/batcher"
	"tesla/internal/output/plots"
)

// plotRates draws the rates of rows by batch size. The ending of the path is the format: svg, png or pdf.
func plotRates(rows []batcher.Row, path string) error {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "positions in a batch", "evaluations a second"
	p.X.Scale = plot.LogScale{}
	var all, raw plotter.XYs
	var ticks []plot.Tick
	for _, r := range rows {
		all = append(all, plotter.XY{X: float64(r.Batch), Y: r.EPSMedian})
		if r.RawEPS > 0 {
			raw = append(raw, plotter.XY{X: float64(r.Batch), Y: r.RawEPS})
		}
		ticks = append(ticks, plot.Tick{Value: float64(r.Batch), Label: strconv.Itoa(r.Batch)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	lines := []any{"encoded and decoded (median)", all}
	if len(raw) > 0 {
		lines = append(lines, "the net alone", raw)
	}
	if err := plotutil.AddLinePoints(p, lines...); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	p.Add(plotter.NewGrid())
	p.Legend.Left, p.Legend.Top = true, true
	p.Y.Min = 0
	if err := plots.Save(p, 5*vg.Inch, 3.5*vg.Inch, path); err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	return nil
}
