#!/usr/bin/env bash
# Every searcher plays six short games against itself: each game must end by the rules.
#
#   scripts/selfplay.sh [PROGRAM]        default: build/tesla-test
set -euo pipefail
program=${1:-build/tesla-test}
for player in search=bestfirst,backend=mock search=bestfirst,backend=nnue,option.LeafDepth=1 \
	search=puct,backend=nnue,option.LeafDepth=0 search=lazysmp search=mtdf search=pvsplit search=jamboree; do
	result=$("$program" match --a "$player,name=a" --b "$player,name=b" --games 6 --nodes 50 --maxmoves 120 --json)
	echo "games: $player $result"
	for want in '"games":6' '"crashes":0' '"timeouts":0' '"illegal":0'; do
		grep -q "${want}[,}]" <<<"$result" || {
			echo "games: $want is missing" >&2
			exit 1
		}
	done
done
