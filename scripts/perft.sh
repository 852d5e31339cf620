#!/usr/bin/env bash
# Deep perft of the initial position and of Kiwipete against the known counts (https://www.chessprogramming.org/Perft_Results).
#
#   scripts/perft.sh [PROGRAM]        default: build/tesla-test
set -euo pipefail
program=${1:-build/tesla-test}

# check DEPTH FEN NODES
check() {
	local got
	got=$("$program" perft "$1" --fen "$2" | tail -1)
	echo "$got"
	[[ $got == *" $3 nodes"* ]] || {
		echo "perft: want $3 nodes" >&2
		exit 1
	}
}
check 7 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1' 3195901860
check 6 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1' 8031647685
