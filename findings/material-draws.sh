#!/usr/bin/env bash
# Programs call a position drawn for lack of material where mate is still possible. PyChess 1.0.3 does so for a bishop
# against a knight and for bishops of opposite colours, here with a mate in one on the board. Two bishops on dark squares
# are a draw for it too, rightly, but two on light squares are not: its test compares the dark squares of the bishops,
# which are alike only where there are none. Ethereal 12 takes two knights for a draw before it looks for a mate, and
# plays another move.
# It bites who plays or adjudicates games of engines in PyChess, whose own search asks the same test: a won game counts
# half a point.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

need python3
deb pychess 1.0.3-1
deb stockfish 15.1-4
deb ethereal-chess 12.00+ds1-1
deb libfathom1 1.0+git.20190811.97fb5c-1

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

# plays ENGINE FEN tells the last score of a search of depth 4, and the move.
plays() {
	begin "$work/root/usr/games/$1"
	send "position fen $2" 'go depth 4'
	await bestmove 20 |
		sed -n 's/.* score \([a-z]* [-0-9]*\) .*/\1/p; s/^bestmove \([a-h1-8]*\).*/\1/p' | tail -2 | paste -sd ' '
	quit
}

opposite='6bk/8/7K/8/8/8/8/2B5 w - - 0 1'
knight='knB5/8/1K6/8/8/8/8/8 w - - 0 1'
knights='k7/3N4/1K6/3N4/8/8/8/8 w - - 0 1'
expect 'Stockfish, bishops of opposite colours' 'mate 1 c1b2' "$(plays stockfish "$opposite")"
expect 'PyChess, the same' 'a draw' "$(drawn "$opposite")"
expect 'Stockfish, bishop against knight' 'mate 1 c8b7' "$(plays stockfish "$knight")"
expect 'PyChess, the same' 'a draw' "$(drawn "$knight")"
expect 'PyChess, two bishops on dark squares' 'a draw' "$(drawn '4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1')"
expect 'PyChess, two bishops on light squares' 'no draw' "$(drawn '2b1k3/8/8/8/8/8/8/4KB2 w - - 0 1')"
expect 'Stockfish, two knights' 'mate 1 d5c7' "$(plays stockfish "$knights")"
expect 'Ethereal, the same' 'cp 1 b6c7' "$(plays ethereal-chess "$knights")"
finish
