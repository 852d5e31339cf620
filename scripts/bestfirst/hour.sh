#!/usr/bin/env bash
# An hour of thinking in little memory: each minute the evaluations, how many a second of processor time since the minute
# before, resident megabytes, how full the tree is; then how it stops.
#
#     scripts/bestfirst/hour.sh build/tesla [minutes [tree memory, MB]]
set -euo pipefail
tesla=$1 minutes=${2:-60} memory=${3:-256}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
coproc engine { exec "$tesla" uci >"$out"; }
# shellcheck disable=SC2154 # coproc sets it
pid=$engine_PID input=${engine[1]}
printf '%s\n' "setoption name Backend value nnue" "setoption name LeafDepth value 0" "setoption name Threads value 1" \
    "setoption name TreeMemory value $memory" "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6" "go infinite" >&"$input"
field() { { grep -o " $1 [0-9]*" "$out" || echo "0 0"; } | tail -1 | tr -dc 0-9; }
seconds() { awk -v tick="$(getconf CLK_TCK)" '{ print ($14 + $15) / tick }' "/proc/$pid/stat"; }
evals=0 used=$(seconds)
for ((minute = 1; minute <= minutes; minute++)); do
    sleep 60
    now=$(seconds) n=$(field nodes)
    echo "$minute min: $n evaluations, $(awk "BEGIN { printf \"%d\", ($n - $evals) / ($now - $used) }") a second," \
        "$(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$pid/status") MB, tree $(field hashfull) permille"
    evals=$n used=$now
done
echo stop >&"$input"
sleep 1
grep bestmove "$out" || { echo "no answer to stop within a second"; exit 1; }
echo quit >&"$input"
wait "$pid"
