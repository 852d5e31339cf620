package browsertest

import (
	"strings"
	"testing"
)

// begin opens the page of games and begins one of a number of minutes, at the strength "full" or "limited".
func begin(t *testing.T, minutes, strength string) *page {
	t.Helper()
	p := open(t, serve(t, "0", "--backend", "nnue").url+"/play")
	p.run(`{ const e = document.getElementById("minutes"); e.min = "0.01"; e.value = "` + minutes + `" }
		document.getElementById("increment").value = "0"; document.getElementById("limited").value = "` + strength + `"
		document.getElementById("elo").value = document.getElementById("elo").max; document.getElementById("elo").dispatchEvent(new Event("input"))`)
	p.click("#start")
	p.wait(`document.getElementById("state").textContent === "Your move."`)
	return p
}

// ended waits for the PGN, and returns it with the state of the game, in which the result is the last word.
func (p *page) ended() (pgn, state string) {
	p.t.Helper()
	p.wait(`document.getElementById("pgn").value !== ""`)
	pgn, state = ask[string](p, `document.getElementById("pgn").value`), p.text("#state")
	result := state[strings.LastIndex(state, " ")+1:]
	if !strings.Contains(pgn, `[Result "`+result+`"]`) {
		p.t.Errorf("the game ended with %q and the PGN\n%s", state, pgn)
	}
	if ask[bool](p, `document.getElementById("analyse").disabled`) {
		p.t.Error("the game cannot be analysed")
	}
	return pgn, state
}

// hasten takes away the pause of an engine at a rating.
const hasten = `Math.random = () => 0; { const set = window.setTimeout; window.setTimeout = (act, ms) => set(act, Math.min(ms, 20)) }`

// shuffle types a move whenever it is the player's turn: knight moves out and back where they are legal, else any move. What
// is legal it overhears from the answers that the page gets.
const shuffle = `
	const real = window.fetch
	let ruling = null
	window.fetch = async (url, options) => {
		const answer = await real(url, options)
		if (String(url) === "/api/rules") {
			ruling = await answer.clone().json()
		}
		return answer
	}
	const state = document.getElementById("state"), field = document.getElementById("move")
	const type = text => { field.value = text; field.form.requestSubmit() }
	let typed = 0 // plies on the board when it last typed
	window.shuffling = setInterval(() => {
		const plies = document.querySelectorAll("#moves li span:not(.soft)").length
		if (state.textContent !== "Your move." || plies === typed && typed > 0) {
			return
		}
		typed = plies
		const wish = plies === 0 ? "f2f3" : ["b1a3", "a3b1", "g1h3", "h3g1"].find(m => ruling?.legal.includes(m))
		type(wish ?? ruling.legal[plies % ruling.legal.length])
	}, 5)`

// TestGame plays a game to its end by the rules: a player who moves without a plan is mated, or the game is drawn.
func TestGame(t *testing.T) {
	t.Parallel()
	p := begin(t, "3", "limited")
	if ask[bool](p, `document.getElementById("pgn").value !== ""`) {
		t.Error("there is a PGN before the end")
	}
	p.run(hasten + "{" + shuffle + "}")
	pgn, state := p.ended()
	if strings.Contains(state, "ran out of time") || !strings.Contains(pgn, "1. f3 ") || !strings.Contains(pgn, `[TimeControl "180+0"]`) ||
		strings.Contains(state, "checkmate") != strings.Contains(pgn, "#") {
		t.Errorf("%s\n%s", state, pgn)
	}
	t.Log(state, ask[int](p, `document.querySelectorAll("#moves li").length`), "moves")
}

// TestClockFalls has the player lose on time.
func TestClockFalls(t *testing.T) {
	t.Parallel()
	p := begin(t, "0.01", "full")
	if pgn, state := p.ended(); state != "Tesla wins: White ran out of time. 0-1" || !strings.Contains(pgn, `[TimeControl "1+0"]`) {
		t.Errorf("%s\n%s", state, pgn)
	}
}
