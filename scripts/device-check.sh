#!/usr/bin/env bash
# Measures Tesla on a machine with an NVIDIA GPU that is lent for half an hour, and tries how it bears failures there.
#
#   scripts/device-check.sh pack FOLDER               here: the program, ONNX Runtime, nets and Stockfish as FOLDER/pieces/*
#   scripts/device-check.sh run FOLDER [PIECES...]    there: measures, and writes FOLDER/report.md and FOLDER/report.json
#
# run unpacks the pieces, if there are any; without them it takes what lies here. It stops within LIMIT seconds. Exit code 75 says that
# steps are left, and the same command goes on with them. The report is written after every step. Where the backend does not load,
# run says why and ends with 0.
#   TESLA=build/tesla   ORT: folder of ONNX Runtime and its providers (pack)   STOCKFISH=stockfish
#   MODELS=models: a folder of nets of the kind EUT. The matches take the first of NETS="eut-m eut-s eut-l" that is there.
#   BACKEND=cuda  LIMIT=540  PIECE=20M  TC=3+0.03  GAMES=40  PUCT="12800 50000"  PUCT_GAMES=100  SLICE=80: seconds of a match
#   in each round
#   BENCH="--time 100ms --pairs 3 --movetime 2s"  SPEEDUP="--threads 2,4,8,16 --time 300ms --repeat 2"
set -euo pipefail
began=$(date +%s)
fail() {
	echo "device-check: $*" >&2
	exit 1
}
[ $# -ge 2 ] || fail "usage: scripts/device-check.sh pack FOLDER | run FOLDER [PIECES...]"
verb=$1 folder=$(realpath -m "$2")
shift 2
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
. "$here/pieces.sh"
export COMPRESS=${COMPRESS:-xz -T0}

pack() {
	local kit=$folder/kit stockfish
	mkdir -p "$kit/models" "$kit/ort"
	cp "${TESLA:-build/tesla}" "$kit/tesla"
	cp -L "${ORT:?name the folder of ONNX Runtime}"/*.so* "$kit/ort"
	cp "${MODELS:-models}"/*.tesla "$kit/models"
	stockfish=$(command -v "${STOCKFISH:-stockfish}") && cp "$stockfish" "$kit/stockfish"
	"$here/device/faults.sh" build "$kit/faults"
	pack_pieces "$kit" "$folder" "${PIECE:-20M}"
	rm -r "$kit"
}

# seconds_left is the time that is left.
seconds_left() { echo $((began + ${LIMIT:-540} - $(date +%s))); }

left=""
# due NAME SECONDS: whether a step that takes so long is to be done now. It goes to `left` where there is no time for it.
due() {
	[ ! -e "$results/$1.done" ] || return 1
	if [ "$2" -gt "$(seconds_left)" ]; then
		left+=" $1"
		return 1
	fi
	echo "device-check: $1"
}

# ended NAME CODE: notes that a step has ended, and where it failed why.
ended() {
	[ "$2" = 0 ] || { echo "exit code $2:" && tail -5 "$results/$1.log"; } >>"$results/$1.txt"
	touch "$results/$1.done"
}

# step NAME SECONDS COMMAND...: unless it was done before. It is not begun where it may not end in time. Its output is NAME.txt; COMMAND
# may write NAME.json.
step() {
	local name=$1 code=0
	due "$name" "$2" || return 0
	shift 2
	timeout --kill-after=5 "$(seconds_left)" "$@" >"$results/$name.txt" 2>"$results/$name.log" || code=$?
	ended "$name" $code
	report
}

# part NAME SECONDS COMMAND...: a step that is interrupted after SECONDS and goes on in the next round. COMMAND keeps a journal, NAME.jsonl.
# Where that has not grown, the next round gets twice the time.
part() {
	local name=$1 most=$2 code=0 journal=$results/$1.jsonl resume=() size=0
	shift 2
	[ ! -s "$results/$name.seconds" ] || most=$(cat "$results/$name.seconds")
	due "$name" "$most" || return 0
	[ ! -s "$journal" ] || { resume=(--resume) && size=$(stat -c %s "$journal"); }
	timeout --signal=INT --kill-after=10 "$most" "$@" --journal "$journal" "${resume[@]}" >"$results/$name.txt" 2>"$results/$name.log" || code=$?
	case $code in
	124 | 130 | 137)
		left+=" $name"
		[ -s "$journal" ] && [ "$(stat -c %s "$journal")" -gt "$size" ] || echo $((2 * most)) >"$results/$name.seconds"
		;;
	*) ended "$name" $code ;;
	esac
	report
}

# bench NET: by all plans; where one of them crashes, by the usual one.
bench() {
	local json=$results/backendbench-$1
	# shellcheck disable=SC2086 # BENCH is words
	set -- "$tesla" backendbench --backend "$backend" --weights "$models/$1.tesla" --search bestfirst --report "$json" \
		${BENCH:---time 100ms --pairs 3 --movetime 2s}
	"$@" --plans || { echo "with --plans: exit code $?" && "$@"; }
	cp "$json/backendbench.json" "$json.json"
}

# doctor NAME OPTION...: tesla doctor as text and JSON.
doctor() {
	local name=$1
	shift
	"$tesla" doctor "$@" --json >"$results/$name.json" || true
	"$tesla" doctor "$@"
}

# matches: a slice of each.
matches() {
	local player="search=bestfirst,backend=$backend,weights=$net" evals cores
	local clock=(--tc "${TC:-3+0.03}" --games "${GAMES:-40}") one=(--concurrency 1 --oversubscribe --openings unbalanced)
	cores=$(($(nproc) > 2 ? $(nproc) - 2 : 1))
	if [ -n "$stockfish" ]; then
		part match-stockfish "$slice" "$tesla" match --a "name=tesla,$player" --b "name=stockfish,cmd=$stockfish,option.Threads=1" \
			"${clock[@]}" "${one[@]}"
	fi
	part match-lazysmp-1 "$slice" "$tesla" match --a "name=tesla,$player" --b name=lazysmp,search=lazysmp,backend=nnue,threads=1 \
		"${clock[@]}" "${one[@]}"
	part match-lazysmp-$cores "$slice" "$tesla" match --a "name=tesla,$player" \
		--b name=lazysmp,search=lazysmp,backend=nnue,threads=$cores "${clock[@]}" "${one[@]}"
	for evals in ${PUCT:-12800 50000}; do
		part "match-puct-$evals" "$slice" "$tesla" match --a "name=bestfirst,$player" --b "name=puct,search=puct,${player#*,}" \
			--evals "$evals" --games "${PUCT_GAMES:-100}" "${one[@]}"
	done
}

speedups() {
	local search
	for search in lazysmp mtdf pvsplit jamboree; do
		# shellcheck disable=SC2086 # SPEEDUP is words
		part speedup-$search "$slice" "$tesla" speedup --search $search --backend nnue --report "$results/speedup-$search" \
			${SPEEDUP:---threads 2,4,8,16 --time 300ms --repeat 2}
		[ ! -s "$results/speedup-$search/speedup.json" ] || cp "$results/speedup-$search/speedup.json" "$results/speedup-$search.json"
	done
}

# scores: what the journals of the matches say so far.
scores() {
	local journal name player
	for journal in "$results"/match-*.jsonl; do
		[ -s "$journal" ] || continue
		name=${journal%.jsonl} player=tesla
		[[ $name != *puct* ]] || player=bestfirst
		"$tesla" match --stats "$journal" --a name=$player >"$name.txt" 2>/dev/null || continue
		"$tesla" match --stats "$journal" --a name=$player --json >"$name.json"
	done
}

report() {
	local file name
	scores
	{
		echo "# Device check"
		echo
		cat "$folder/facts.txt"
		for file in "$results"/*.txt; do
			name=${file##*/}
			printf '\n## %s\n\n' "${name%.txt}"
			sed 's/^/    /' "$file"
		done
	} >"$folder/report.md"
	{
		printf '{"device":"%s","backend":"%s"' "$device" "$backend"
		for file in "$results"/*.json; do
			name=${file##*/}
			[ ! -s "$file" ] || printf ',"%s":%s' "${name%.json}" "$(cat "$file")"
		done
		echo '}'
	} >"$folder/report.json"
}

run() {
	local kit=$folder/kit reason name programs=
	results=$folder/results
	mkdir -p "$results"
	if [ ! -e "$kit" ] && { [ $# -gt 0 ] || [ -e "$folder/pieces" ]; }; then
		unpack_pieces "$folder" "$folder/kit.new" "$@"
		mv "$folder/kit.new" "$kit"
	fi
	tesla=$(realpath "${TESLA:-build/tesla}") models=$(realpath "${MODELS:-models}") stockfish=$(command -v "${STOCKFISH:-stockfish}" || true)
	if [ -e "$kit" ]; then
		tesla=$kit/tesla models=$kit/models stockfish=$kit/stockfish
		export TESLA_ONNXRUNTIME=$kit/ort/libonnxruntime.so.1
		programs=$kit/faults
		[ -x "$stockfish" ] || stockfish=
	fi
	[ -x "$tesla" ] || fail "$tesla is no program; make build, or set TESLA"
	if [ -z "$programs" ]; then
		programs=$folder/faults
		"$here/device/faults.sh" build "$programs" || echo "device-check: some faults will not be tried"
	fi
	library=$("$tesla" doctor --json | sed -n 's/.*"name":"cpu","ok":true,"text":"\([^"]*\) (ONNX Runtime.*/\1/p')
	backend=${BACKEND:-cuda} slice=${SLICE:-80} net=""
	if ! reason=$("$tesla" eval --backend "$backend" --json 2>&1 >/dev/null); then
		echo "device-check: skipped: $reason"
		exit 0
	fi
	device=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo none)
	{
		echo "- device: $device"
		echo "- processor: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) threads"
		echo "- $("$tesla" version | head -1)"
		echo "- backend $backend"
	} >"$folder/facts.txt"
	local names=()
	for name in ${NETS:-eut-m eut-s eut-l}; do [ ! -e "$models/$name.tesla" ] || names+=("$name"); done
	[ ${#names[@]} -gt 0 ] || fail "$models has none of the nets"
	net=$models/${names[0]}.tesla
	export -f bench doctor
	export tesla backend models results net library BENCH

	step doctor 10 bash -c 'doctor doctor'
	step "backendbench-${names[0]}" "$slice" bash -c "bench ${names[0]}"
	step verify $((slice / 2)) bash -c 'doctor verify --verify'
	matches
	step faults $((2 * slice)) "$here/device/faults.sh" "$results/faults.json" "$programs"
	for name in "${names[@]:1}"; do step "backendbench-$name" "$slice" bash -c "bench $name"; done
	speedups
	while [ -n "$left" ] && [ "$(seconds_left)" -gt "$slice" ]; do
		left=""
		matches
		speedups
	done
	report
	if [ -n "$left" ]; then
		echo "device-check: the time is up; the same command goes on; left:$left"
		exit 75
	fi
	echo "device-check: $folder/report.md and report.json"
	! grep -q ': false$' "$results/faults.txt"
}

case $verb in
pack | run) "$verb" "$@" ;;
*) fail "unknown command $verb, want pack or run" ;;
esac
