#!/usr/bin/env bash
# From games to a net that ships: shards, training, held-out figures, the net's file, checks, and a match with the net before.
#
#   scripts/train.sh nnue|eut FOLDER GAMES...
#
# GAMES are files of games, text or as tesla datagen writes them. What was done before is not done again, and training goes on where
# it was stopped: the same command resumes. The new net takes the old one's place in models/ only where a sequential test says
# that it is stronger. FOLDER then holds shards, checkpoints, log.csv and its plot, and the match's journal and report.
#
#   EPOCHS=4 POLICY_EPOCHS=4 TEACHER=models/eut-s.tesla (nnue; no teacher without it)  HOURS=2.5 (eut)
#   TRAIN="--batch 4096 --teacher m.pt --trust 0.7" (more for train.py)  SEED=1  PYTHON=python3  GATE="--games 4000 --sprt 0,10"
set -euo pipefail
fail() {
	echo "train: $*" >&2
	exit 1
}

[ $# -ge 3 ] || fail "usage: scripts/train.sh nnue|eut FOLDER GAMES..."
kind=$1 folder=$2
shift 2
case $kind in nnue | eut) ;; *) fail "$kind: want nnue or eut" ;; esac
for file in "$@"; do [ -r "$file" ] || fail "$file: cannot be read"; done
python=${PYTHON:-python3} seed=${SEED:-1}
"$python" -c 'import numpy, torch' || fail "$python needs numpy and PyTorch"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd) root=$(cd "$(dirname "$0")/.." && pwd)
games=()
for file in "$@"; do games+=("$(realpath "$file")"); done
cd "$root"

# once NAME COMMAND...: unless it was done before.
once() {
	local done=$folder/$1.done
	shift
	[ -e "$done" ] && return
	echo "train: $*"
	"$@"
	touch "$done"
}

if [ ! -e "$folder/shards/manifest.json" ]; then
	go run ./scripts/prepare -out "$folder/shards" "${games[@]}"
fi

curves() { go run ./scripts/curves -plot "$folder/$1.svg" "${@:2}"; }

case $kind in
nnue)
	new=$folder/nnue.tesla old=models/nnue.tesla player=search=lazysmp,backend=nnue,threads=1 limit="--tc 5+0.05"
	[ -z "${TEACHER:-}" ] || once teacher go run ./scripts/prepare -out "$folder/shards" -teacher "$TEACHER"
	# shellcheck disable=SC2086 # TRAIN is words
	once value "$python" scripts/nnue/train.py value --data "$folder/shards" --out "$folder/value" --epochs "${EPOCHS:-4}" \
		--seed "$seed" ${TRAIN:-}
	# shellcheck disable=SC2086
	once policy "$python" scripts/nnue/train.py policy --data "$folder/shards" --out "$folder/policy" \
		--epochs "${POLICY_EPOCHS:-4}" --lr 8e-4 --drop 0.15 --seed "$seed" ${TEACHER:+--trust 0.7} ${TRAIN:-}
	curves loss value.held_value="$folder/value/log.csv" policy.held_policy="$folder/policy/log.csv"
	once export "$python" scripts/nnue/export.py --value "$folder/value/best.pt" --policy "$folder/policy/best.pt" --out "$new"
	once evaluate "$python" scripts/nnue/evaluate.py --data "$folder/shards" --value "$folder/value/best.pt" \
		--policy "$folder/policy/best.pt"
	;;
eut)
	new=$folder/eut-s.tesla old=models/eut-s.tesla player=search=bestfirst,backend=cpu,threads=1 limit="--evals 800"
	[ -e "$folder/schedule" ] || "$python" -c "import time; t = time.time(); print(t, t + 3600 * ${HOURS:-2.5})" >"$folder/schedule"
	read -r start end <"$folder/schedule"
	# shellcheck disable=SC2086 # TRAIN is words
	once train "$python" scripts/train/train.py --data "$folder/shards" --out "$folder/run" \
		--seed "$seed" --start "$start" --end "$end" ${TRAIN:-}
	curves loss policy.policy="$folder/run/log.csv" value.value="$folder/run/log.csv"
	once evaluate "$python" scripts/train/evaluate.py --checkpoint "$folder/run/checkpoint.pt" --data "$folder/shards"
	once export "$python" scripts/train/export.py --checkpoint "$folder/run/checkpoint.pt" --out "$new" \
		--parity "$folder/eut-parity.json" --data "$folder/shards"
	;;
esac

go build -o "$folder/tesla" ./cmd/tesla
backend=${player#*backend=} backend=${backend%%,*}
"$folder/tesla" bench --backend "$backend" --weights "$new" --evals 50 >/dev/null || fail "the new net does not play"
resume=
[ -e "$folder/gate.jsonl" ] && resume=--resume
# shellcheck disable=SC2086 # the flags are words
"$folder/tesla" match --a "name=new,$player,weights=$new" --b "name=old,$player,weights=$old" $limit \
	${GATE:---games 4000 --sprt 0,10} --journal "$folder/gate.jsonl" $resume --report "$folder/gate.html" --json >"$folder/gate.json"
if grep -q '"decision":"H1 accepted"' "$folder/gate.json"; then
	cp "$new" "$old"
	[ "$kind" = nnue ] || cp "$folder/eut-parity.json" models/testdata/
	fit=bestfirst/fits/$(basename "$old" .tesla).json
	echo "train: the new net is stronger and lies in $old, but $fit is of the net before: tesla calibrate fits the new one; see $folder/gate.html"
else
	echo "train: the new net is not known to be stronger; $old stays; see $folder/gate.html"
fi
