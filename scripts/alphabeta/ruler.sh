#!/usr/bin/env bash
# The ruler of searches: what they do with 100,000 nodes in each of 60 positions, a column for each engine
# (docs/alphabeta.md explains the lines).
#
#     scripts/alphabeta/ruler.sh [PEER:Name=value,..] ..
#
# PEER is a UCI program with the same counters: Stockfish 15.1 after scripts/alphabeta/ruler/peer.py SOURCE and a build.
# OPTIONS in the environment are more UCI options of this program, such as OPTIONS=,SearchOptions=nullmove=off
set -euo pipefail
cd "$(dirname "$0")/../.."
go build -buildvcs=false -tags ruler -o build/tesla-ruler ./cmd/tesla
go run ./scripts/alphabeta/ruler -nodes "${NODES:-100000}" \
    "build/tesla-ruler:Search=lazysmp,Backend=nnue,Threads=1,Hash=64,VerboseMoveStats=true${OPTIONS:-}" "$@"
