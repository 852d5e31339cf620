#!/usr/bin/env bash
# PGN has two kinds of comment: {...} and from ";" to the end of the line; and a line that begins with "%" is to be
# passed over. pgn-extract 19.04 knows no ";": it ends the game there, writes it without any move, and makes a second
# game of the moves behind the comment, played from the start position. kokopu refuses the game for ";" and for "%",
# chess.js for "%".
# It bites who gives such a collection to these programs: pgn-extract replaces a game by two that were never played,
# with exit status 0.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb pgn-extract 19.04-1
js kokopu@4.13.4 chess.js@1.4.0

roster=$'[Event "E"]\n[Site "S"]\n[Date "2026.11.28"]\n[Round "1"]\n[White "A"]\n[Black "B"]\n[Result "*"]'

game() { printf '%s\n' "$roster" '' "$1" ''; }
game $'1. e4 e5 ; both are right\n2. Nf3 *' >"$work/semicolon.pgn"
game $'1. e4 e5\n% for another program\n2. Nf3 *' >"$work/percent.pgn"
game '1. e4 e5 {both are right} 2. Nf3 *' >"$work/brace.pgn"

# extracted FILE tells the moves of each game that pgn-extract finds, and its exit status.
extracted() {
	local status=0 text
	text=$("$work/root/usr/games/pgn-extract" -s -C "$work/$1.pgn" 2>"$work/log") || status=$?
	sed '/^\[/d; /^$/d' <<<"$text" | paste -sd '|'
	echo "status $status"
}

# read_by tells whether kokopu and chess.js read a file.
read_by() {
	(cd "$work" && FILE="$1.pgn" node --input-type=module <<-'JS'
		import { readFileSync } from 'fs'
		import { Chess } from 'chess.js'
		import * as kokopu from 'kokopu'
		const text = readFileSync(process.env.FILE, 'utf8')
		const readers = {
		  kokopu: () => (kokopu.pgnRead ?? kokopu.default.pgnRead)(text, 0),
		  'chess.js': () => new Chess().loadPgn(text),
		}
		const said = Object.entries(readers).map(([name, read]) => {
		  try {
		    read()
		    return name + ' reads it'
		  } catch {
		    return name + ' refuses it'
		  }
		})
		console.log(said.join(', '))
	JS
	)
}

expect 'pgn-extract, {}' '1. e4 e5 2. Nf3 * status 0' "$(extracted brace | paste -sd ' ')"
expect 'pgn-extract, %' '1. e4 e5 2. Nf3 * status 0' "$(extracted percent | paste -sd ' ')"
expect 'pgn-extract, ;' '*|1. Nf3 * status 0' "$(extracted semicolon | paste -sd ' ')"
expect 'others, {}' 'kokopu reads it, chess.js reads it' "$(read_by brace)"
expect 'others, ;' 'kokopu refuses it, chess.js reads it' "$(read_by semicolon)"
expect 'others, %' 'kokopu refuses it, chess.js refuses it' "$(read_by percent)"
finish
