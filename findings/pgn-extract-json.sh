#!/usr/bin/env bash
# pgn-extract --json writes JSON that no parser accepts as soon as a move has two NAGs, such as "a good move, and
# White is better": it forgets the comma between them. One NAG is right. Comments and evaluations are left out without
# a word.
# It bites who turns annotated games into JSON by it: one such move makes the whole file unreadable.
# shellcheck disable=SC2154,SC2016 source=/dev/null # common.bash sets work; NAGs are no variables
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb pgn-extract 19.04-1
need node

roster=$'[Event "E"]\n[Site "S"]\n[Date "2026.11.28"]\n[Round "1"]\n[White "A"]\n[Black "B"]\n[Result "*"]'

# json MOVES tells what pgn-extract writes of a game, and whether JSON.parse takes it.
json() {
	printf '%s\n' "$roster" '' "$1" '' >"$work/game.pgn"
	"$work/root/usr/games/pgn-extract" -s --json "$work/game.pgn" >"$work/game.json" 2>"$work/log"
	grep -o '"Moves".*' "$work/game.json"
	node -e '
		const text = require("fs").readFileSync(process.argv[1], "utf8")
		try { JSON.parse(text); console.log("JSON") } catch { console.log("no JSON") }' "$work/game.json"
}

expect 'one NAG' '"Moves":[{ "move" : "e4", "nags" : ["$1"]  }, { "move" : "e5" }] JSON' \
	"$(json '1. e4 $1 {[%eval 0.25] best} e5 *' | paste -sd ' ')"
expect 'two NAGs' '"Moves":[{ "move" : "e4", "nags" : ["$1""$14"]  }, { "move" : "e5" }] no JSON' \
	"$(json '1. e4 $1 $14 {[%eval 0.25] best} e5 *' | paste -sd ' ')"
finish
