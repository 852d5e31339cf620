#!/usr/bin/env bash
# Checkmate counts before the fifty-move rule, so a mate on the hundredth half-move wins. Ethereal does not know: with
# the clock at 99 it calls a mate in one a draw and plays another move. Glaurung errs to the other side: with the
# clock at 98 it announces a mate in two, whose last move would be the hundred and first half-move.
# It bites who tests tables, adjudication or the rule itself against these engines, and who trusts their mates in long
# endings.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
deb glaurung 2.2-4
deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1
games=$work/root/usr/games

# plays ENGINE FEN tells the last score of a search of depth 8, without its sign, and the move.
plays() {
	begin "$1"
	send "position fen $2" 'go depth 8'
	await bestmove 20 |
		sed -n 's/.* score \([a-z]*\) -*\([0-9]*\) .*/\1 \2/p; s/^bestmove \([a-h1-8]*\).*/\1/p' | tail -2 | paste -sd ' '
	quit
}

one='7k/8/6K1/8/8/8/8/R7 w - -' # Ra8 mates
two='7k/8/5K2/8/8/8/8/R7 w - -' # mate in two
expect 'Stockfish, mate in one, clock 99' 'mate 1 a1a8' "$(plays "$games/stockfish" "$one 99 80")"
expect 'Ethereal, mate in one, clock 98' 'mate 1 a1a8' "$(plays "$games/ethereal-chess" "$one 98 80")"
expect 'Ethereal, mate in one, clock 99' 'cp 1 a1b1' "$(plays "$games/ethereal-chess" "$one 99 80")"
expect 'Stockfish, mate in two, clock 97' 'mate 2' "$(plays "$games/stockfish" "$two 97 80" | cut -d' ' -f1,2)"
expect 'Stockfish, mate in two, clock 98' 'cp 0' "$(plays "$games/stockfish" "$two 98 80" | cut -d' ' -f1,2)"
expect 'Glaurung, mate in two, clock 98' 'mate 2' "$(plays "$games/glaurung" "$two 98 80" | cut -d' ' -f1,2)"
finish
