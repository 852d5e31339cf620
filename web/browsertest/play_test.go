package browsertest

import (
	"strconv"
	"strings"
	"testing"
)

// legal asks the server for a legal move of the game on the page, f3 and g4 before others.
const legal = `window.move = ""; (async () => {
	const ask = async (path, body) => (await fetch(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)})).json()
	const text = [...document.querySelectorAll("#moves li")].map(li => [...li.children].map(s => s.textContent).join(" ")).join(" ")
	const {games} = text ? await ask("/api/pgn/read", {text: text + " *"}) : {games: [{start: "", moves: []}]}
	const {sans} = await ask("/api/rules", {start: games[0].start, moves: games[0].moves})
	window.move = sans.find(s => s === "f3") ?? sans.find(s => s === "g4") ?? sans[0] ?? "-"
})()`

// TestGame plays a game badly and to its end. Its clock is short, so that it ends in any case.
func TestGame(t *testing.T) {
	p := open(t, serve(t, "0", "--backend", "nnue").url+"/play")
	p.run(`document.getElementById("minutes").value = "0.1"; document.getElementById("increment").value = "0"; document.getElementById("limited").value = "full"`)
	p.click("#start")
	const over = `document.getElementById("pgn").value !== ""`
	for ply := 0; ; ply++ {
		p.wait(over + ` || document.getElementById("state").textContent === "Your move."`)
		if ask[bool](p, over) {
			break
		}
		p.run(legal)
		p.wait(`window.move`)
		before := p.text("#moves")
		p.run(`document.getElementById("move").value = window.move; document.getElementById("move").form.requestSubmit()`)
		p.wait(over + ` || document.getElementById("moves").textContent !== ` + strconv.Quote(before))
	}
	pgn, state := ask[string](p, `document.getElementById("pgn").value`), p.text("#state")
	result := state[strings.LastIndex(state, " ")+1:]
	if !strings.Contains(pgn, `[Result "`+result+`"]`) || !strings.Contains(pgn, "1. f3") || !strings.Contains(pgn, `[TimeControl "6+0"]`) {
		t.Errorf("the game ended with %q and the PGN\n%s", state, pgn)
	}
	if ask[bool](p, `document.getElementById("analyse").disabled`) {
		t.Error("the game cannot be analysed")
	}
	t.Log(state)
}
