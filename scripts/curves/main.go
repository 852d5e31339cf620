// Command curves draws columns of training logs, which share a first line of names and a column epoch, each relative to its last
// value, so that losses of different scale stand beside each other, or as they are.
//
//	curves -plot loss.svg value.held_value=value/log.csv policy.held_policy=policy/log.csv
//	curves -plot variants.svg -absolute 'S.policy=S/log.csv' '16 latents.policy=16/log.csv'
//
// An argument is label.column=file.
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

func main() {
	file := flag.String("plot", "", "svg, png or pdf")
	absolute := flag.Bool("absolute", false, "losses as they are")
	flag.Parse()
	if err := draw(*file, *absolute, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "curves:", err)
		os.Exit(1)
	}
}

func draw(file string, absolute bool, args []string) error {
	if file == "" || len(args) == 0 {
		return errors.New("want -plot FILE and label.column=log.csv")
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "epochs", "held-out loss"
	if !absolute {
		p.Y.Label.Text += " over that at the end"
	}
	p.Y.Tick.Marker = plot.TickerFunc(ticks)
	var lines []any
	for _, arg := range args {
		name, path, ok := strings.Cut(arg, "=")
		label, column, dotted := strings.Cut(name, ".")
		if !ok || !dotted {
			return fmt.Errorf("%q: want label.column=log.csv", arg)
		}
		xy, err := read(path, column)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		last := xy[len(xy)-1].Y
		if !absolute {
			for i := range xy {
				xy[i].Y /= last
			}
		}
		lines = append(lines, fmt.Sprintf("%s (%.4f)", label, last), xy)
	}
	if err := plotutil.AddLines(p, lines...); err != nil {
		return err
	}
	p.Add(plotter.NewGrid())
	p.Legend.Top = true
	return p.Save(14*vg.Centimeter, 9*vg.Centimeter, file)
}

// ticks are gonum's, which labels 1.84 as 1.8, with their values in full.
func ticks(low, high float64) []plot.Tick {
	found := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range found {
		if !t.IsMinor() {
			found[i].Label = strconv.FormatFloat(t.Value, 'g', 4, 64)
		}
	}
	return found
}

// read is a column by the column epoch.
func read(path, column string) (plotter.XYs, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, errors.New("no figures yet")
	}
	x, y := slices.Index(rows[0], "epoch"), slices.Index(rows[0], column)
	if x < 0 || y < 0 {
		return nil, fmt.Errorf("no column epoch or %s, but %s", column, strings.Join(rows[0], ", "))
	}
	var xy plotter.XYs
	for i, row := range rows[1:] {
		epoch, err1 := strconv.ParseFloat(row[x], 64)
		v, err2 := strconv.ParseFloat(row[y], 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		xy = append(xy, plotter.XY{X: epoch, Y: v})
	}
	return xy, nil
}
