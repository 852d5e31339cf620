// Command curves draws columns of training logs over epochs. A log is a CSV file whose first line names the columns;
// one of them is "epoch". Each curve is divided by its last value, so that losses of different scale fit into one plot;
// -absolute draws them as they are.
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
	file := flag.String("plot", "", "SVG, PNG or PDF file to draw in")
	absolute := flag.Bool("absolute", false, "do not divide each curve by its last value")
	flag.Parse()
	if err := draw(*file, *absolute, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "curves:", err)
		os.Exit(1)
	}
}

// draw reads the columns that args name and draws them into file.
func draw(file string, absolute bool, args []string) error {
	if file == "" || len(args) == 0 {
		return errors.New("want -plot FILE and label.column=log.csv")
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "epochs", "held-out loss"
	if !absolute {
		p.Y.Label.Text += " / its last value"
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

// ticks are gonum's default ticks with four digits. gonum would label 1.84 as 1.8.
func ticks(low, high float64) []plot.Tick {
	found := plot.DefaultTicks{}.Ticks(low, high)
	for i, t := range found {
		if !t.IsMinor() {
			found[i].Label = strconv.FormatFloat(t.Value, 'g', 4, 64)
		}
	}
	return found
}

// read returns a column over the column epoch.
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
		return nil, errors.New("no rows in the log")
	}
	x, y := slices.Index(rows[0], "epoch"), slices.Index(rows[0], column)
	if x < 0 || y < 0 {
		return nil, fmt.Errorf("want the columns epoch and %s, found %s", column, strings.Join(rows[0], ", "))
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
