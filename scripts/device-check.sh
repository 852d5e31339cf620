#!/usr/bin/env bash
# Measures Tesla on a machine with an NVIDIA GPU, and tries how it bears failures there. Writes report.json and report.md.
#
#   scripts/device-check.sh [FOLDER]        default: device-report
#
# Needs the program and ONNX Runtime with its providers, nothing else: both may be carried to the machine.
#   TESLA=build/tesla  BACKEND=cuda  MODELS=models: nets to measure, *.tesla of the kind EUT  GAMES=20  TC=5+0.05  EVALS=20000  PAIRS=7  MOVETIME=3s
# Where the backend does not load it says why and ends with 0.
set -euo pipefail
folder=${1:-device-report} tesla=${TESLA:-build/tesla} backend=${BACKEND:-cuda} models=${MODELS:-models}
games=${GAMES:-20} tc=${TC:-5+0.05} evals=${EVALS:-20000} pairs=${PAIRS:-7} movetime=${MOVETIME:-3s}
[ -x "$tesla" ] || {
	echo "device-check: $tesla is no program; make build, or set TESLA" >&2
	exit 1
}
mkdir -p "$folder"
if ! reason=$("$tesla" eval --backend "$backend" --json 2>&1 >/dev/null); then
	echo "device-check: skipped: $reason"
	exit 0
fi
device=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null || echo none)
report=$folder/report.md
{
	echo "# Device check"
	echo
	echo "- device: $device"
	echo "- processor: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) threads"
	echo "- $("$tesla" version | head -1)"
	echo "- backend $backend"
} >"$report"

# section TITLE FILE: a file as it is.
section() {
	printf '\n## %s\n\n' "$1"
	sed 's/^/    /' "$2"
} >>"$report"

"$tesla" doctor --json >"$folder/doctor.json"
nets=
for net in "$models"/*.tesla; do
	name=$(basename "$net" .tesla)
	"$tesla" backendbench --backend "$backend" --weights "$net" --search bestfirst --pairs "$pairs" --movetime "$movetime" \
		--report "$folder/$name" >"$folder/$name.log" 2>&1 || {
		echo "device-check: $name: $(tail -1 "$folder/$name.log")" >&2 # another kind of net, or too large for the device
		continue
	}
	section "Evaluations a second: $name" "$folder/$name/backendbench.txt"
	measured=$net
	nets+="${nets:+,}\"$name\":$(cat "$folder/$name/backendbench.json")"
done

"$tesla" bench --search bestfirst --backend "$backend" --evals "$evals" --json >"$folder/bench.json"
section "Bench" "$folder/bench.json"
player="search=bestfirst,backend=$backend"
"$tesla" match --a "name=a,$player" --b "name=b,$player" --games "$games" --tc "$tc" --json >"$folder/games.json"
section "$games games against itself, $tc s" "$folder/games.json"

failures=
# outcome NAME CONDITION...: notes whether a condition holds.
outcome() {
	local name=$1 ok=false
	shift
	if "$@"; then ok=true; fi
	failures+="${failures:+,}\"$name\":$ok"
	echo "$name: $ok" >>"$folder/failures.txt"
}
# play FILE SECONDS OPTION...: lets the engine think with options, and writes what it says.
play() {
	local out=$1 seconds=$2
	shift 2
	{
		for option in "$@"; do echo "setoption name $option"; done
		echo "go movetime $((seconds * 1000))"
		sleep $((seconds + 4))
		echo quit
	} | "$tesla" >"$out" 2>&1
}
: >"$folder/failures.txt"

mkdir -p "$folder/empty"
outcome "library missing: said, exit 1" bash -c \
	"! TESLA_ONNXRUNTIME='$folder/empty/none.so' '$tesla' eval --backend '$backend' >/dev/null 2>'$folder/missing.log' && grep -q none.so '$folder/missing.log'"
TESLA_ONNXRUNTIME=$folder/empty/none.so play "$folder/fallback.log" 2 "Backend value $backend"
outcome "library missing in a game: another backend plays" grep -q '^bestmove [a-h]' "$folder/fallback.log"

play "$folder/large.log" 2 "BatchSize value 1024" "Backend value $backend"
outcome "the largest batch: a move" grep -q '^bestmove [a-h]' "$folder/large.log"

# A net of which weights are no numbers.
net=${measured:?no net of $models could be measured} bad=$folder/nan.tesla
size=$(stat -c %s "$net")
head -c $((size - 32)) "$net" >"$bad.part"
printf '\377%.0s' $(seq 64) | dd of="$bad.part" bs=1 seek=$((size * 3 / 4)) conv=notrunc status=none
sum=$(sha256sum "$bad.part" | cut -d' ' -f1)
{
	cat "$bad.part"
	# shellcheck disable=SC2001,SC2059 # the bytes of the sum, which is written in hexadecimal
	printf "$(sed 's/../\\x&/g' <<<"$sum")"
} >"$bad"
play "$folder/nan.log" 3 "Backend value $backend" "WeightsFile value $bad"
outcome "outputs that are no numbers: another backend takes over" grep -q 'takes over' "$folder/nan.log"
outcome "outputs that are no numbers: a move" grep -q '^bestmove [a-h]' "$folder/nan.log"

# A server that dies while it is asked.
"$tesla" serve --backend "$backend" --listen 127.0.0.1:8901 >"$folder/serve.log" 2>&1 &
server=$!
sleep 5
(
	sleep 3
	kill -9 $server
) &
play "$folder/remote.log" 6 "Server value 127.0.0.1:8901" "Backend value remote"
wait 2>/dev/null || true
outcome "a server that dies: another backend takes over" grep -q 'takes over' "$folder/remote.log"
outcome "a server that dies: a move" grep -q '^bestmove [a-h]' "$folder/remote.log"

# Ctrl-C ends an analysis with its result.
"$tesla" analyze --backend "$backend" --movetime 60s >"$folder/interrupt.log" 2>&1 &
sleep 4
kill -INT $!
wait $! || true
outcome "an interrupt ends an analysis with its move" grep -q '^best [a-h]' "$folder/interrupt.log"

section "Failures" "$folder/failures.txt"
printf '{"device":"%s","backend":"%s","doctor":%s,"nets":{%s},"bench":%s,"games":%s,"failures":{%s}}\n' "$device" "$backend" \
	"$(cat "$folder/doctor.json")" "$nets" "$(cat "$folder/bench.json")" "$(cat "$folder/games.json")" "$failures" >"$folder/report.json"
echo "device-check: $folder/report.md and report.json"
! grep -q ': false$' "$folder/failures.txt"
