#!/usr/bin/env bash
# What options of the alpha-beta searchers are worth: the default against each of the given changes, in games at equal
# nodes; without changes, against leaving out each part of the core. One line a change: its name, games won, drawn and
# lost by the default, Elo of the default with its 95 % interval.
#
#     scripts/alphabeta/parts.sh build/tesla [games [nodes [change ...]]]
set -euo pipefail
tesla=$1 games=${2:-600} nodes=${3:-20000}
shift $(($# < 3 ? $# : 3))
parts=(nullmove verification reversefutility futility latemovepruning latemovereduction
    seepruning singular internalreduction aspiration failhighreduction butterfly capturehistory continuation correction)
if [ $# -eq 0 ]; then set -- "${parts[@]/%/=off}"; fi
for change; do
    echo -n "$change: "
    "$tesla" match --games "$games" --nodes "$nodes" --concurrency "$(nproc)" --seed 5 --a "name=default,search=lazysmp,backend=nnue" \
        --b "name=changed,search=lazysmp,backend=nnue,option.SearchOptions=$change" --resign moves=3,score=800 --draw moves=6,score=10 |
        grep -E '^(Games|Elo)' | tr '\n' ' '
    echo
done
