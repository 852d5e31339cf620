#!/usr/bin/env bash
# Three of six UCI engines of Debian do not know "go nodes" and "go searchmoves", and none of them says so. Asked for
# 100,000 nodes, Ethereal plays the move of depth 1 after six nodes, and Toga II and GNU Chess think until they are
# stopped. Asked for one move of the root, all three search all moves and play another.
# It bites who plays matches or labels positions with a fixed number of nodes: the games of Ethereal look normal and
# are those of a depth-1 player, and a game with the other two never ends.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
deb fairy-stockfish 11.1-1+b1
deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1
deb toga2 3.0.0.1SE1-2+b1
deb gnuchess 6.2.7-1+deb12u1
games=$work/root/usr/games

# nodes tells how many nodes a search for 100,000 of them takes: the last count that is printed before the move.
nodes() {
	local lines
	begin "$@"
	send isready
	await readyok 20 >/dev/null
	send 'position startpos' 'go nodes 100000'
	if lines=$(await bestmove 8); then
		sed -n 's/.* nodes \([0-9]*\) .*/\1/p' <<<"$lines" | tail -1 |
			awk '{ if ($1 >= 100000 && $1 < 130000) print "stops near 100,000"; else print "stops after " $1 }'
	elif [ "$(sed -n 's/.* nodes \([0-9]*\) .*/\1/p' <<<"$lines" | tail -1)" -gt 1000000 ]; then
		echo "goes on beyond 1,000,000"
	fi
	quit
}

# only tells what is played if a2a3 alone is allowed.
only() {
	begin "$@"
	send 'position startpos' 'go depth 4 searchmoves a2a3'
	await bestmove 20 | sed -n 's/^bestmove \([a-h1-8]*\).*/\1/p' | sed 's/^[^a].*/another move/; s/^a[^2].*/another move/'
	quit
}

expect 'Stockfish, nodes' 'stops near 100,000' "$(nodes "$games/stockfish")"
expect 'Fairy-Stockfish, nodes' 'stops near 100,000' "$(nodes "$games/fairy-stockfish")"
expect 'Ethereal, nodes' 'stops after 6' "$(nodes "$games/ethereal-chess")"
expect 'Toga II, nodes' 'goes on beyond 1,000,000' "$(nodes "$games/toga2")"
expect 'GNU Chess, nodes' 'goes on beyond 1,000,000' "$(nodes "$games/gnuchess" --uci)"
expect 'Stockfish, only a2a3' a2a3 "$(only "$games/stockfish")"
expect 'Fairy-Stockfish, only a2a3' a2a3 "$(only "$games/fairy-stockfish")"
expect 'Ethereal, only a2a3' 'another move' "$(only "$games/ethereal-chess")"
expect 'Toga II, only a2a3' 'another move' "$(only "$games/toga2")"
expect 'GNU Chess, only a2a3' 'another move' "$(only "$games/gnuchess" --uci)"
finish
