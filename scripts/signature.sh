#!/usr/bin/env bash
# Checks that play has not changed unnoticed: the signatures of a fixed bench of every searcher must be those of the newest
# "Bench:" trailer, the last line of a commit whose play changed. The line is replaced whole; copy it from here.
#
#   scripts/signature.sh [PROGRAM]        default: build/tesla-test
#
# One thread each, for only then a search gives the same nodes each time. With one thread pvsplit and jamboree search as lazysmp.
set -euo pipefail
program=${1:-build/tesla-test}

# bench NAME FLAG...: adds a searcher's signature to the line.
line=
bench() {
	local name=$1 signature
	shift
	signature=$("$program" bench --threads 1 "$@" | sed -n 's/^signature //p')
	line+="${line:+, }$name $signature"
}
bench bestfirst --search bestfirst --backend mock
bench bestfirst-nnue --search bestfirst --backend nnue --evals 50
bench puct --search puct --backend mock
bench puct-nnue --search puct --backend nnue --evals 50
for search in lazysmp mtdf pvsplit jamboree; do
	bench $search --search $search --nodes 20000
done
echo "Bench: $line"

want=$(git log -1 --format=%B --grep='^Bench: bestfirst [0-9]' 2>/dev/null | sed -n 's/^Bench: //p' | tail -1) || true
if [ -z "$want" ]; then
	echo "signature: not compared, no commit here has such a trailer"
elif [ "$line" != "$want" ]; then
	echo "signature: play differs from the newest Bench trailer, < here, > there:" >&2
	diff <(echo "${line//, /$'\n'}") <(echo "${want//, /$'\n'}") | grep '^[<>]' >&2 || true
	exit 1
fi
