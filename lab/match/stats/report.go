package stats

import (
	"bytes"
	"fmt"
	"html"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	_ "gonum.org/v1/plot/vg/vgimg" // PNG
	_ "gonum.org/v1/plot/vg/vgsvg" // SVG

	"tesla/internal/output"
	"tesla/internal/output/plots"
)

// reportPlot is a plot of a report. Its draw returns nil where there is too little data.
type reportPlot struct {
	name  string // of its files
	title string
	why   string // what is missing where draw returns nil
	draw  func(*course) *plot.Plot
}

var reportPlots = []reportPlot{
	{"elo", "Elo after each game, with its 95 % band", "too few games", eloPlot},
	{"llr", "LLR of the SPRT after each pair", "no test, or no pair", llrPlot},
	{"ptnml", "Pairs by points", "no pair", ptnmlPlot},
	{"lengths", "Lengths of the games", "not known", lengthsPlot},
}

// pageSentence is in each page of a report.
const pageSentence = "All numbers are from the side of "

// isPage tells by its head whether a page is that of a report.
func isPage(head []byte) bool { return bytes.Contains(head, []byte(pageSentence)) }

// pageStyle shows the plots below each other on a narrow screen, and in two columns elsewhere. The font is that of the plots.
const pageStyle = "body{font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif;max-width:64em;margin:1em auto;padding:0 1em;background:#fff;color:#222}" +
	"h1{font-size:1.4em}h2{font-size:1em}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26em),1fr));gap:0 2em}" +
	".wide{overflow-x:auto}th{text-align:left;padding:2px 1em 2px 0}.wide td{white-space:nowrap}section{min-width:0}img{width:100%;max-width:30em}td{padding:2px 1em 2px 0;vertical-align:top;overflow-wrap:anywhere}td:first-child{overflow-wrap:normal}"

// CheckReport makes the folder of a report where it is missing, and tells why none could be written there. Only the
// files of an earlier report are replaced.
func CheckReport(dir string) error {
	files, names := []output.File{{Name: "report.html", Ours: isPage}}, []string{ratingsFile}
	for _, p := range reportPlots {
		names = append(names, p.name)
	}
	for _, name := range names {
		for _, kind := range plotKinds {
			files = append(files, output.File{Name: name + kind, Ours: plots.Ours})
		}
	}
	if err := output.Folder(dir, files...); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// plotKinds are the formats of the plots, by the extensions of their files.
var plotKinds = []string{".svg", ".png"}

// beginPage writes the head of a page, with who played and how; a nil head is not known.
func beginPage(page *strings.Builder, title string, head *Head) {
	title = html.EscapeString(title)
	fmt.Fprintf(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%s</title>\n<style>%s</style>\n<h1>%s</h1>\n",
		title, pageStyle, title)
	if head != nil {
		lines := strings.TrimSpace(html.EscapeString(head.String()))
		fmt.Fprintf(page, "<p>%s</p>\n", strings.ReplaceAll(lines, "\n", "<br>\n"))
	}
}

// Report is what a report of two players shows. The facts are plotted in their order, and their numbers tell which games
// are a pair. Without a test there is no plot of the LLR.
type Report struct {
	Head  *Head // nil: not known
	Names [2]string
	Facts []GameFact
	Test  *SPRT
}

// Write writes plots of a match (SVG and PNG), and the page report.html with the plots and all numbers, into a folder,
// which it makes where it is missing.
func (r *Report) Write(dir string) error {
	if err := CheckReport(dir); err != nil {
		return err
	}
	c := follow(r.Facts, r.Test)
	var page strings.Builder
	beginPage(&page, r.Names[0]+" - "+r.Names[1], r.Head)
	fmt.Fprintf(&page, "<p>"+pageSentence+"%s.</p>\n", html.EscapeString(r.Names[0]))
	page.WriteString(numbersTable(&c.result))
	page.WriteString("<div class=\"plots\">\n")
	drawings := map[string]*plot.Plot{}
	for _, p := range reportPlots {
		fmt.Fprintf(&page, "<section>\n<h2>%s</h2>\n", p.title)
		drawn := p.draw(c)
		if drawn == nil {
			fmt.Fprintf(&page, "<p>None: %s.</p>\n</section>\n", p.why)
			continue
		}
		drawings[p.name] = drawn
		fmt.Fprintf(&page, "<p><a href=\"%[1]s.png\"><img src=\"%[1]s.svg\" alt=\"%[2]s\"></a></p>\n</section>\n", p.name, p.title)
	}
	page.WriteString("</div>\n")
	if err := output.WriteBytes(filepath.Join(dir, "report.html"), isPage, []byte(page.String())); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for name, p := range drawings {
		if err := writePlot(filepath.Join(dir, name), p); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// writePlot writes a plot in all formats, small enough to be read on the screen of a phone. The path has no extension.
func writePlot(path string, p *plot.Plot) error {
	for _, kind := range plotKinds {
		if err := plots.Save(p, 5*vg.Inch, 3*vg.Inch, path+kind); err != nil {
			return err
		}
	}
	return nil
}

// numbersTable shows all numbers of a result.
func numbersTable(r *Result) string {
	var b strings.Builder
	b.WriteString("<table>\n")
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%s</td></tr>\n", name, html.EscapeString(fmt.Sprintf(format, args...)))
	}
	for _, line := range strings.Split(strings.TrimSpace(r.Text()), "\n") {
		name, value, _ := strings.Cut(line, ": ")
		row(html.EscapeString(name), "%s", value)
	}
	if r.SPRT != nil {
		kind := "normalized"
		if r.SPRT.Logistic {
			kind = "logistic"
		}
		row("Hypotheses", "H0: %g Elo, H1: %g Elo, %s; errors of %g and %g",
			r.SPRT.Elo0, r.SPRT.Elo1, kind, r.SPRT.Alpha, r.SPRT.Beta)
	}
	b.WriteString("</table>\n")
	return b.String()
}

// course is a match, game by game.
type course struct {
	facts  []GameFact
	result Result
	elo    []eloAt
	llr    plotter.XYs // by pairs, up to the decision
	test   *SPRT
}

// eloAt is the estimate after a number of games.
type eloAt struct{ games, elo, low, high float64 }

// follow counts the games one by one and keeps the estimates after each.
func follow(facts []GameFact, test *SPRT) *course {
	c := &course{facts: facts, test: test}
	t := Tally{SPRT: test}
	seen := 0
	for _, f := range facts {
		t.Add(f)
		r := t.Result()
		low, high := max(r.Elo-r.EloError, -MaxElo), min(r.Elo+r.EloError, MaxElo)
		c.elo = append(c.elo, eloAt{float64(r.Games), r.Elo, low, high})
		if r.SPRT != nil && r.SPRT.Pairs > seen {
			seen = r.SPRT.Pairs
			c.llr = append(c.llr, plotter.XY{X: float64(seen), Y: r.LLR})
		}
	}
	c.result = t.Result()
	return c
}

// plotPoints is about the number of points in a line: more cannot be told apart.
const plotPoints = 1500

// thin is about plotPoints indices, evenly from 0..n-1, with the last one.
func thin(n int) []int {
	step := (n + plotPoints - 1) / plotPoints
	var kept []int
	for i := 0; i < n; i += max(step, 1) {
		kept = append(kept, i)
	}
	if n > 0 && kept[len(kept)-1] != n-1 {
		kept = append(kept, n-1)
	}
	return kept
}
