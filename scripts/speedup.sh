#!/usr/bin/env bash
# Measures the speed-up of two threads over one for bestfirst and the alpha-beta searchers: two hours on an idle machine.
# The reports go to build/speedup.
#
#   scripts/speedup.sh [PROGRAM]        default: build/tesla-test
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/tesla-test}
"$program" speedup --search bestfirst --backend cpu --threads 1,2 --report build/speedup/bestfirst
results=()
for options in plain ''; do
	for search in pvsplit jamboree mtdf lazysmp; do
		folder=build/speedup/$search${options:+-$options}
		"$program" speedup --search $search --backend nnue --search-options "$options" --threads 2 --report "$folder"
		results+=("$search${options:+,$options}=$folder/speedup.json")
	done
done
go run ./scripts/alphabeta/compare -threads 2 -plot build/speedup/parallel.svg "${results[@]}"
