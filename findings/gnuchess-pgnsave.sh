#!/usr/bin/env bash
# The command pgnsave of GNU Chess 6.2.7, as Debian 12 has it, writes of a game the tags and the last move. A game that
# was loaded by pgnload loses the others like one that was played; the elo of White becomes his name, and the result is
# missing behind the moves. There is no message.
# It bites who keeps games of GNU Chess, or loads a file, looks at it and saves it under its own name: the game is gone.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb gnuchess 6.2.7-1+deb12u1
export HOME=$work
cd "$work"

# commanded COMMAND... gives GNU Chess the commands of a person, one by one.
commanded() {
	{
		sleep 1
		for command; do
			echo "$command"
			sleep 0.5
		done
		echo quit
	} | timeout 60 root/usr/games/gnuchess >log 2>&1 || true
}

# moves prints the moves of a file.
moves() { grep -v '^\[' "$1" | paste -sd ' ' | xargs; }

cat >game.pgn <<'PGN'
[Event "Blackburne"]
[Site "?"]
[Date "2026.11.28"]
[Round "1"]
[White "Alpha"]
[Black "Beta"]
[Result "0-1"]
[WhiteElo "2700"]
[BlackElo "2600"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1

PGN
commanded manual e4 e5 Nf3 Nc6 'show board' 'pgnsave played.pgn'
expect 'the board after 1. e4 e5 2. Nf3 Nc6' 'r . b q k b n r' "$(grep -a -m 1 "r \. b q k b n r" log | xargs)"
expect 'the moves of that game in the file' 'Nc6' "$(moves played.pgn)"
commanded manual 'pgnload game.pgn' 'pgnsave saved.pgn'
expect 'the moves of a game loaded and saved' 'Nf3#' "$(moves saved.pgn)"
expect 'its tag [WhiteElo "2700"]' '[WhiteELO "Alpha"]' "$(grep -i '^\[WhiteElo' saved.pgn)"
finish
