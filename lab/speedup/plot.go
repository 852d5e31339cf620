package speedup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tesla/internal/output"
	"tesla/internal/output/plots"
)

// The size of the plot.
const (
	plotWidth  = 14 * vg.Centimeter
	plotHeight = 10 * vg.Centimeter
	// plotMargin stretches the axes beyond the last point, because the legend is in the corner.
	plotMargin = 1.05
)

// The colours of plots. People with colour blindness can tell them apart.
var (
	Ink  = color.RGBA{R: 0x1f, G: 0x4e, B: 0x9c, A: 0xff}
	warm = color.RGBA{R: 0xd9, G: 0x6c, B: 0x06, A: 0xff}
	Pale = color.RGBA{R: 0x99, G: 0x99, B: 0x99, A: 0xff}
)

// points is a curve with an interval at each point.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// The files of a report.
var (
	textFile = output.File{Name: "speedup.txt", Ours: func(head []byte) bool { return bytes.Contains(head, []byte(overBaseline)) }}
	dataFile = output.File{Name: "speedup.json", Ours: output.Begins("{\n  \"search\": ")}
	plotFile = output.File{Name: "speedup.svg", Ours: plots.Ours}
)

// ReportFiles are the files that Report writes.
var ReportFiles = []output.File{textFile, dataFile, plotFile}

// Report writes a text, the data and a plot into a folder. It makes the folder where it is missing.
func (r *Result) Report(folder string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = output.Folder(folder, ReportFiles...)
	}
	if err == nil {
		err = output.Write(filepath.Join(folder, textFile.Name), textFile.Ours, r.Print)
	}
	if err == nil {
		err = output.WriteBytes(filepath.Join(folder, dataFile.Name), dataFile.Ours, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return r.Plot(filepath.Join(folder, plotFile.Name))
}

// Plot draws the speed-up against the number of threads, with its interval, the ceiling and the ideal. The file name
// ends in svg, png or pdf.
func (r *Result) Plot(path string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %d positions", r.Search, r.Positions)
	p.X.Label.Text, p.Y.Label.Text = "threads", "speed-up over "+r.Baseline
	var measured points
	var ceiling, ideal plotter.XYs
	var ticks []plot.Tick
	for i := range r.Runs {
		run := &r.Runs[i]
		x := float64(run.Threads)
		measured.XYs = append(measured.XYs, plotter.XY{X: x, Y: run.Speedup})
		measured.YErrors = append(measured.YErrors, struct{ Low, High float64 }{run.Speedup - run.Low,
			run.High - run.Speedup})
		ceiling = append(ceiling, plotter.XY{X: x, Y: run.Ceiling})
		ideal = append(ideal, plotter.XY{X: x, Y: x})
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.Itoa(run.Threads)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	if err := addCurves(p, measured, ceiling, ideal); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Title.Padding = vg.Millimeter
	p.X.Min, p.Y.Min = 0, 0
	p.X.Max *= plotMargin
	p.Y.Max *= plotMargin
	if err := plots.Save(p, plotWidth, plotHeight, path); err != nil {
		return fmt.Errorf("plot %s: %w", path, err)
	}
	return nil
}

func addCurves(p *plot.Plot, measured points, ceiling, ideal plotter.XYs) error {
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	bound, err := plotter.NewLine(ideal)
	if err != nil {
		return err
	}
	bound.Color, bound.Dashes = Pale, []vg.Length{vg.Points(1), vg.Points(3)}
	machine, err := plotter.NewLine(ceiling)
	if err != nil {
		return err
	}
	machine.Color, machine.Dashes, machine.Width = warm, []vg.Length{vg.Points(6), vg.Points(3)}, vg.Points(1.5)
	curve, dots, err := plotter.NewLinePoints(measured.XYs)
	if err != nil {
		return err
	}
	curve.Color, curve.Width = Ink, vg.Points(1.5)
	dots.Color, dots.Shape, dots.Radius = Ink, draw.CircleGlyph{}, vg.Points(3)
	bars, err := plotter.NewYErrorBars(measured)
	if err != nil {
		return err
	}
	bars.Color = Ink
	p.Add(grid, bound, machine, curve, dots, bars)
	p.Legend.Add("measured, 95 % interval", curve, dots)
	p.Legend.Add("ceiling of the machine", machine)
	p.Legend.Add("number of threads", bound)
	return nil
}
