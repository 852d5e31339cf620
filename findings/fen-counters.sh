#!/usr/bin/env bash
# A FEN ends with the half-moves since the last capture or pawn move and with the number of the move, and a PGN game may
# begin there. kokopu reads the number but sets the half-moves to 0: its fiftyMoveClock(), its FENs, and the FEN tag of
# the game as it writes it. cm-chess and notnil/chess keep the tag, but write a game that Black begins at move 40 as
# "1. Kd8 e4": a move of Black as White's, all moves in the wrong columns. chess.js and chessops do both right.
# It bites who probes tablebases or claims draws from the FENs of kokopu, and who reads the games of the others by eye.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js kokopu@4.13.4 cm-chess@4.0.0 chess.mjs@2.3.6 chess.js@1.4.0 chessops@0.15.1
modules github.com/notnil/chess@v1.10.0
build <<'GO'
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/notnil/chess"
)

func main() {
	pgn, err := chess.PGN(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chess.NewGame(pgn))
}
GO
cat >"$work/game.pgn" <<'PGN'
[Event "E"]
[Result "*"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/R3K3 b Q - 97 40"]

40... Kd8 41. Kd1 Kd7 42. e4 *
PGN
cat >"$work/game.mjs" <<'JS'
import fs from 'fs'
import * as kokopu from 'kokopu'
import { Chess } from 'chess.js'
import { Chess as CmChess } from 'cm-chess/src/Chess.js'
import { makePgn, parsePgn } from 'chessops/pgn'
const pgn = fs.readFileSync('game.pgn', 'utf8')
const say = (name, what) => console.log(`${name}: ${what}`)
const counters = fen => fen.split(' ').slice(4).join(' ')
const written = text => {
  const [, fen] = text.match(/\[FEN "(.*)"\]/)
  return `${counters(fen)}, ${text.replace(/\[.*\]/g, '').trim()}`
}
const game = kokopu.pgnRead(pgn, 0)
const reference = new Chess()
reference.loadPgn(pgn)
say('kokopu clock', game.nodes().map(node => node.fiftyMoveClock()).join(' '))
say('kokopu FENs', game.nodes().map(node => counters(node.fen())).join(', '))
say('chess.js FENs', reference.history({ verbose: true }).map(move => counters(move.after)).join(', '))
say('kokopu writes', written(kokopu.pgnWrite(game)))
say('cm-chess writes', written(new CmChess({ pgn }).renderPgn()))
say('chess.js writes', written(reference.pgn()))
say('chessops writes', written(parsePgn(pgn).map(makePgn).join('')))
say('notnil writes', written(fs.readFileSync('notnil.pgn', 'utf8')))
JS
"$work/go/finding" <"$work/game.pgn" >"$work/notnil.pgn"
(cd "$work" && node game.mjs) >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
echo 'a game from a FEN with the counters 97 40: 40... Kd8 41. Kd1 Kd7 42. e4'
expect 'clock of kokopu behind each move' '1 2 3 0' "$(said 'kokopu clock')"
expect 'counters of its FENs' '1 41, 2 41, 3 42, 0 42' "$(said 'kokopu FENs')"
expect 'counters of chess.js' '98 41, 99 41, 100 42, 0 42' "$(said 'chess.js FENs')"
expect 'kokopu writes' '0 40, 40... Kd8 41. Kd1 Kd7 42. e4 *' "$(said 'kokopu writes')"
expect 'cm-chess writes' '97 40, 1. Kd8 Kd1 2. Kd7 e4 *' "$(said 'cm-chess writes')"
expect 'notnil/chess writes' '97 40, 1. Kd8 Kd1 2. Kd7 e4  *' "$(said 'notnil writes')"
expect 'chess.js writes' '97 40, 40. ... Kd8 41. Kd1 Kd7 42. e4 *' "$(said 'chess.js writes')"
expect 'chessops writes' '97 40, 40... Kd8 41. Kd1 Kd7 42. e4 *' "$(said 'chessops writes')"
finish
