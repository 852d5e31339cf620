#!/usr/bin/env bash
# `go nodes N`, a command of the UCI protocol, makes a match fair on a machine that is shared. Ethereal 12 does not know
# it and answers after one iteration of some nodes, whatever N is. Toga II 3.0 and GNU Chess 6.2 do not know it either
# and search on until `stop`. Glaurung 2.2 knows it, but answers "bestmove (none)" to every second search of a position
# that has 48 legal moves.
# It bites who matches engines at equal nodes: Ethereal plays the match at depth 1 without a message, Glaurung forfeits.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1
deb toga2 3.0.0.1SE1-2+b1
deb gnuchess 6.2.7-1+deb12u1
deb glaurung 2.2-4
games=$work/root/usr/games
export HOME=$work

# told NODES COMMAND... tells how an engine answers `go nodes` in the start position.
told() {
	local nodes=$1 text how='by itself' searched
	shift
	begin "$@"
	send 'setoption name OwnBook value false' 'position startpos' "go nodes $nodes"
	if ! text=$(await bestmove 4); then
		how='not before stop'
		send stop
		text+=$'\n'$(await bestmove 10)
	fi
	searched=$(sed -n 's/.* depth .* nodes \([0-9]*\).*/\1/p' <<<"$text" | tail -1)
	quit
	if [ "$searched" -lt 100 ]; then
		echo "$how, after $searched nodes"
	elif [ "$searched" -gt $((2 * nodes)) ]; then
		echo "$how, after more than $((2 * nodes)) nodes"
	else
		echo "$how"
	fi
}

# twice tells the moves of two searches of one position by Glaurung.
twice() {
	local position='fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
	begin "$games/glaurung"
	for _ in 1 2; do
		send ucinewgame "position $position" 'go nodes 1000'
		await bestmove 20 | sed -n 's/^bestmove \([^ ]*\).*/\1/p'
	done | paste -sd ' '
	quit
}

expect 'Stockfish, go nodes 10000' 'by itself' "$(told 10000 "$games/stockfish")"
expect 'Ethereal, go nodes 10000' 'by itself, after 6 nodes' "$(told 10000 "$games/ethereal-chess")"
expect 'Ethereal, go nodes 1000000' 'by itself, after 6 nodes' "$(told 1000000 "$games/ethereal-chess")"
expect 'Toga, go nodes 10000' 'not before stop, after more than 20000 nodes' "$(told 10000 "$games/toga2")"
expect 'GNU Chess, go nodes 10000' 'not before stop, after more than 20000 nodes' "$(told 10000 "$games/gnuchess" --uci)"
expect 'Glaurung, go nodes 1000 in two searches' 'e2a6 (none)' "$(twice)"
finish
