#!/usr/bin/env bash
# One search against another in games at equal evaluations: the same net, unbalanced openings in pairs, one thread each, nothing
# shared, leaves of quiescence alone. Games won, drawn and lost by the first, and its Elo with a 95 % interval.
#
#     scripts/bestfirst/matches.sh build/tesla evals games player player [seed]
#     scripts/bestfirst/matches.sh build/tesla 800 1000 bestfirst puct
#     scripts/bestfirst/matches.sh build/tesla 12800 300 bestfirst,option.BatchSize=128 bestfirst,option.BatchSize=1
#     scripts/bestfirst/matches.sh build/tesla 12800 200 bestfirst,option.TreeMemory=1 bestfirst   # what reclaiming costs
set -euo pipefail
tesla=$1 evals=$2 games=$3 a=$4 b=$5 seed=${6:-1} net=${BACKEND:-nnue}
echo -n "$a against $b, $evals evaluations: "
"$tesla" match --games "$games" --evals "$evals" --concurrency "$(nproc)" --openings unbalanced --seed "$seed" \
    --a "name=A,backend=$net,option.LeafDepth=0,threads=1,search=$a" --b "name=B,backend=$net,option.LeafDepth=0,threads=1,search=$b" \
    --resign moves=3,score=800 --draw from=40,moves=6,score=10 | grep -E '^(Games|Pairs|Elo)' | tr '\n' ' '
echo
