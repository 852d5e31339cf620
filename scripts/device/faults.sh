#!/usr/bin/env bash
# Tries faults, and prints what comes of each: true if Tesla bears it as it should. Part of scripts/device-check.sh, which sets tesla,
# backend, net and library.
#
#   scripts/device/faults.sh FILE.json PROGRAMS      PROGRAMS: folder of what build makes of scripts/device/faults
#   scripts/device/faults.sh build PROGRAMS          takes a C compiler, and Go, which knows the header of ONNX Runtime
# shellcheck disable=SC2094 # a file is read while it is written
set -uo pipefail
here=$(realpath "$(dirname "$0")")
if [ "$1" = build ]; then
	mkdir -p "$2" && header=$(cd "$here" && go list -m -f '{{.Dir}}' github.com/yalue/onnxruntime_go) &&
		cc -O1 -shared -fPIC -I "$header" -o "$2/provider.so" "$here/faults/provider.c" -ldl &&
		cc -O1 -o "$2/memory" "$here/faults/memory.c" -ldl
	exit
fi
: "${tesla:?}" "${backend:?}" "${net:?}" "${library:?}"
json=$1 fault_programs=$2 scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
faults=(library_missing library_damaged no_device largest_batch wrong_numbers server_dies provider_dies provider_hangs memory_error
	memory_full memory_fills two_processes interrupt_analysis interrupt_match interrupt_server)
address=127.0.0.1:8901
move='^bestmove [a-h]' # a move, not the none of a position without moves
outcomes=$scratch/outcomes
ended='-- the engine has ended --' # the last line of what engine writes

# outcome TITLE COMMAND...: notes whether a command succeeds.
outcome() {
	local title=$1 ok=false
	shift
	if "$@"; then ok=true; fi
	printf '%s\t%s\n' $ok "$title" >>"$outcomes"
}

# not_here TITLE REASON: notes that a fault cannot be tried here.
not_here() { printf 'null\t%s (not tried: %s)\n' "$1" "$2" >>"$outcomes"; }

# await FILE COUNT PATTERN [SECONDS [PROCESS]]: waits until COUNT lines of a file match, at most SECONDS (60), and no longer
# than the process lives, or the engine that writes the file.
await() {
	local try
	for ((try = 0; try < ${4:-60} * 10; try++)); do
		if [ -e "$1" ] && [ "$(grep -c "$3" "$1")" -ge "$2" ]; then return 0; fi
		if grep -qx "$ended" "$1" 2>/dev/null || ! kill -0 "${5:-$$}" 2>/dev/null; then return 1; fi
		sleep 0.1
	done
	return 1
}

# engine FILE LINE...: gives lines to the engine and writes its output to a file. Four lines are not for the engine:
# "await N PATTERN" waits for output, "more PATTERN" for more of it than there is, at most 20 s, "fault WORD" makes the provider
# of provider_fails fail, and "mend" ends that.
engine() {
	local out=$1 line
	shift
	: >"$out"
	{
		for line; do
			case $line in
			await\ *)
				line=${line#await }
				await "$out" "${line%% *}" "${line#* }" || true
				;;
			more\ *) await "$out" $(($(grep -c "${line#more }" "$out") + 1)) "${line#more }" 20 || true ;;
			fault\ *) echo "${line#fault }" >"$scratch/fault.part" && mv "$scratch/fault.part" "$scratch/fault" ;;
			mend) rm -f "$scratch/fault" ;;
			*) echo "$line" ;;
			esac
		done
		echo quit
	} | {
		timeout -k 5 150 "$tesla" >"$out" 2>&1
		echo "$ended" >>"$out"
	}
}

# ask FILE MILLISECONDS LINE...: a move of the engine, after lines that set options.
ask() {
	local out=$1 time=$2
	shift 2
	engine "$out" "$@" "setoption name Backend value $backend" "go movetime $time" "await 1 ^bestmove"
}

# refused FILE PATTERN: the backend does not open, and says why.
refused() { ! "$tesla" eval --backend "$backend" >/dev/null 2>"$1" && grep -q "$2" "$1"; }

quiet() { ! grep -q 'error:' "$1"; }

try_library_missing() {
	export TESLA_ONNXRUNTIME=$scratch/none.so
	outcome "the library is missing: it is said, exit code 1" refused "$scratch/1.log" none.so
	ask "$scratch/2.log" 1000
	outcome "the library is missing in a game: another backend plays" grep -q "$move" "$scratch/2.log"
}

# The provider's library, or where it is part of the main library that one, is no library.
try_library_damaged() {
	local title="the provider's library is damaged" file real folder=$scratch/damaged
	rm -rf "$folder"
	mkdir "$folder"
	for file in "$(dirname "$library")"/*onnxruntime*; do cp -L "$file" "$folder/"; done
	real=$folder/$(basename "$library")
	file=$real
	if [ "$backend" != cpu ]; then file=$folder/libonnxruntime_providers_$backend.so; fi
	echo "this is no library" >"$file"
	export TESLA_ONNXRUNTIME=$real
	outcome "$title: it is said, exit code 1" refused "$scratch/1.log" "$backend\|$(basename "$library")"
	ask "$scratch/2.log" 1000
	outcome "$title, in a game: another backend plays" grep -q "$move" "$scratch/2.log"
	rm -rf "$folder"
}

try_no_device() {
	local title="there is no device"
	case $backend in cuda | tensorrt) ;; *) not_here "$title" "it is for backends of NVIDIA's"; return ;; esac
	export CUDA_VISIBLE_DEVICES=-1
	outcome "$title: it is said, exit code 1" refused "$scratch/1.log" "$backend"
	ask "$scratch/2.log" 1000
	outcome "$title, in a game: another backend plays" grep -q "$move" "$scratch/2.log"
}

try_largest_batch() {
	ask "$scratch/1.log" 2000 "setoption name BatchSize value 1024"
	outcome "batches of 1,024: a move" grep -q "$move" "$scratch/1.log"
	outcome "batches of 1,024: no error" quiet "$scratch/1.log"
}

# A net of which weights are no numbers, with the right checksum.
try_wrong_numbers() {
	local bad=$scratch/wrong.tesla size sum
	size=$(stat -L -c %s "$net")
	head -c $((size - 32)) "$net" >"$bad.part"
	printf '\377%.0s' $(seq 64) | dd of="$bad.part" bs=1 seek=$((size * 3 / 4)) conv=notrunc status=none
	sum=$(sha256sum <"$bad.part" | cut -d' ' -f1)
	{
		cat "$bad.part"
		# shellcheck disable=SC2001,SC2059 # the bytes of the sum, which is written in hexadecimal
		printf "$(sed 's/../\\x&/g' <<<"$sum")"
	} >"$bad"
	ask "$scratch/1.log" 2000 "setoption name WeightsFile value $bad"
	rm -f "$bad" "$bad.part"
	outcome "results that are no numbers: another backend takes over" grep -q 'takes over' "$scratch/1.log"
	outcome "results that are no numbers: a move" grep -q "$move" "$scratch/1.log"
}

# serve starts a server and waits until it answers. Its process is $server.
serve() {
	"$tesla" serve --backend "$backend" --listen "$address" >"$scratch/serve.log" 2>&1 &
	server=$!
	await "$scratch/serve.log" 1 "$address" 60 $server
}

try_server_dies() {
	: >"$scratch/1.log"
	serve
	(await "$scratch/1.log" 1 '^info depth' && sleep 1 && kill -9 $server) &
	engine "$scratch/1.log" "setoption name Server value $address" "setoption name Backend value remote" "go movetime 5000" \
		"await 1 ^bestmove"
	wait 2>/dev/null
	outcome "a server dies: another backend takes over" grep -q 'takes over' "$scratch/1.log"
	outcome "a server dies: a move" grep -q "$move" "$scratch/1.log"
}

# provider_fails TITLE WORD MILLISECONDS: the provider fails within a move that takes so long, and works again in the next.
provider_fails() {
	local title=$1 file folder=$scratch/faulty
	if [ ! -e "$fault_programs/provider.so" ]; then
		not_here "$title" "provider.so of scripts/device/faults is not there"
		return
	fi
	rm -rf "$folder"
	mkdir "$folder"
	cp "$fault_programs/provider.so" "$folder/"
	for file in "$(dirname "$library")"/*onnxruntime_providers*; do [ ! -e "$file" ] || ln -s "$(realpath "$file")" "$folder/"; done
	rm -f "$scratch/fault"
	export TESLA_ONNXRUNTIME=$folder/provider.so REAL_ONNXRUNTIME=$library FAULT=$scratch/fault
	engine "$scratch/1.log" "setoption name Backend value $backend" "go movetime $3" "await 1 ^info depth" "fault $2" \
		"await 1 ^bestmove" mend "go infinite" "more answers again" stop "await 2 ^bestmove"
	rm -f "$scratch/fault"
	outcome "$title: another backend takes over" grep -q "backend $backend.*takes over" "$scratch/1.log"
	outcome "$title: a move" grep -q "$move" "$scratch/1.log"
	sed '1,/^bestmove/d' "$scratch/1.log" >"$scratch/2.log" # the second move
	outcome "$title: it is used again when it works again" grep -q "backend $backend answers again" "$scratch/2.log"
}

try_provider_dies() { provider_fails "the provider dies" error 2000; }
try_provider_hangs() { provider_fails "the provider hangs" hang 5000; }
try_memory_error() { provider_fails "the provider is out of memory" memory 2000; }

# fill takes the memory of the GPU, and returns when it has. Its process is $filler.
fill() {
	"$fault_programs/memory" 64 >"$scratch/memory.log" 2>&1 &
	filler=$!
	await "$scratch/memory.log" 1 '^full' 30 $filler
}

# can_fill TITLE: notes where the memory of the device cannot be filled.
can_fill() {
	case $backend in cuda | tensorrt) ;; *) not_here "$1" "it is for backends of NVIDIA's"; return 1 ;; esac
	[ -x "$fault_programs/memory" ] || { not_here "$1" "memory of scripts/device/faults is not there"; return 1; }
}

try_memory_full() {
	local title="the device's memory is full"
	can_fill "$title" || return 0
	fill || { kill "$filler"; return 1; }
	outcome "$title: it is said, exit code 1" refused "$scratch/1.log" "$backend"
	ask "$scratch/2.log" 2000
	kill "$filler"
	wait "$filler" 2>/dev/null
	outcome "$title, in a game: it is said" grep -q 'info string error' "$scratch/2.log"
	outcome "$title, in a game: a move" grep -q "$move" "$scratch/2.log"
	sleep 1
	ask "$scratch/3.log" 1000
	outcome "the memory is free again: no error" quiet "$scratch/3.log"
}

try_memory_fills() {
	local title="the device's memory becomes full during a move" rc=0 engine
	can_fill "$title" || return 0
	: >"$scratch/1.log"
	ask "$scratch/1.log" 8000 &
	engine=$!
	if ! { await "$scratch/1.log" 1 '^info depth' && fill; }; then rc=1; fi
	wait "$engine"
	kill "$filler"
	wait "$filler" 2>/dev/null
	[ $rc = 0 ] || return 1
	outcome "$title: a move" grep -q "$move" "$scratch/1.log"
}

try_two_processes() {
	local first
	ask "$scratch/1.log" 3000 &
	first=$!
	ask "$scratch/2.log" 3000
	wait $first
	cat "$scratch/1.log" "$scratch/2.log" >"$scratch/3.log"
	outcome "two processes on one device: a move of each" [ "$(grep -c "$move" "$scratch/3.log")" = 2 ]
	outcome "two processes on one device: no error" quiet "$scratch/3.log"
}

try_interrupt_analysis() {
	local rc=0
	"$tesla" analyze --backend "$backend" --movetime 60s >"$scratch/1.log" 2>&1 &
	await "$scratch/1.log" 1 depth 60 $!
	kill -INT $!
	wait $!
	outcome "Ctrl-C ends an analysis with its move" grep -q '^best [a-h]' "$scratch/1.log"
	# While the backend opens.
	timeout --foreground -s INT -k 20 0.3 "$tesla" bench --backend "$backend" --evals 1000000 >"$scratch/2.log" 2>&1 || rc=$?
	outcome "Ctrl-C while the backend opens: the command ends within 20 s" [ $rc = 124 ]
}

try_interrupt_match() {
	local journal=$scratch/interrupt.jsonl rc=0
	rm -f "$journal"
	"$tesla" match --a "name=a,backend=$backend" --b "name=b,backend=$backend" --games 1000 --evals 20 --maxmoves 20 \
		--journal "$journal" >"$scratch/1.log" 2>&1 &
	await "$journal" 1 '^{"game":0' 60 $!
	kill -INT $!
	wait $! || rc=$?
	outcome "Ctrl-C ends a match with exit code 1" [ $rc = 1 ]
	outcome "Ctrl-C in a match: the result is marked as not final" grep -q 'Not final' "$scratch/1.log"
}

try_interrupt_server() {
	local rc=0
	serve
	kill -INT $server
	wait $server || rc=$?
	outcome "Ctrl-C ends a server with exit code 0" [ $rc = 0 ]
}

# Each in a shell of its own: some change the environment.
for fault in "${faults[@]}"; do (try_"$fault"); done
sed 's/^\([a-z]*\)\t\(.*\)/\2: \1/' "$outcomes"
{
	echo '{'
	sed 's/^\([a-z]*\)\t\(.*\)/"\2":\1,/; $ s/,$//' "$outcomes"
	echo '}'
} >"$json"
