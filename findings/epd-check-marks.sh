#!/usr/bin/env bash
# The marks "+" and "#" behind a move say nothing that the move does not say, so test suites in EPD write them or not.
# PolyGlot's epd-test and GNU Chess' solveepd compare the text of the operations: where the engine plays Ra8#, "bm Ra8"
# and "bm Ra8+" count as not solved. For PolyGlot "am Ra8", the move to be avoided, counts as solved, though it was
# played.
# It bites who compares engines or settings by a test suite: the score depends on how its author wrote the moves.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

deb stockfish 15.1-4
deb polyglot 2.0.4+git20210322-1
deb gnuchess 6.2.7-1+deb12u1
export HOME=$work
cd "$work"
games=root/usr/games

printf '[PolyGlot]\nEngineCommand = %s\n[Engine]\n' "$games/stockfish" >polyglot.ini

# suite writes problems: a mate in one and a queen to be taken with check.
mate='6k1/5ppp/8/8/8/8/8/R3K3 w Q -'
queen='q3k3/8/8/8/8/8/8/R3K3 w Q -'
suite() {
	for operation; do
		case $operation in
		*x*) printf '%s %s;\n' "$queen" "$operation" ;;
		*) printf '%s %s;\n' "$mate" "$operation" ;;
		esac
	done >suite.epd
}

# polyglot tells which problems Stockfish solves, says PolyGlot.
polyglot() {
	suite "$@"
	timeout 60 "$games/polyglot" polyglot.ini epd-test -epd suite.epd -min-depth 4 -max-depth 6 -min-time 0 -max-time 2 |
		sed -nE 's/^ *[0-9]+:.*(OK|--) .*=(R[^ ]*).*/\2 \1/p' | paste -sd ';'
}

# gnuchess tells which problems GNU Chess solves, says it itself.
gnuchess() {
	suite "$@"
	{
		for command in '' manual 'depth 4' 'solveepd suite.epd'; do
			echo "$command"
			sleep 1
		done
		sleep $((5 * $#))
		echo quit
	} | timeout 60 "$games/gnuchess" 2>&1 |
		sed -nE 's/.* (Correct|Incorrect): +<([^>]*)>.*/\2 \1/p' | paste -sd ';'
}

expect 'PolyGlot, bm Ra8#, bm Ra8+, bm Ra8' 'Ra8# OK;Ra8# --;Ra8# --' "$(polyglot 'bm Ra8#' 'bm Ra8+' 'bm Ra8')"
expect 'PolyGlot, am Ra8#, am Ra8' 'Ra8# --;Ra8# OK' "$(polyglot 'am Ra8#' 'am Ra8')"
expect 'PolyGlot, bm Rxa8+, bm Rxa8' 'Rxa8+ OK;Rxa8+ --' "$(polyglot 'bm Rxa8+' 'bm Rxa8')"
expect 'GNU Chess, bm Ra8#, bm Ra8, bm Rxa8+, bm Rxa8' \
	'Ra8# Correct;Ra8# Incorrect;Rxa8+ Correct;Rxa8+ Incorrect' \
	"$(gnuchess 'bm Ra8#' 'bm Ra8' 'bm Rxa8+' 'bm Rxa8')"
finish
