#!/usr/bin/env bash
# `pgn-extract -Wuci` writes games "compatible with the UCI protocol", but the piece of a pawn promotion in capitals:
# b7a8Q, where the protocol has b7a8q. Stockfish 15.1 takes it. Ethereal 12, Toga II 3.0 and Sjaak II 1.4.1 pass over
# the move without a message, and search a position where the pawn still stands on b7.
# It bites who has a collection of games evaluated: from the first promotion on the scores belong to other positions.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb pgn-extract 19.04-1
deb stockfish 15.1-4
deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1
deb toga2 3.0.0.1SE1-2+b1
deb sjaakii 1.4.1-2
games=$work/root/usr/games
export HOME=$work

cat >"$work/game.pgn" <<'PGN'
[Event "E"]
[Site "S"]
[Date "2026.11.30"]
[Round "1"]
[White "A"]
[Black "B"]
[Result "*"]

1. e4 d5 2. exd5 c6 3. dxc6 Nf6 4. cxb7 Nbd7 5. bxa8=Q Nb6 *
PGN
moves=$("$games/pgn-extract" -s -Wuci -w1000 --notags --noresults "$work/game.pgn" | xargs)

# plays MOVES COMMAND... tells what an engine does behind these moves: the pawn of b7 is on the board or a queen by then.
plays() {
	local moves=$1 move
	shift
	begin "$@"
	send 'setoption name OwnBook value false' "position startpos moves $moves" 'go depth 4'
	move=$(await bestmove 20 | sed -n 's/^bestmove \([^ ]*\).*/\1/p')
	quit
	case $move in
	b7*) echo 'promotes once more' ;;
	'') echo 'no answer' ;;
	*) echo 'plays on' ;;
	esac
}

# try NAME CAPITAL COMMAND... compares what an engine does behind the moves in the protocol's letters and as written.
try() {
	local name=$1 capital=$2
	shift 2
	expect "$name, b7a8q" 'plays on' "$(plays "${moves,,}" "$@")"
	expect "$name, b7a8Q" "$capital" "$(plays "$moves" "$@")"
}

expect 'pgn-extract -Wuci' 'e2e4 d7d5 e4d5 c7c6 d5c6 g8f6 c6b7 b8d7 b7a8Q d7b6' "$moves"
try Stockfish 'plays on' "$games/stockfish"
try Ethereal 'promotes once more' "$games/ethereal-chess"
try Toga 'promotes once more' "$games/toga2"
try 'Sjaak II' 'promotes once more' "$games/sjaakii" -uci
finish
