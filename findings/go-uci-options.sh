#!/usr/bin/env bash
# The UCI clients of the Go libraries notnil/chess and corentings/chess end the name of an option at its first blank.
# Of the 21 options of Stockfish 15.1 they keep 16: "Move Overhead", "Skill Level", "Slow Mover", "Clear Hash" and
# "Use NNUE" are lost without an error, and "Debug Log File" is called "Debug".
# It bites programs that look into the options of an engine before they set one, or show them: the most used option of
# all servers, Move Overhead, is never there.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
modules github.com/notnil/chess@v1.10.0 github.com/corentings/chess/v2@v2.3.2
build <<'GO'
package main

import (
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	young "github.com/corentings/chess/v2/uci"
	old "github.com/notnil/chess/uci"
)

func main() {
	a, err := old.New(os.Args[1])
	if err == nil {
		err = a.Run(old.CmdUCI)
	}
	if err != nil {
		log.Fatal(err)
	}
	b, err := young.New(os.Args[1])
	if err == nil {
		err = b.Run(young.CmdUCI)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Join(slices.Sorted(maps.Keys(a.Options())), ","))
	fmt.Println(strings.Join(slices.Sorted(maps.Keys(b.Options())), ","))
	a.Close()
	b.Close()
}
GO
stockfish=$work/root/usr/games/stockfish
printf 'uci\nquit\n' | "$stockfish" | sed -n 's/^option name \(.*\) type .*/\1/p' | sort >"$work/declared"
"$work/go/finding" "$stockfish" >"$work/kept"
kept() { sed -n "$1p" "$work/kept" | tr , '\n' | sort; }
lost='Clear Hash,Debug Log File,Move Overhead,Skill Level,Slow Mover,Use NNUE'
expect 'declared' 21 "$(wc -l <"$work/declared")"
for client in 1 2; do
	name=$(sed -n "${client}p" <<<$'notnil/chess\ncorentings/chess')
	expect "$name, lost" "$lost" "$(comm -23 "$work/declared" <(kept $client) | paste -sd ,)"
	expect "$name, invented" Debug "$(comm -13 "$work/declared" <(kept $client) | paste -sd ,)"
done
finish
