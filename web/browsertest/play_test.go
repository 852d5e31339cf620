package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// TestGame plays two moves, each with a reply, and loses on time.
func TestGame(t *testing.T) {
	t.Parallel()
	p := open(t, serve(t, "0", "--backend", "nnue").url+"/play")
	p.run(`{ const e = document.getElementById("minutes"); e.min = "0.01"; e.value = "0.04" }
		document.getElementById("increment").value = "0"; document.getElementById("limited").value = "full"`)
	p.click("#start")
	p.wait(`document.getElementById("state").textContent === "Your move."`)
	for i, move := range []string{"f3", "a3"} { // which the engine cannot forbid
		p.fill("#move", move)
		p.wait(fmt.Sprintf(`document.querySelectorAll("#moves li span:nth-child(3)").length === %d && document.getElementById("state").textContent === "Your move."`, i+1))
	}
	if ask[bool](p, `document.getElementById("pgn").value !== ""`) {
		t.Error("there is a PGN before the end")
	}
	p.wait(`document.getElementById("pgn").value !== ""`)
	pgn, state := ask[string](p, `document.getElementById("pgn").value`), p.text("#state")
	result := state[strings.LastIndex(state, " ")+1:]
	if !strings.Contains(pgn, `[Result "`+result+`"]`) || !strings.Contains(pgn, "1. f3") || !strings.Contains(pgn, `[TimeControl "2+0"]`) {
		t.Errorf("the game ended with %q and the PGN\n%s", state, pgn)
	}
	if ask[bool](p, `document.getElementById("analyse").disabled`) {
		t.Error("the game cannot be analysed")
	}
	t.Log(state)
}
