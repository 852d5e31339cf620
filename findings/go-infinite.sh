#!/usr/bin/env bash
# After `go infinite` a UCI engine searches until `stop`, and gives its move only then, whatever it has found. Ethereal 12,
# Glaurung 2.2 and Sjaak II 1.4.1 give their move at once where they see a mate, Sjaak II also where one move is legal.
# Toga II, GNU Chess and Fairy-Stockfish wait for `stop`.
# It bites who analyses with them: the move comes unasked, and `stop` then meets an engine that is idle.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1
deb glaurung 2.2-4
deb sjaakii 1.4.1-2
deb toga2 3.0.0.1SE1-2+b1
deb gnuchess 6.2.7-1+deb12u1
deb fairy-stockfish 11.1-1+b1
games=$work/root/usr/games
export HOME=$work
mate='fen 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1' # Qg7
only='fen k7/8/8/8/8/8/r7/7K w - - 0 1' # Kg1

# moved POSITION COMMAND... tells when an engine moves after `go infinite`.
moved() {
	local position=$1 how
	shift
	begin "$@"
	send 'setoption name OwnBook value false' "position $position" 'go infinite'
	if await bestmove 4 >/dev/null; then
		how='by itself'
	else
		send stop
		if await bestmove 8 >/dev/null; then how='on stop'; else how='not on stop'; fi
	fi
	quit
	echo "$how"
}

# both tells it with a mate in one, and with one legal move.
both() { echo "$(moved "$mate" "$@"), $(moved "$only" "$@")"; }

echo 'go infinite with a mate in one, and with one legal move: the move comes'
expect 'Ethereal' 'by itself, on stop' "$(both "$games/ethereal-chess")"
expect 'Glaurung' 'by itself, on stop' "$(both "$games/glaurung")"
expect 'Sjaak II' 'by itself, by itself' "$(both "$games/sjaakii" -uci)"
expect 'Toga' 'on stop, on stop' "$(both "$games/toga2")"
expect 'GNU Chess' 'on stop, on stop' "$(both "$games/gnuchess" --uci)"
expect 'Fairy-Stockfish' 'on stop, on stop' "$(both "$games/fairy-stockfish")"
finish
