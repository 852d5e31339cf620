#!/usr/bin/env bash
# What data are worth: the value net trained on the first SIZE quiet positions, for each SIZE as many POSITIONS long, so that fewer are
# seen more often, and the best on held-out games kept; games of each against the one before it by lazysmp, 10,000 nodes a move. What was
# done is not done again.
#
#     scripts/nnue/sizes.sh SHARDS OUT SIZE...    # POSITIONS=26000000 GAMES=400 DROP=0.05 PYTHON=python3
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: scripts/nnue/sizes.sh SHARDS OUT SIZE..." >&2; exit 2; }
data=$1 out=$2 python=${PYTHON:-python3} before=
shift 2
mkdir -p "$out"
go build -o "$out/tesla" ./cmd/tesla
# The policy, which a file of nets holds too, orders no moves of alpha-beta: a hasty one serves.
[ -e "$out/policy/best.pt" ] || "$python" scripts/nnue/train.py policy --data "$data" --out "$out/policy" --epochs 0.1 >"$out/policy.txt"
for size; do
	folder=$out/$size
	if [ ! -e "$folder/nnue.tesla" ]; then
		"$python" scripts/nnue/train.py value --data "$data" --out "$folder" --limit "$size" \
			--epochs "$(awk "BEGIN { print ${POSITIONS:-26000000} / $size }")" --drop "${DROP:-0.05}" --report 15 >"$out/$size.txt"
		"$python" scripts/nnue/export.py --value "$folder/best.pt" --policy "$out/policy/best.pt" --out "$folder/nnue.tesla" >"$folder/export.txt"
	fi
	echo "$size: $(grep -o 'HELD.*' "$out/$size.txt" | sort -k3 | head -1)"
	[ -z "$before" ] || "$out/tesla" match --games "${GAMES:-400}" --nodes 10000 --concurrency "$(nproc)" --openings unbalanced \
		--a "name=$size,search=lazysmp,backend=nnue,threads=1,weights=$folder/nnue.tesla" \
		--b "name=$before,search=lazysmp,backend=nnue,threads=1,weights=$out/$before/nnue.tesla" \
		--resign moves=3,score=800 --draw from=40,moves=6,score=10 | grep -E '^(Games|Elo)'
	before=$size
done
