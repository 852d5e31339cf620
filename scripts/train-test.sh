#!/usr/bin/env bash
# From a hundred new games to nets, by scripts/train.sh in a few minutes: every step runs. Then it checks
# what the trainers read, and their gradients.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
games=$folder/hundred.games
go run ./cmd/tesla datagen --player search=lazysmp,backend=nnue,nodes=100 --games 100 --out "$games"
export GATE="--games 2"
EPOCHS=1 POLICY_EPOCHS=1 TEACHER=models/eut-s.tesla TRAIN="--batch 1024 --report 10" scripts/train.sh nnue "$folder/nnue" "$games"
HOURS=0.02 TRAIN="--batch 256 --report 20" scripts/train.sh eut "$folder/eut" "$games"
python=${PYTHON:-python3}
"$python" scripts/shards/check.py --data "$folder/nnue/shards"
"$python" scripts/nnue/check.py --data "$folder/nnue/shards"
# A value that goes on from a net file, beside the policy of that file.
"$python" scripts/nnue/train.py value --data "$folder/nnue/shards" --out "$folder/more" --begin "$folder/nnue/nnue.tesla" --epochs 1 --batch 1024
"$python" scripts/nnue/export.py --value "$folder/more/best.pt" --policy "$folder/nnue/nnue.tesla" --out "$folder/more/nnue.tesla"
for file in more/nnue.tesla nnue/nnue.tesla nnue/shards/00000.teacher eut/eut-s.tesla eut/eut-parity.json; do
	[ -s "$folder/$file" ] || { echo "train-test: $file is missing" >&2; exit 1; }
done
