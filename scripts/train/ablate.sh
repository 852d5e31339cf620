#!/usr/bin/env bash
# Measures what parts of the net or of its training are worth: trains variants on the same number of positions, in the same order, and
# prints a line of held-out figures for each. A variant is a list of arguments of train.py: '--size S,latents=16', '--lr 2e-3'.
# A run that was stopped goes on.
#
#     scripts/train/ablate.sh SHARDS OUT POSITIONS VARIANT...
set -euo pipefail
[ $# -ge 4 ] || { echo "usage: scripts/train/ablate.sh SHARDS OUT POSITIONS VARIANT..." >&2; exit 2; }
data=$1 out=$2 positions=$3
shift 3
for variant; do
	folder=$out/${variant//[^A-Za-z0-9.,=]/_}
	mkdir -p "$folder"
	# shellcheck disable=SC2086 # the variant is words
	[ -e "$folder/done" ] || "${PYTHON:-python3}" "$(dirname "$0")/train.py" --data "$data" --out "$folder" --batch 512 --lr 4e-3 \
		--positions "$positions" --report 60 $variant >>"$folder/train.txt"
	touch "$folder/done"
	echo "$variant: $(grep '^HELD' "$folder/train.txt" | tail -1)"
done
