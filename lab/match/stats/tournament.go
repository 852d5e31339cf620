package stats

import (
	"fmt"
	"html"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"tesla/internal/output"
)

// ratingsFile is the plot of the ratings of more than two players.
const ratingsFile = "ratings"

// WriteTableReport writes the report of a match of more than two players into a folder, which it makes where it is
// missing: the page report.html with the cross table and each pairing, and a plot of the ratings.
func WriteTableReport(dir string, t *Table) error {
	if err := CheckReport(dir); err != nil {
		return err
	}
	var page strings.Builder
	beginPage(&page, fmt.Sprintf("Match of %d players", len(t.Players)), t.Head)
	page.WriteString("<p>" + pageSentence + "the first player of a row.</p>\n")
	t.writeCross(&page)
	t.writePairings(&page)
	fmt.Fprintf(&page, "<h2>Ratings with their 95 %% intervals</h2>\n<p><a href=\"%[1]s.png\"><img src=\"%[1]s.svg\" alt=\"ratings\"></a></p>\n", ratingsFile)
	if err := output.WriteBytes(filepath.Join(dir, "report.html"), isPage, []byte(page.String())); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p, err := t.plot()
	if err == nil {
		err = writePlot(filepath.Join(dir, ratingsFile), p)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// writeRow writes cells of a table, with the given element.
func writeRow(page *strings.Builder, element string, cells ...string) {
	page.WriteString("<tr>")
	for _, c := range cells {
		fmt.Fprintf(page, "<%[1]s>%[2]s</%[1]s>", element, html.EscapeString(c))
	}
	page.WriteString("</tr>\n")
}

// writeCross writes the cross table.
func (t *Table) writeCross(page *strings.Builder) {
	order, cells := t.cross()
	head := []string{"", "name", "Elo", "error", "games", "points", "score"}
	for i := range order {
		head = append(head, fmt.Sprint(i+1))
	}
	page.WriteString("<div class=\"wide\"><table>\n")
	writeRow(page, "th", head...)
	for place, i := range order {
		p := &t.Players[i]
		row := []string{fmt.Sprint(place + 1), p.Name, fmt.Sprintf("%+.1f", p.Elo), p.errorText(), fmt.Sprint(p.Games), fmt.Sprintf("%.1f", p.Points),
			fmt.Sprintf("%.1f %%", 100*p.Points/float64(max(p.Games, 1)))}
		for _, j := range order {
			row = append(row, cells[[2]int{i, j}])
		}
		writeRow(page, "td", row...)
	}
	page.WriteString("</table></div>\n")
}

// writePairings writes a row for each pairing.
func (t *Table) writePairings(page *strings.Builder) {
	page.WriteString("<h2>Pairings</h2>\n<div class=\"wide\"><table>\n")
	writeRow(page, "th", "players", "games", "wins", "losses", "draws", "pairs", "Elo", "LOS", "crashes", "timeouts", "illegal")
	for i := range t.Pairings {
		p := &t.Pairings[i]
		writeRow(page, "td", p.First+" - "+p.Second, fmt.Sprint(p.Games), fmt.Sprint(p.Wins), fmt.Sprint(p.Losses), fmt.Sprint(p.Draws),
			fmt.Sprint(p.Ptnml), p.eloText(), fmt.Sprintf("%.1f %%", 100*p.LOS), fmt.Sprint(p.Crashes), fmt.Sprint(p.Timeouts), fmt.Sprint(p.Illegal))
	}
	page.WriteString("</table></div>\n")
}

// ratings are points with intervals of an axis of players.
type ratings struct {
	plotter.XYs
	plotter.YErrors
}

// plot shows the ratings, the best player first. A rating without a bound has no interval.
func (t *Table) plot() (*plot.Plot, error) {
	order, _ := t.cross()
	var all ratings
	var names []string
	for place, i := range order {
		p := &t.Players[i]
		half := p.Error
		if half >= MaxElo {
			half = 0
		}
		all.XYs = append(all.XYs, plotter.XY{X: float64(place), Y: p.Elo})
		all.YErrors = append(all.YErrors, struct{ Low, High float64 }{half, half})
		names = append(names, fmt.Sprint(place+1))
	}
	points, err := plotter.NewScatter(all.XYs)
	if err != nil {
		return nil, err
	}
	bars, err := plotter.NewYErrorBars(all)
	if err != nil {
		return nil, err
	}
	points.GlyphStyle = draw.GlyphStyle{Color: plotBlue, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
	bars.Color, bars.Width = plotBlue, vg.Points(1.5)
	p := newPlot("place", "Elo")
	p.Y.Tick.Marker = counts{}
	p.Add(bars, points)
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(order))-0.5
	return p, nil
}
