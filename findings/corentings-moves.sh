#!/usr/bin/env bash
# Game.Move of corentings/chess says that it validates a move. It does, but then plays it by the marks that the move has
# from its maker: a capture, a castling, en passant. Moves of the line that an engine reports (Info.PV) and of PolyGlot
# books (GetChessMoves) are made without a position and lack them: the castled rook stays at home, the pawn that was
# captured en passant stays on the board, and a capture does not set the fifty-move counter back. In books the castling
# e1h1 is told by its squares alone, so a rook from e1 to h1 castles: it lands on g1, and a second rook appears on f1.
# It bites who plays out lines or books by this library: the position is wrong from there on, without an error.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
modules github.com/corentings/chess/v2@v2.3.2
build <<'GO'
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"strconv"

	"github.com/corentings/chess/v2"
	"github.com/corentings/chess/v2/uci"
)

// start begins a game in a position.
func start(fen string) *chess.Game {
	position, err := chess.FEN(fen)
	check(err)
	return chess.NewGame(position)
}

// line plays the first move of the line of an engine that has to play the move.
func line(engine *uci.Engine, fen, move string) string {
	game := start(fen)
	var only []*chess.Move
	for _, m := range game.ValidMoves() {
		if m.String() == move {
			only = append(only, &m)
		}
	}
	check(engine.Run(uci.CmdPosition{Position: game.Position()}, uci.CmdGo{Depth: 2, SearchMoves: only}))
	check(game.Move(engine.SearchResults().Info.PV[0], nil))
	return game.FEN()
}

// book plays the move of a book that has but this one.
func book(fen, move string) string {
	text, err := chess.NewZobristHasher().HashPosition(fen)
	check(err)
	key, err := strconv.ParseUint(text, 16, 64)
	check(err)
	square := func(s string) uint16 { return uint16(s[0]-'a') | uint16(s[1]-'1')<<3 }
	entry := binary.BigEndian.AppendUint64(nil, key)
	entry = binary.BigEndian.AppendUint16(entry, square(move)<<6|square(move[2:]))
	entry = append(entry, 0, 1, 0, 0, 0, 0) // weight and learning
	from, err := chess.LoadFromBytes(entry)
	check(err)
	moves, err := from.GetChessMoves(key)
	check(err)
	game := start(fen)
	check(game.Move(&moves[0], nil))
	return game.FEN()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	engine, err := uci.New(os.Args[1])
	check(err)
	defer engine.Close()
	check(engine.Run(uci.CmdUCI, uci.CmdIsReady, uci.CmdUCINewGame))
	fmt.Println(line(engine, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"))
	fmt.Println(line(engine, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"))
	fmt.Println(line(engine, "4k3/8/8/3r4/8/4N3/8/4K3 w - - 5 9", "e3d5"))
	fmt.Println(book("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"))
	fmt.Println(book("4k3/8/8/8/8/8/6K1/4R3 w - - 0 1", "e1h1"))
}
GO
"$work/go/finding" "$work/root/usr/games/stockfish" >"$work/said"
said() { sed -n "$1p" "$work/said"; }
expect 'line O-O, the rook stays on h1' '4k3/8/8/8/8/8/8/6KR b - - 1 1' "$(said 1)"
expect 'line exd6 en passant, the pawn stays on d5' '4k3/8/3P4/3p4/8/8/8/4K3 b - - 0 1' "$(said 2)"
expect 'line Nxd5, the counter goes on from 5' '4k3/8/8/3N4/8/8/8/4K3 b - - 6 9' "$(said 3)"
expect 'book exd6 en passant, the pawn stays on d5' '4k3/8/3P4/3p4/8/8/8/4K3 b - - 0 1' "$(said 4)"
expect 'book Re1-h1, two rooks and none on h1' '4k3/8/8/8/8/8/6K1/5RR1 b - - 1 1' "$(said 5)"
finish
