#!/usr/bin/env bash
# The FEN of a position has the square of a capture en passant. Phalanx XXV passes over it in the command setboard. The
# capture is an illegal move for it, whereas it takes the same move after the moves that lead there.
# It bites who starts games from positions, as matches of engines do: the opponent captures, Phalanx refuses the move,
# and the game ends by a fault that the opponent did not make.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb phalanx 25-1
deb gnuchess 6.2.7-1+deb12u1
games=$work/root/usr/games
export HOME=$work
cd "$work"

# told COMMANDS ENGINE... tells whether an engine under XBoard refuses one of the commands, and the moves that it plays.
told() {
	local commands=$1 command
	shift
	{
		printf 'xboard\nprotover 2\n'
		sleep 1
		while read -rd, command; do
			echo "$command"
			sleep 0.2
		done <<<"new,force,$commands,"
		sleep 2
		echo quit
	} | { timeout 30 "$@" 2>&1 || true; } |
		awk '/^(Illegal|Invalid) move/ { print "refuses " $NF; n++ } /^move / { print "plays " $2; n++ } END { if (!n) print "says nothing" }'
}

capture='setboard rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3'
expect 'GNU Chess, setboard and e5xf6' 'says nothing' "$(told "$capture,usermove e5f6" "$games/gnuchess" -x)"
expect 'Phalanx, setboard and e5xf6' 'refuses e5f6' "$(told "$capture,e5f6" "$games/phalanx" -x- -b-)"
expect 'Phalanx, 1. e4 d5 2. e5 f5 3. exf6' 'says nothing' "$(told 'e2e4,d7d5,e4e5,f7f5,e5f6' "$games/phalanx" -x- -b-)"
finish
