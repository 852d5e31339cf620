#!/usr/bin/env bash
# Ethereal, asked for a move in a position that is checkmate or stalemate, answers with the move of the search before,
# as if all were well: it belongs to another position. Toga II and GNU Chess answer "bestmove a1a1" with the ponder
# move of the search before. Only Stockfish and Glaurung say "(none)"; the protocol names no answer for this.
# It bites GUIs and match runners that ask an engine whether a game is over, or that send a last "go" after a mate:
# they read a move that is not legal, and may give the game to the other side.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
deb glaurung 2.2-4
deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1
deb toga2 3.0.0.1SE1-2+b1
deb gnuchess 6.2.7-1+deb12u1
games=$work/root/usr/games

# answers tells what an engine plays at the start, in a checkmate and in a stalemate after a new game.
answers() {
	local first mate stale
	begin "$@"
	send 'position startpos' 'go depth 5'
	first=$(await bestmove 20 | tail -1)
	send 'position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1' 'go depth 5'
	mate=$(await bestmove 20 | tail -1)
	send ucinewgame 'position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1' 'go depth 5'
	stale=$(await bestmove 20 | tail -1)
	quit
	[ "$mate" = "$stale" ] || mate+=" and $stale"
	if [ "$mate" = "$first" ]; then
		echo "the move and the ponder move of the search before"
	elif [ "$mate" = "bestmove a1a1${first#bestmove ????}" ]; then
		echo "a1a1 and the ponder move of the search before"
	else
		echo "$mate"
	fi
}

expect Stockfish 'bestmove (none)' "$(answers "$games/stockfish")"
expect Glaurung 'bestmove (none)' "$(answers "$games/glaurung")"
expect Ethereal 'the move and the ponder move of the search before' "$(answers "$games/ethereal-chess")"
expect 'Toga II' 'a1a1 and the ponder move of the search before' "$(answers "$games/toga2")"
expect 'GNU Chess' 'a1a1 and the ponder move of the search before' "$(answers "$games/gnuchess" --uci)"
finish
