package browsertest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// file reads a file of games, whose characters are its bytes.
func (p *page) file(text string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`(() => {
		const input = document.getElementById("pgn-file"), files = new DataTransfer()
		files.items.add(new File([Uint8Array.from(%s, c => c.charCodeAt(0))], "games.pgn"))
		input.files = files.files
		input.dispatchEvent(new Event("change"))
	})()`, text))
}

// paste pastes a text anywhere on the page.
func (p *page) paste(text string) {
	p.t.Helper()
	p.run(fmt.Sprintf(`{ const data = new DataTransfer(); data.setData("text", %q)
		document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true})) }`, text))
}

// moves waits until the game is written as a text.
func (p *page) moves(text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.getElementById("game").textContent.replace(/\s+/g, " ").trim() === %q`, text))
}

// here waits until a move is the one on the board.
func (p *page) here(san string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector("#game [aria-current]")?.textContent === %q`, san))
}

// written is the game as PGN, without its tags.
func (p *page) written() string {
	p.t.Helper()
	p.run(`document.getElementById("pgn").value = ""; document.getElementById("pgn-write").click()`)
	p.wait(`document.getElementById("pgn").value`)
	text := ask[string](p, `document.getElementById("pgn").value`)
	return strings.Join(strings.Fields(text[strings.Index(text, "\n\n"):]), " ")
}

// TestVariations reads a file in Windows-1252, goes through its variations, adds one, promotes and deletes, brings back, writes.
func TestVariations(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	p.file(`"{before} 1. e4 {\x93c1\x94 [%clk 0:09:58]} e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) 2. -- (2. Bc4 {in var} Nc6) Nf6! {end} *"`)
	p.moves("before 1.e4 “c1” 1…e5 1…c5 2.Nf3 (2.c3 d5 ) 2…d6 2.-- 2.Bc4 in var 2…Nc6 2…Nf6! end")
	p.key(kb.ArrowRight)
	p.here("e4")
	if text := p.text("#clocks"); text != "White 0:09:58 · Black –" {
		t.Errorf("the clocks are %q", text)
	}
	p.run(`[...document.querySelectorAll("#game button")].find(b => b.textContent === "d5").click()`)
	p.here("d5")
	p.fill("#move", "exd5")
	p.here("exd5")
	p.key(kb.ArrowLeft + kb.ArrowLeft + kb.ArrowRight + kb.ArrowRight) // the way back is the one that was taken
	p.here("exd5")
	p.click("#promote")
	p.moves("before 1.e4 “c1” 1…e5 1…c5 2.c3 (2.Nf3 d6 ) 2…d5 3.exd5 2.-- 2.Bc4 in var 2…Nc6 2…Nf6! end")
	p.click("#promote")
	p.moves("before 1.e4 “c1” 1…c5 1…e5 2.-- (2.Bc4 in var 2…Nc6 ) 2…Nf6! end 2.c3 2.Nf3 d6 2…d5 3.exd5")
	p.wait(`document.getElementById("promote").disabled`)
	const all = "{before} 1. e4 {“c1” [%clk 0:09:58]} 1... c5 (1... e5 2. -- (2. Bc4 {in var} 2... Nc6) 2... Nf6 $1 {end}) 2. c3 (2. Nf3 d6) 2... d5 3. exd5 *"
	if text := p.written(); text != all {
		t.Errorf("the game is written as\n%s\nwant\n%s", text, all)
	}
	p.do(chromedp.Reload())
	p.here("exd5")
	if text := p.written(); text != all {
		t.Errorf("after a reload the game is written as\n%s", text)
	}
	p.key(kb.ArrowLeft)
	p.here("d5")
	p.key(kb.Backspace)
	p.here("c3")
	p.moves("before 1.e4 “c1” 1…c5 1…e5 2.-- (2.Bc4 in var 2…Nc6 ) 2…Nf6! end 2.c3 2.Nf3 d6")
	p.run(`document.getElementById("undo").click()`)
	p.here("d5")
	if text := p.written(); text != all {
		t.Errorf("the game that was brought back is written as\n%s", text)
	}
}

// TestRemarks writes a mark and a comment, on a move of a variation that has a clock, and before the game. Undo takes back each.
func TestRemarks(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	p.paste("1. e4 e5 $14 (1... c5 {[%clk 0:09:58]}) 2. Nf3 *")
	p.moves("1.e4 e5 +/= 1…c5 2.Nf3")
	p.run(`[...document.querySelectorAll("#game button")].find(b => b.textContent === "c5").click()`)
	p.here("c5")
	p.fill("#comment", "Sicilian {open}")
	p.moves("1.e4 e5 +/= 1…c5 Sicilian (open) 2.Nf3")
	choose := func(mark string) {
		p.run(fmt.Sprintf(`{ const e = document.getElementById("mark"); e.value = %q; e.dispatchEvent(new Event("change")) }`, mark))
	}
	choose("1")
	p.here("c5!")
	choose("6")
	p.here("c5?!")
	p.key(kb.ArrowLeft + kb.ArrowLeft)
	p.wait(`document.getElementById("mark").disabled && document.getElementById("comment").value === ""`)
	p.fill("#comment", "a game")
	p.moves("a game 1.e4 e5 +/= 1…c5?! Sicilian (open) 2.Nf3")
	const all = "{a game} 1. e4 e5 $14 (1... c5 $6 {Sicilian (open) [%clk 0:09:58]}) 2. Nf3 *"
	if text := p.written(); text != all {
		t.Errorf("the game is written as\n%s\nwant\n%s", text, all)
	}
	p.do(chromedp.Reload())
	p.moves("a game 1.e4 e5 +/= 1…c5?! Sicilian (open) 2.Nf3")
	p.key(kb.ArrowRight) // e4 has another glyph than a mark behind it, which stays
	p.key(kb.ArrowRight)
	p.here("e5 +/=")
	choose("3")
	p.here("e5!! +/=")
	choose("0")
	p.here("e5 +/=")
	p.run(`document.getElementById("undo").click()`)
	p.here("e5!! +/=")
}

// TestPaste pastes what is no game: the analysis stays. A game replaces it, and undo brings it back.
func TestPaste(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	p.lose(true) // what the server refuses is logged
	p.fill("#move", "e4")
	p.here("e4")
	for _, text := range []string{"call me at 10 (or 11)", "https://example.org/?a=1", "Dear Sir,\n\nyours", "12 ... 13"} {
		p.paste(text)
		p.wait(`document.getElementById("trouble").textContent.includes("no game")`)
		p.moves("1.e4")
		p.key("x") // the complaint goes with the next thing
		p.wait(`document.getElementById("trouble").classList.contains("hidden")`)
	}
	p.paste("1. d4 d5 *")
	p.moves("1.d4 d5")
	p.run(`document.dispatchEvent(new KeyboardEvent("keydown", {key: "z", ctrlKey: true}))`)
	p.moves("1.e4")
}

// TestPositions gives positions in the forms that people have.
func TestPositions(t *testing.T) {
	t.Parallel()
	s := serve(t, "0", "--backend", "mock")
	const shown = `document.getElementById("fen").placeholder === "` + endgame + `"`
	p := open(t, s.url+"/?fen="+strings.ReplaceAll(endgame, " ", "_"))
	p.wait(shown)
	for _, text := range []string{`[FEN "` + endgame + `"]`, "https://lichess.org/analysis/" + strings.ReplaceAll(endgame, " ", "_"),
		"https://lichess.org/editor/" + strings.ReplaceAll(endgame, " ", "_") + "?color=white", "lichess.org/analysis/standard/" + strings.ReplaceAll(endgame, " ", "%20"),
		"position fen " + endgame, s.url + "/?fen=" + strings.ReplaceAll(endgame, " ", "+"), `"` + endgame + `"`} {
		for _, give := range []func(){func() { p.fill("#fen", text) }, func() { p.paste(text) }} {
			p.run(`document.getElementById("reset").click()`)
			p.wait(`document.getElementById("fen").placeholder.startsWith("rnbqkbnr/")`)
			give()
			p.wait(shown)
		}
	}
	p.lose(true) // what the server refuses is logged
	p.fill("#fen", "nonsense")
	p.wait(`document.getElementById("trouble").textContent.includes("nonsense")`)
	p.run(`document.getElementById("fen").focus()`)
	p.key(kb.Escape)
	p.wait(`document.activeElement === document.body && document.getElementById("trouble").classList.contains("hidden")`)
	p.key(" ") // which does not go into the field
	p.wait(`document.getElementById("run").textContent === "Stop"`)
}

// TestFastKeys presses an arrow key forty times: the board keeps up.
func TestFastKeys(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	p.paste(strings.Repeat("1. Nf3 Nf6 2. Ng1 Ng8 ", 20) + "*")
	p.wait(`document.querySelectorAll("#game button").length === 80`)
	p.run(`document.getElementById("last").click()`)
	p.wait(`document.getElementById("next").disabled && ` + position + `.includes("g8bn")`)
	p.run(`window.took = null; {
		const press = key => document.dispatchEvent(new KeyboardEvent("keydown", {key}))
		for (let i = 0; i < 41; i++) { press("ArrowLeft") }
		const began = performance.now()
		const look = () => ` + position + `.includes("f6bn") ? window.took = performance.now() - began : setTimeout(look, 5)
		look()
	}`)
	p.wait(`took !== null`)
	if took := ask[float64](p, "took"); took > float64(time.Second/time.Millisecond)/2 {
		t.Errorf("the board shows the position %.0f ms after the last of 41 keys", took)
	}
}

// TestGamesOfAFile searches in a list of games, which a reload keeps. A file that is too large is refused with the limit.
func TestGamesOfAFile(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "mock").url+"/")
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "[White \"Player %d\"]\n[Black \"Other\"]\n[Date \"19%02d.01.01\"]\n\n1. %s *\n\n", i, i%100, []string{"e4", "d4", "c4"}[i%3])
	}
	p.file(fmt.Sprintf("%q", text.String()))
	p.wait(`document.getElementById("games").length === 500`)
	find := func(words string, games int) {
		p.run(fmt.Sprintf(`{ const e = document.getElementById("find"); e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})) }`, words))
		p.wait(fmt.Sprintf(`document.getElementById("games").length === %d`, games))
	}
	find("PLAYER 31 1931", 5)
	find("player 431", 1)
	p.run(`{ const e = document.getElementById("games"); e.value = "431"; e.dispatchEvent(new Event("change")) }`)
	p.moves("1.c4")
	p.do(chromedp.Reload())
	p.wait(`document.getElementById("games").length === 500 && document.getElementById("games").value === "431"`)
	p.moves("1.c4")
	p.file(`" ".repeat(5 << 20)`)
	p.wait(`document.getElementById("trouble").textContent.includes("at most 4 MiB")`)
	p.moves("1.c4")
}

// TestFolded searches by alpha-beta: the panels of a tree are folded, and come back with it. A net that the search evaluates
// itself has no device that could be idle.
func TestFolded(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "nnue").url+"/")
	const visible = `document.querySelector(%q).checkVisibility()`
	search := func(name string) {
		p.run(fmt.Sprintf(`{ const e = document.getElementById("search"); e.value = %q; e.dispatchEvent(new Event("change")) }`, name))
	}
	search("lazysmp")
	p.click("#run")
	p.changes("#evals")
	for _, id := range []string{"#moves", "#tree", "#gauges"} {
		if ask[bool](p, fmt.Sprintf(visible, id)) {
			t.Errorf("alpha-beta shows %s", id)
		}
	}
	search("bestfirst")
	p.wait(fmt.Sprintf(visible, "#tree"))
	p.wait(`document.querySelector("#gauges .gauge:not(.hidden)").textContent.includes("net, a second") && document.querySelectorAll("#gauges .gauge:not(.hidden)").length === 1`)
}
