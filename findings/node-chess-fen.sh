#!/usr/bin/env bash
# The npm library chess 1.5.1 (node-chess) reads of a FEN only the pieces and the side to move. It takes every piece for
# one that has not moved: a pawn may step two squares from any rank, and a king castles where the FEN has no castling
# rights. The capture en passant that the FEN allows is missing. Where a pawn can promote it raises a TypeError.
# Games from the start position are not touched by this.
# It bites who validates moves of puzzles, endgames or games from set positions by it: it plays moves that are not legal.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js chess@1.5.1 chess.js@1.4.0

# The moves of pawns and the castlings of both libraries.
cat >"$work/moves.mjs" <<'JS'
import chess from 'chess'
import { Chess } from 'chess.js'
const [library, fen, move] = process.argv.slice(2)
const shown = moves => moves.filter(m => /^([a-h]|O)/.test(m)).sort().join(' ')
try {
  if (library === 'chess.js') {
    console.log(shown(new Chess(fen).moves()))
  } else {
    const game = chess.fromFEN(fen, { PGN: true })
    if (move) {
      game.move(move)
      console.log(game.game.board.getFen())
    } else {
      console.log(shown(Object.keys(game.getStatus().notatedMoves)))
    }
  }
} catch (e) {
  console.log(e.name)
}
JS
moves() { (cd "$work" && node moves.mjs "$@"); }

third='4k3/8/8/8/8/4P3/8/4K2R w - - 0 1'
passant='4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2'
promotion='7k/4P3/8/8/8/8/8/4K3 w - - 0 1'
expect 'chess.js, pawn e3 and rook h1, no rights' 'e4' "$(moves chess.js "$third")"
expect 'chess, the same' 'O-O e4 e5' "$(moves chess "$third")"
expect 'chess plays e3-e5' '4k3/8/8/4P3/8/8/8/4K2R' "$(moves chess "$third" e5)"
expect 'chess plays O-O' '4k3/8/8/8/8/4P3/8/5RK1' "$(moves chess "$third" O-O)"
expect 'chess.js, pawn e5, en passant d6' 'e6 exd6' "$(moves chess.js "$passant")"
expect 'chess, the same' 'e6 e7' "$(moves chess "$passant")"
expect 'chess.js, pawn e7' 'e8=B e8=N e8=Q+ e8=R+' "$(moves chess.js "$promotion")"
expect 'chess, the same' 'TypeError' "$(moves chess "$promotion")"
finish
