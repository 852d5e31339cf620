#!/usr/bin/env bash
# corentings/chess, the living successor of notnil/chess, reads a game with a variation inside a variation and writes
# it back twice: once in its place, and once earlier, where Black's move stands as White's first move. It drops all
# NAGs, and the depth behind the value of [%eval]. There is no error.
# It bites who reads, changes and saves annotated games by it: the new file has moves that are not legal there.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules github.com/corentings/chess/v2@v2.3.2
build <<'GO'
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/corentings/chess/v2"
)

func main() {
	for _, moves := range []string{
		"1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *",
		"1. e4 (1. d4 d5 (1... Nf6 2. c4)) 1... e5 2. Nf3 *",
		"1. e4 $1 $14 e5 $4 *",
		"1. e4 {[%eval 0.25,18]} e5 *",
	} {
		read, err := chess.PGN(strings.NewReader("[Event \"E\"]\n[Result \"*\"]\n\n" + moves + "\n"))
		if err != nil {
			log.Fatal(err)
		}
		text := chess.NewGame(read).String()
		fmt.Println(strings.TrimSpace(text[strings.LastIndex(text, "]\n\n")+1:]))
	}
}
GO
"$work/go/finding" >"$work/said"
said() { sed -n "$1p" "$work/said"; }
expect 'a variation, 1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *' '1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *' "$(said 1)"
expect 'two, 1. e4 (1. d4 d5 (1... Nf6 2. c4)) 1... e5 2. Nf3 *' \
	'1. e4 (1. d4 (1. Nf6 c4) 1... d5 (1... Nf6 2. c4)) 1... e5 2. Nf3 *' "$(said 2)"
expect "NAGs, 1. e4 \$1 \$14 e5 \$4 *" '1. e4 e5 *' "$(said 3)"
expect 'depth, 1. e4 {[%eval 0.25,18]} e5 *' '1. e4 { [%eval 0.25] } e5 *' "$(said 4)"
finish
