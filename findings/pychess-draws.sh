#!/usr/bin/env bash
# PyChess 1.0.3 ends games as drawn for lack of material where mate is still possible, and goes on where it is not. It
# takes a bishop against a knight, and bishops of opposite colours, for a draw: here White mates at once in both. Two
# bishops on dark squares are a draw for it too, rightly, but two on light squares are not. The test compares the
# bishops' dark squares, and two bishops have none alike unless both stand on light ones.
# It bites who plays or adjudicates games of engines in PyChess: a lost game counts half a point.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

need python3
deb pychess 1.0.3-1
deb stockfish 15.1-4

# drawn tells whether PyChess takes a position for a draw by material.
drawn() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/root/usr/lib/python3/dist-packages HOME=$work python3 - "$1" <<-'PY'
		import sys
		from pychess.Utils.lutils import ldraw
		from pychess.Utils.lutils.LBoard import LBoard
		board = LBoard()
		board.applyFen(sys.argv[1])
		print("a draw" if ldraw.testMaterial(board) else "no draw")
	PY
}

# mates tells the score and the move of Stockfish.
mates() {
	begin "$work/root/usr/games/stockfish"
	send "position fen $1" 'go depth 4'
	await bestmove 20 | sed -n 's/.* score \([a-z]* [-0-9]*\) .*/\1/p; s/^bestmove \([^ ]*\).*/\1/p' | tail -2 | paste -sd ' '
	quit
}

opposite='6bk/8/7K/8/8/8/8/2B5 w - - 0 1'
knight='knB5/8/1K6/8/8/8/8/8 w - - 0 1'
expect 'Stockfish, bishops of opposite colours' 'mate 1 c1b2' "$(mates "$opposite")"
expect 'PyChess, the same' 'a draw' "$(drawn "$opposite")"
expect 'Stockfish, bishop against knight' 'mate 1 c8b7' "$(mates "$knight")"
expect 'PyChess, the same' 'a draw' "$(drawn "$knight")"
expect 'PyChess, two bishops on dark squares' 'a draw' "$(drawn '4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1')"
expect 'PyChess, two bishops on light squares' 'no draw' "$(drawn '2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1')"
finish
