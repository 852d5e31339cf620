#!/usr/bin/env bash
# From a hundred new games to nets, by scripts/train.sh in a few minutes: every step runs. Then it checks
# what the trainers read, and their gradients, and runs scripts/train-gpu.sh on the CPU with tiny nets.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
	echo "train-test: $*" >&2
	exit 1
}
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
	[ -s "$folder/$file" ] || fail "$file is missing"
done

# scripts/train-gpu.sh: the same shards in pieces, a run that is stopped and goes on, and nets in parts.
gpu=$folder/gpu out=$folder/out tiny=S,blocks=1,rounds=1,square_width=16,square_heads=2,hidden=16,latents=4,sum=32
export PIECE=40K PART=5M MINUTES=0.4 SPLIT="18 3 3" TEACHER_SIZE=$tiny STUDENT_SIZE=$tiny
export TEACHER="--batch 256" STUDENT="--batch 256 --trust 0.7 --threads 1" POLICY="--batch 1024 --trust 0.7"

# refused TEXT ARGUMENTS...: train-gpu.sh fails and says TEXT.
refused() {
	local text=$1 code=0 said
	shift
	said=$(scripts/train-gpu.sh "$@" 2>&1) || code=$?
	[[ $code == 1 && $said == *"$text"* ]] || fail "train-gpu.sh $1: exit code $code, want 1 and '$text': $said"
}

scripts/train-gpu.sh pack "$folder/eut/shards" "$gpu"
mkdir "$folder/there"
cp "$gpu"/pieces/* "$folder/there"
rm "$folder/there/pieces.part001"
refused "missing: pieces.part001;" run "$folder/other" "$folder/there"/*
cp "$gpu/pieces/pieces.part000" "$folder/there/pieces.part001"
refused "damaged: pieces.part001" run "$folder/other" "$folder/there"/*

code=0
LIMIT=20 scripts/train-gpu.sh run "$gpu" || code=$?
[ $code = 75 ] || fail "a run that was stopped: exit code $code, want 75"
[ ! -e "$gpu/teacher.done" ] || fail "the teacher was not stopped"
cmp "$folder/eut/shards/00000.positions" "$gpu/shards/00000.positions"
scripts/train-gpu.sh run "$gpu" 2>&1 | tee "$folder/run.txt"
grep -q 'resumed at step [1-9]' "$folder/run.txt" || fail "the teacher was trained from the beginning again"

cp -r "$gpu/out" "$out"
rm "$out/nnue.tesla.part001"
refused "damaged: nnue.tesla" join "$out"
cp "$gpu/out/nnue.tesla.part001" "$out"
scripts/train-gpu.sh join "$out"
for net in teacher student nnue; do
	backend=cpu
	[ $net != nnue ] || backend=nnue
	"$folder/eut/tesla" eval --backend $backend --weights "$out/$net.tesla" --json >/dev/null
done
# The figures are there, and teach.py said of the moves what prepare says with the net that was exported, up to rounding.
mkdir "$folder/taught"
cp "$gpu"/shards/{manifest.json,00000.positions} "$folder/taught"
go run ./scripts/prepare -out "$folder/taught" -teacher "$out/teacher.tesla"
"$python" - "$out/report.json" "$folder/taught/00000.teacher" "$gpu/shards/00000.teacher" <<'END'
import json, sys
import numpy as np
nets = json.load(open(sys.argv[1]))["nets"]
for name in ("teacher", "student", "nnue policy"):
    assert 0 < nets[name]["figures"]["policy"] < 5, nets[name]
    assert nets[name]["training"]["seconds"] >= (18 if name == "teacher" else 3), nets[name]
want, found = (np.fromfile(path, np.uint8).astype(int) for path in sys.argv[2:])
assert len(want) == len(found) and abs(want - found).max() <= 2, "what teach.py and prepare say of moves differs"
END
