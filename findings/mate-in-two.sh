#!/usr/bin/env bash
# Stockfish is slow to see a famous mate in two whose first move gives the rook away. With one thread and an empty
# table Stockfish 15.1 finds it at depth 35, after 1.2 million positions, "go mate 2" or not, and Stockfish 19 (its
# small net in WebAssembly) at depth 18, after 480,000. Fairy-Stockfish, a fork of an older one, needs 88 positions.
# It bites who uses Stockfish as the judge of short mates: for puzzles, for adjudication, or to label positions at a
# fixed depth or small number of nodes.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
deb fairy-stockfish 11.1-1+b1
js stockfish@19.0.0

# mate GO ENGINE... tells the depth and the nodes of the first report of a mate in two.
mate() {
	local go=$1
	shift
	begin "$@"
	send 'position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1' "$go"
	await bestmove 60 | sed -n 's/.* depth \([0-9]*\) .* score mate 2 nodes \([0-9]*\) .*/depth \1, \2 nodes/p' | head -1
	quit
}

games=$work/root/usr/games
small=$work/node_modules/stockfish/bin/stockfish-19-lite-single.js
expect 'Stockfish 15.1, go depth 40' 'depth 35, 1214559 nodes' "$(mate 'go depth 40' "$games/stockfish")"
expect 'Stockfish 15.1, go mate 2' 'depth 35, 1214559 nodes' "$(mate 'go mate 2' "$games/stockfish")"
expect 'Stockfish 19, small net, go depth 20' 'depth 18, 480767 nodes' "$(mate 'go depth 20' node "$small")"
expect 'Fairy-Stockfish 11.1, go mate 2' 'depth 2, 88 nodes' "$(mate 'go mate 2' "$games/fairy-stockfish")"
finish
