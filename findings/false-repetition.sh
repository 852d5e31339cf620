#!/usr/bin/env bash
# A position is repeated only if the same moves are possible: a right to castle or to capture en passant that is lost
# makes it another one (FIDE, article 9.2). Phalanx XXV and Sjeng 11.2 look at neither right, Sjaak II 1.4.1 not at the
# capture en passant: each announces a draw by repetition where the position has come twice. GNU Chess is right.
# It bites who has them play under XBoard or a match runner: the game ends as a draw that is none, or is lost for the
# false claim where claims are tested.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js chess.js@1.4.0
deb gnuchess 6.2.7-1+deb12u1
deb phalanx 25-1
deb sjaakii 1.4.1-2
deb sjeng 11.2-8.2
deb libreadline8 8.2-1.3
deb libgdbm6 1.23-3
games=$work/root/usr/games
export HOME=$work
cd "$work"

# claims MOVES ENGINE... gives an engine the moves of both sides, then the move, and tells whether it announces a draw
# before it moves.
claims() {
	local moves=$1 prefix=''
	shift
	case $1 in *gnuchess) prefix='usermove ' ;; esac
	{
		printf 'xboard\nprotover 2\n'
		sleep 1
		printf 'new\nforce\n'
		for move in $moves; do
			printf '%s%s\n' "$prefix" "$move"
			sleep 0.1 # else GNU Chess is behind with its answers
		done
		sleep 1
		printf 'st 1\ngo\n'
		sleep 2
		printf 'quit\n'
	} | { timeout 30 "$@" 2>&1 || true; } |
		awk '/1\/2-1\/2/ && !n++ { print "a draw" } /^(move|My move)/ && !n++ { print "plays on" }'
}

# counts tells what chess.js says of the moves.
counts() {
	(cd "$work" && MOVES=$1 node --input-type=module <<-'JS'
		import { Chess } from 'chess.js'
		const game = new Chess()
		for (const move of process.env.MOVES.split(' ')) game.move({ from: move.slice(0, 2), to: move.slice(2) })
		console.log(game.isThreefoldRepetition() ? 'a draw' : 'plays on')
	JS
	)
}

# try WHAT MOVES CHESSJS GNUCHESS PHALANX SJAAK SJENG compares what each says.
try() {
	expect "$1, chess.js" "$3" "$(counts "$2")"
	expect "$1, GNU Chess" "$4" "$(claims "$2" "$games/gnuchess" -x)"
	expect "$1, Phalanx" "$5" "$(claims "$2" "$games/phalanx" -x- -b-)"
	expect "$1, Sjaak II" "$6" "$(claims "$2" "$games/sjaakii")"
	expect "$1, Sjeng" "$7" "$(claims "$2" "$games/sjeng")"
}

# Three times the position after 1. e4 e5; after 2... d5, where the first time 3. exd6 is possible; with both kings at
# home, where the first time both may castle.
try 'repetition' 'e2e4 e7e5 g1f3 b8c6 f3g1 c6b8 g1f3 b8c6 f3g1 c6b8' 'a draw' 'a draw' 'a draw' 'a draw' 'a draw'
try 'en passant' 'e2e4 g8f6 e4e5 d7d5 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1 g8f6' \
	'plays on' 'plays on' 'a draw' 'a draw' 'a draw'
try 'castling' 'e2e4 e7e5 g1f3 g8f6 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8' \
	'plays on' 'plays on' 'a draw' 'plays on' 'a draw'
finish
