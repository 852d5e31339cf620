#!/usr/bin/env bash
# A pawn move ends the count of half-moves towards a draw by the fifty-move rule. PyChess 1.0.3 counts anew behind a pawn
# move and behind a capture, but not where the pawn promotes without capturing: with 94 half-moves before 60. a8=Q its
# FEN has 95 behind it, and five half-moves later the game is a draw. chess.js counts anew behind every promotion.
# It bites who plays or adjudicates endgames in PyChess, whose own search asks the same test: there a win is a draw.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

need python3
deb pychess 1.0.3-1
js chess.js@1.4.0
cat >"$work/count.py" <<'PY'
import sys
from pychess.Utils.lutils import ldraw, lmove
from pychess.Utils.lutils.LBoard import LBoard
board = LBoard()
board.applyFen(sys.argv[1])
said = []
for san in sys.argv[2:]:
    board.applyMove(lmove.parseSAN(board, san))
    said.append(board.asFen().split()[4])
print(*said, "a draw" if ldraw.testFifty(board) else "no draw")
PY
cat >"$work/count.mjs" <<'JS'
import { Chess } from 'chess.js'
const [fen, ...moves] = process.argv.slice(2)
const board = new Chess(fen)
const said = moves.map(move => {
  board.move(move)
  return board.fen().split(' ')[4]
})
console.log(...said, board.isDrawByFiftyMoves() ? 'a draw' : 'no draw')
JS

# counts WHAT WANTED-OF-PYCHESS WANTED-OF-CHESS.JS FEN MOVE... compares the counts of half-moves behind each move.
counts() {
	local what=$1 py=$2 js=$3
	shift 3
	expect "PyChess, $what" "$py" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work/root/usr/lib/python3/dist-packages \
		HOME=$work python3 "$work/count.py" "$@")"
	expect "chess.js, the same" "$js" "$(cd "$work" && node count.mjs "$@")"
}

echo 'half-moves behind each move, from a count of 94'
pawns='8/P3k3/8/8/8/8/7p/4K3 w - - 94 60'
counts 'a pawn move' '0 1 2 no draw' '0 1 2 no draw' '8/4k3/P7/8/8/8/7p/4K3 w - - 94 60' a7 Kd7 Kd2
counts 'a promotion that captures' '0 1 2 no draw' '0 1 2 no draw' '1n6/P3k3/8/8/8/8/7p/4K3 w - - 94 60' axb8=Q Kf6 Kd2
counts 'two promotions' '95 96 97 98 no draw' '0 0 1 2 no draw' "$pawns" a8=Q h1=Q+ Kd2 Kf6
counts 'a promotion and five more' '95 96 97 98 99 100 a draw' '0 1 2 3 4 5 no draw' \
	"$pawns" a8=Q Kd6 Kf2 Kc5 Qa6 Kb4
finish
