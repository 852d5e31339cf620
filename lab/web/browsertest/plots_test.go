package browsertest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// painted is how many pixels of a plot have about a colour of the page.
const painted = `((box, name) => {
	const context = new OffscreenCanvas(1, 1).getContext("2d")
	context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name)
	context.fillRect(0, 0, 1, 1)
	const [r, g, b] = context.getImageData(0, 0, 1, 1).data
	const canvas = document.querySelector(box + " canvas")
	const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
	let n = 0
	for (let i = 0; i < data.length; i += 4) {
		n += data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 30
	}
	return n
})`

// curve waits until a plot shows a curve in a colour.
func (p *page) curve(box, colour string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("%s(%q, %q) > 20", painted, box, colour))
}

// TestPlots looks at the pixels of every plot, narrow and wide, light and dark.
func TestPlots(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(folder+"/m", bytes.Join(journal(t, "8"), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "0", "--backend", "mock", "--matches", folder)
	analysis, match := open(t, s.url+"/"), open(t, s.url+"/match?name=m&game=2")
	analysis.set(middlegame)
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int{390, 1600} {
			analysis.theme(theme, width)
			analysis.curve("#history", "--accent")
			match.theme(theme, width)
			for box, colours := range map[string][]string{
				"#score-chart": {"--accent", "--warn"}, "#elo-chart": {"--accent", "--soft"}, "#llr-chart": {"--accent", "--good", "--bad"}} {
				for _, colour := range colours {
					match.curve(box, colour)
				}
			}
		}
	}
	match.key(kb.ArrowRight + kb.ArrowRight) // which draws the plot anew
	match.curve("#score-chart", "--warn")
	for box, want := range map[string]string{"#score-chart": "White,Black", "#elo-chart": "Elo,95 % interval", "#llr-chart": "LLR,H1,H0"} {
		if legend := ask[string](match, `[...document.querySelectorAll("`+box+` .legend span")].map(e => e.textContent).join()`); legend != want {
			t.Errorf("the legend of %s is %q, want %q", box, legend, want)
		}
	}
	fractions(match)
}

// fractions checks that no axis of games or moves has other than whole numbers. The plot is asked for the labels that it draws.
func fractions(p *page) {
	p.t.Helper()
	p.run(`window.written = []; const fill = CanvasRenderingContext2D.prototype.fillText
		CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
			if (y > this.canvas.height - 24 * devicePixelRatio) { written.push(String(text)) }
			return fill.apply(this, arguments)
		}`)
	p.theme("light", 1590)
	p.wait(`written.length > 4`)
	if labels := ask[[]string](p, "written"); slices.ContainsFunc(labels, func(l string) bool { return strings.ContainsAny(l, ".,") }) {
		p.t.Errorf("the axes of games and moves have the labels %q", labels)
	}
}
