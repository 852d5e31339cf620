package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// says waits until the state of the game begins with a text.
func (p *page) says(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.getElementById("state").textContent.startsWith(%q)`, text))
}

// plies are those that have been played.
const plies = `document.querySelectorAll("#moves li span:not(.soft)").length`

// TestReloadGame reloads the page in a game, on the player's turn and on the engine's: it goes on, with the clock.
func TestReloadGame(t *testing.T) {
	t.Parallel()
	p := begin(t, "5", "limited")
	p.do(chromedp.Reload())
	p.says("Your move.")
	p.fill("#move", "e4")
	p.says("Tesla thinks.")
	p.do(chromedp.Reload())
	p.says("Your move.")
	if n := ask[int](p, plies); n != 2 {
		t.Errorf("%d plies after a move and the answer", n)
	}
	p.wait(`document.querySelector("#clock-bottom").classList.contains("runs") && /^4:/.test(document.getElementById("clock-bottom").textContent)`)
	p.click("#resign")
	if pgn, state := p.ended(); !strings.Contains(pgn, "1. e4 ") || !strings.HasPrefix(state, "Tesla wins: White resigns.") {
		t.Errorf("%s\n%s", state, pgn)
	}
	p.do(chromedp.Reload())
	p.says("Tesla wins: White resigns.")
	p.wait(`document.getElementById("pgn").value.includes("1. e4 ")`)
}

// TestTakeBack takes moves back, with the clock, and has a draw declined in the opening.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	p := begin(t, "5", "limited")
	p.fill("#move", "e4")
	p.wait(plies + ` === 2`)
	p.says("Your move.")
	p.click("#draw")
	p.says("Tesla declines the draw.")
	p.wait(`document.getElementById("draw").disabled`)
	p.click("#back")
	p.wait(plies + ` === 0 && document.getElementById("back").disabled`)
	p.says("Your move.")
	p.fill("#move", "d4")
	p.says("Tesla thinks.")
	p.click("#back") // while the engine thinks
	p.wait(plies + ` === 0`)
	p.fill("#move", "c4")
	p.wait(plies + ` === 2`)
	if text := p.text("#moves"); !strings.Contains(text, "c4") || strings.Contains(text, "d4") {
		t.Errorf("the moves are %q", text)
	}
}

// TestPause takes the time of an engine at a rating: it thinks as a person does, not as long as its few evaluations take.
func TestPause(t *testing.T) {
	t.Parallel()
	p := begin(t, "60", "limited")
	began := time.Now()
	p.fill("#move", "e4")
	p.wait(plies + ` === 2`)
	if took := time.Since(began); took < 10*time.Second || took > 50*time.Second {
		t.Errorf("the answer came after %v", took)
	}
}

// TestFullStrength plays against what a GUI gets: the searcher that is strongest here, with nothing limited, and without a pause.
func TestFullStrength(t *testing.T) {
	t.Parallel()
	p := begin(t, "0.2", "full")
	began := time.Now()
	p.fill("#move", "e4")
	p.wait(plies + ` === 2`)
	if took, net := time.Since(began), p.text("#net"); took > 20*time.Second || !strings.HasPrefix(net, "lazysmp · nnue · ") {
		t.Errorf("the answer came after %v from %q", took, net)
	}
}

// TestDraw offers a draw to an engine that thinks itself lost, after the opening: it accepts. The reload brings such a game.
func TestDraw(t *testing.T) {
	t.Parallel()
	p := begin(t, "5", "limited")
	p.run(`{
		const start = "7k/8/8/8/8/8/6PP/K7 w - - 0 20", walk = "a1b1 b1c1 c1d1 d1e1 e1e2 e2d2 d2c2 c2b2 b2a2 a2a3 a3b3".split(" ")
		const moves = walk.flatMap((m, i) => [m, i % 2 === 0 ? "h8g8" : "g8h8"])
		const nodes = moves.map((uci, i) => ({parent: i, uci, san: uci, fen: start, number: 20 + Math.floor(i / 2), black: i % 2 === 1}))
		addEventListener("pagehide", () => sessionStorage.setItem("tesla-play", JSON.stringify({...JSON.parse(sessionStorage.getItem("tesla-play")),
			said: {cp: -900}, record: {start, nodes, at: nodes.length}})))
	}`)
	p.do(chromedp.Reload())
	p.says("Your move.")
	p.click("#draw")
	if pgn, state := p.ended(); state != "A draw: agreed. 1/2-1/2" || !strings.Contains(pgn, "Kg8 {agreed} 1/2-1/2") {
		t.Errorf("%s\n%s", state, pgn)
	}
}
