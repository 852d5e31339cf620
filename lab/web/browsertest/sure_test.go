package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const hanging = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 3" // White takes a queen

// sureShots writes pictures into the folder that TESLA_SCREENSHOTS names, for people to look at.
func sureShots(p *page, name string) {
	p.t.Helper()
	folder := os.Getenv("TESLA_SCREENSHOTS")
	if folder == "" {
		return
	}
	for _, theme := range []string{"light", "dark"} {
		for width, suffix := range map[int]string{390: "-small", 1600: ""} {
			p.theme(theme, width)
			time.Sleep(400 * time.Millisecond)
			p.shoot(filepath.Join(folder, name+"-"+theme+suffix+".png"), 0, 0)
		}
	}
	p.theme("light", 1600)
}

// TestSure shows how sure a search is: beside the score, in the table of moves, over time; and asks why not another move.
func TestSure(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "nnue").url+"/")
	p.run(`window.seen = false; new MutationObserver(() => { seen ||= document.querySelector('#moves .range[title*="the first move is better: "]') })
		.observe(document.querySelector("#moves tbody"), {subtree: true, attributes: true})`)
	p.set(middlegame)
	p.wait(`/^\d+%$/.test(document.getElementById("sure").textContent) && document.getElementById("sure").title.includes("0.02 points")`)
	p.wait(`document.querySelector("#moves tr.best .range.stated").title.includes("in 90 of 100 cases")`)
	p.wait(`[...document.querySelectorAll("#moves tbody tr:not(.best) .range")].some(e => e.title.includes("sigma of the change model"))`)
	p.wait(`window.seen`) // it is stated in the first second
	for _, width := range []int{390, 1600} {
		p.theme("light", width)
		if over := ask[int](p, `(e => e.scrollWidth - e.clientWidth)(document.querySelector(".roots"))`); over > 0 {
			t.Errorf("at %d the table of moves is %d px too wide", width, over)
		}
	}
	p.curve("#history", "--accent-soft")
	p.click("#moves tbody tr:not(.best) .ask button")
	if asked := p.text("#why-title"); !strings.HasPrefix(asked, "Why not ") {
		t.Errorf("the panel is titled %q", asked)
	}
	p.wait(`/chooses [\s\S]*((it loses|it is as good)[\s\S]*evaluations on it|is the move that it chooses)/.test(document.getElementById("why-text").textContent)`)
	p.wait(`document.getElementById("previous").disabled`) // asking plays no move
	sureShots(p, "sure")
	p.click("#why-close")
	p.wait(`document.getElementById("why-not").classList.contains("hidden")`)
	p.run(`document.getElementById("run").click()`)
	p.fill("#fen", hanging)
	p.wait(`document.getElementById("fen").placeholder === "` + hanging + `"`)
	p.fill("#move", "a3")
	p.here("a3")
	p.click("#explain") // the move of the game
	p.wait(`/chooses Nxh4[\s\S]*a3: /.test(document.getElementById("why-text").textContent)`)
	p.key("\b") // another position
	p.wait(`document.getElementById("why-not").classList.contains("hidden")`)
}

// TestMayFlip searches with alpha-beta, whose first depths may still flip: that is marked, until it is not stated any more.
func TestMayFlip(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "nnue", "--search", "lazysmp").url+"/")
	p.run(`window.flipped = false; new MutationObserver(() => { flipped ||= document.getElementById("sure").classList.contains("flips") })
		.observe(document.getElementById("sure"), {attributes: true})`)
	p.fill("#fen", middlegame)
	p.wait(`document.getElementById("fen").placeholder === "` + middlegame + `"`)
	p.run(`document.getElementById("run").click()`)
	p.wait(`window.flipped`)
	p.curve("#history", "--warn")
	p.curve("#history", "--accent-soft")
	p.wait(`!document.getElementById("sure").classList.contains("flips")`)
	sureShots(p, "flip")
}
