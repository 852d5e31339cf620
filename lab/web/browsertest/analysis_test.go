package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	middlegame = "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B1P1/PP2PPBP/R2Q1RK1 b - - 4 10"
	endgame    = "8/5pk1/R5p1/7p/1r5P/6P1/5P2/6K1 w - - 0 40"
)

// evaluations are those of all moves in the table, those of earlier searches included.
const evaluations = `[...document.querySelectorAll("#moves tbody td:nth-child(2)")].map(e => e.textContent).reduce(
	(sum, t) => sum + parseFloat(t) * ({k: 1e3, M: 1e6, G: 1e9}[t.at(-1)] ?? 1), 0)`

// set sets a position and starts a search of it.
func (p *page) set(fen string) {
	p.t.Helper()
	p.fill("#fen", fen)
	p.wait(`document.getElementById("fen").placeholder === "` + fen + `"`)
	p.run(`document.getElementById("run").click()`) // which a window behind another one can do too
	p.searches()
}

// searches waits until the page shows a search that goes on.
func (p *page) searches() {
	p.t.Helper()
	p.wait(`document.getElementById("why").textContent === "Searching." && document.querySelector("#moves tbody tr") && ` + evaluations + ` > 0`)
	p.changes("#evals")
}

// TestAnalysis sets a position, searches it, hovers over a move, plays it, steps back and stops.
func TestAnalysis(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	p.set(middlegame)
	p.shifts()
	p.changes("#moves tbody")
	p.changes("#lines")
	p.steady()
	p.hover("#moves tbody tr:nth-child(2)")
	p.wait(`document.querySelector("#board .arrow.hover")`)
	before := ask[float64](p, evaluations)
	p.square("f8")
	p.square("e8")
	p.here("Re8")
	if text := p.text("#game"); !strings.Contains(text, "Re8") {
		t.Errorf("the game is %q after Re8", text)
	}
	p.searches()
	p.key(kb.ArrowLeft)
	p.wait(`document.getElementById("previous").disabled`)
	p.searches()
	if after := ask[float64](p, evaluations); after < 0.9*before { // each number is rounded
		t.Errorf("the tree was lost: %.0f evaluations, and %.0f after a step on and back", before, after)
	}
	p.run(`window.plays = text => { const e = document.getElementById("move"); e.value = text; e.form.requestSubmit() }
		plays("Ng4"); plays("h3")`) // the second one before the rules of its position are known
	p.wait(`document.querySelector("#game [aria-current]").textContent === "h3" && document.getElementById("game").textContent.includes("Ng4")`)
	p.fill("#move", "Ng5")
	p.wait(`document.getElementById("trouble").textContent.includes("Ng5")`)
	p.run(`document.activeElement.blur()`)
	p.key(" ")
	p.wait(`document.getElementById("why").textContent.startsWith("Stopped. Best move: ") && document.getElementById("run").textContent === "Start"`)
}

// TestReload reloads the page while it searches: the search goes on.
func TestReload(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	p.set(middlegame)
	before := ask[float64](p, evaluations)
	p.do(chromedp.Reload())
	p.searches()
	if after := ask[float64](p, evaluations); after < 0.9*before {
		t.Errorf("%.0f evaluations, and %.0f after a reload: the search began anew", before, after)
	}
	p.wait(`document.getElementById("fen").placeholder === "` + middlegame + `"`)
}

// TestTwoTabs searches two positions at once, and closes one of the tabs.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	s := serve(t, "0", "--backend", "mock")
	one, two := open(t, s.url+"/"), open(t, s.url+"/")
	one.set(middlegame)
	two.set(endgame)
	one.searches()
	if text := one.text("#moves tbody"); strings.Contains(text, "Rxg6") || !strings.Contains(text, "Re8") {
		t.Errorf("the first tab shows the moves %q", text)
	}
	one.close()
	two.searches()
}

// TestRestart kills the server and starts it again: the page says so, and goes on.
func TestRestart(t *testing.T) {
	t.Parallel()
	s := serve(t, "0", "--backend", "mock")
	p := open(t, s.url+"/")
	p.set(middlegame)
	p.lose(true) // that the server is away, and has no such session then, is logged
	s.kill()
	p.wait(`!document.getElementById("trouble").classList.contains("hidden")`)
	serve(t, s.url[strings.LastIndex(s.url, ":")+1:], "--backend", "mock")
	p.wait(`document.body.dataset.ready === "1" && document.getElementById("trouble").classList.contains("hidden")`)
	p.searches()
}
