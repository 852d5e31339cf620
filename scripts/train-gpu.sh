#!/usr/bin/env bash
# Trains nets on a machine with a GPU that is lent for half an hour. It needs Python with numpy, PyTorch and onnx, a C compiler,
# this checkout, and the pieces that pack makes.
#
#   scripts/train-gpu.sh pack SHARDS FOLDER        here: packs the shards as FOLDER/pieces/*
#   scripts/train-gpu.sh run FOLDER [PIECES...]    there: trains a teacher, its students (EUT and nnue's policy), and writes FOLDER/out
#   scripts/train-gpu.sh join OUT                  here: joins the parts of large files in OUT, and checks all sums
#
# run takes the pieces of FOLDER/pieces, or those that are named. It stops within LIMIT seconds. Exit code 75 says that steps are
# left, and the same command goes on with them. FOLDER/out holds what is ready: nets, teachers for later runs, report.md, report.json.
#
#   PIECE=20M, PART=15M: the largest piece, and the largest file in FOLDER/out   LIMIT=540   SEED=1   PYTHON=python3
#   MINUTES=15 of training; SPLIT="2 2 1": its shares for teacher, student and nnue's policy (0: no policy)
#   TEACHER_SIZE=M  STUDENT_SIZE=S (see train.py --size)  HELD=30000: held-out positions for the figures
#   TEACHER="--batch 4096 --lr 4e-3"  STUDENT="--batch 4096 --trust 0.7"  POLICY="--lr 8e-4 --drop 0.15 --trust 0.7": for the trainers
set -euo pipefail
began=$(date +%s)
fail() {
	echo "train-gpu: $*" >&2
	exit 1
}
usage() { fail "usage: scripts/train-gpu.sh pack SHARDS FOLDER | run FOLDER [PIECES...] | join OUT"; }

[ $# -ge 2 ] || usage
python=${PYTHON:-python3} verb=$1
shift
paths=()
for path in "$@"; do paths+=("$(realpath -m "$path")"); done
set -- "${paths[@]}"
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. scripts/pieces.sh

pack() {
	local shards=$1 folder=$2
	[ -r "$shards/manifest.json" ] || fail "$shards holds no complete shards: there is no manifest.json"
	"$python" scripts/shards/columns.py pack "$shards" "$folder/packed"
	pack_pieces "$folder/packed" "$folder" "${PIECE:-20M}"
	rm -r "$folder/packed"
}

# unpack PIECES...: the shards out of the pieces.
unpack() {
	unpack_pieces "$folder" "$folder/packed" "$@"
	"$python" scripts/shards/columns.py unpack "$folder/packed" "$folder/shards"
	rm -r "$folder/packed"
}

left="" failed=""
# step NAME COMMAND...: unless it was done before. What there is no time for goes to `left`, as does all that follows.
step() {
	local name=$1 code=0 seconds=$((began + limit - $(date +%s)))
	shift
	[ ! -e "$folder/$name.done" ] || return 0
	if [ -z "$left" ] && [ "$seconds" -gt $((limit / 9)) ]; then
		echo "train-gpu: $name: $*"
		timeout --foreground --kill-after=5 "$seconds" "$@" || code=$?
		case $code in
		0) touch "$folder/$name.done" && return ;;
		75 | 124 | 137) ;; # by --until, or by timeout
		*) failed=$name ;;
		esac
	fi
	left+=" $name"
}

# eut NAME SIZE SECONDS NET OPTIONS...: trains an EUT, measures it, and exports it as NET.
eut() {
	local name=$1 size=$2 seconds=$3 net=$4 checkpoint=$folder/$1/checkpoint.pt label=${2%%,*}
	shift 4
	step "$name" "$python" scripts/train/train.py --data "$folder/shards" --out "$folder/$name" --size "$size" --seconds "$seconds" \
		--until "$until" --seed "$seed" "$@"
	step "$name-figures" "$python" scripts/train/evaluate.py --checkpoint "$checkpoint" --data "$folder/shards" --limit "${HELD:-30000}" \
		--threads "$(nproc)" --json "$folder/$name.json"
	step "$name-net" "$python" scripts/train/export.py --checkpoint "$checkpoint" --data "$folder/shards" --out "$net" \
		--name "eut-${label,,}" --slim "$folder/nets/$name.pt" --parity "$folder/nets/$name-parity.json"
}

# bring_out: FOLDER/out from what is ready. The sums are those of whole files.
bring_out() {
	local out=$folder/out.new file
	rm -rf "$out" "$folder"/nets/*.new
	mkdir "$out"
	"$python" scripts/train/report.py "$folder" "$folder/nets"
	for file in "$folder"/nets/*; do
		cut_up "$out/${file##*/}" "${PART:-15M}" <"$file"
		[ -e "$out/${file##*/}.part001" ] || mv "$out/${file##*/}.part000" "$out/${file##*/}"
	done
	(cd "$folder/nets" && sha256sum -- * >"$out/SHA256SUMS")
	rm -rf "$folder/out"
	mv "$out" "$folder/out"
}

run() {
	folder=$1 limit=${LIMIT:-540} seed=${SEED:-1}
	shift
	until=$((began + limit - limit / 10))
	command -v cc >/dev/null || fail "there is no C compiler, cc"
	"$python" -c 'import lzma, numpy, onnx, torch' || fail "$python needs numpy, PyTorch and onnx"
	[ -e "$folder/shards/manifest.json" ] || unpack "$@"
	mkdir -p "$folder/nets"
	local teacher student policy
	read -r teacher student policy < <("$python" -c 'import sys
parts = [float(x) for x in sys.argv[2].split()]
print(*(round(60 * float(sys.argv[1]) * part / sum(parts)) for part in parts))' "${MINUTES:-15}" "${SPLIT:-2 2 1}")

	# shellcheck disable=SC2086 # TEACHER, STUDENT and POLICY are words
	{
		eut teacher "${TEACHER_SIZE:-M}" "$teacher" "$folder/teacher.tesla" ${TEACHER:---batch 4096 --lr 4e-3}
		step teacher-file "$python" scripts/train/precision.py "$folder/teacher.tesla" "$folder/nets/teacher.tesla"
		eut student "${STUDENT_SIZE:-S}" "$student" "$folder/nets/student.tesla" --teacher "$folder/teacher/checkpoint.pt" \
			${STUDENT:---batch 4096 --trust 0.7}
		if [ "$policy" -gt 0 ]; then
			step teach "$python" scripts/train/teach.py --checkpoint "$folder/teacher/checkpoint.pt" --data "$folder/shards"
			step policy "$python" scripts/nnue/train.py policy --data "$folder/shards" --out "$folder/policy" --seconds "$policy" \
				--until "$until" --seed "$seed" ${POLICY:---lr 8e-4 --drop 0.15 --trust 0.7}
			step policy-net "$python" scripts/nnue/export.py --value models/nnue.tesla --policy "$folder/policy/best.pt" \
				--out "$folder/nets/nnue.tesla"
		fi
	}
	bring_out
	[ -z "$failed" ] || fail "$failed failed; the same command tries it again; left:$left"
	if [ -n "$left" ]; then
		echo "train-gpu: the time is up; the same command goes on; left:$left"
		exit 75
	fi
	echo "train-gpu: done: $folder/out"
}

join() {
	local out=$1 first
	for first in "$out"/*.part000; do
		[ ! -e "$first" ] || cat "${first%000}"??? >"${first%.part000}"
	done
	check_pieces "$out/SHA256SUMS" "$out"/*
	rm -f "$out"/*.part???
	cat "$out/report.md"
}

case $verb in
pack | run | join) "$verb" "$@" ;;
*) usage ;;
esac
