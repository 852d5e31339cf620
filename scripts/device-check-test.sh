#!/usr/bin/env bash
# A dry run of scripts/device-check.sh on the CPU, in small: it is packed, stopped and goes on. Three minutes. It takes
# ONNX Runtime's folder from the user's cache; without Stockfish the match against it is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
	echo "device-check-test: $*" >&2
	exit 1
}
work=$folder/work stockfish=$(PATH=$PATH:/usr/games command -v stockfish || true)
mkdir "$folder/models"
cp models/eut-s.tesla "$folder/models"
go build -o "$folder/tesla" ./cmd/tesla
libraries=(~/.cache/tesla/onnxruntime-*)
export TESLA=$folder/tesla MODELS=$folder/models ORT=${libraries[0]} STOCKFISH=${stockfish:-none} BACKEND=cpu PIECE=20M COMPRESS="xz -1"
export SLICE=8 TC=0.3+0.01 GAMES=4 PUCT=20 PUCT_GAMES=12 BENCH="--time 5ms --pairs 1 --movetime 200ms --maxbatch 4"
export SPEEDUP="--threads 2 --depth 4 --repeat 1" TESLA_ONNXRUNTIME=${libraries[0]}/libonnxruntime.so.1 XDG_CACHE_HOME=$folder/cache

# run CODE TEXT LIMIT PIECES...: a run ends with that code and says TEXT.
run() {
	local want=$1 text=$2 limit=$3 code=0 said
	shift 3
	said=$(LIMIT=$limit scripts/device-check.sh run "$work" "$@" 2>&1) || code=$?
	echo "$said"
	[[ $code == "$want" && $said == *"$text"* ]] || fail "exit code $code, want $want and '$text'"
}

scripts/device-check.sh pack "$work"
mkdir "$folder/there"
cp "$work"/pieces/* "$folder/there"
rm "$folder/there/pieces.part001"
run 1 "missing: pieces.part001;" 60 "$folder/there"/*
cp "$work/pieces/pieces.part000" "$folder/there/pieces.part001"
run 1 "damaged: pieces.part001" 60 "$folder/there"/*

run 75 "the same command goes on; left:" 30
[ -e "$work/results/match-puct-20.jsonl" ] || fail "no match was begun"
[ ! -e "$work/results/match-puct-20.done" ] || fail "nothing was left to go on with"
cp "$work/results/match-puct-20.jsonl" "$folder/before.jsonl"
cp -p "$work/results/doctor.txt" "$folder/doctor.txt"
run 0 "report.md and report.json" 540
cmp -n "$(stat -c %s "$folder/before.jsonl")" "$folder/before.jsonl" "$work/results/match-puct-20.jsonl" || fail "games were played again"
[ ! "$work/results/doctor.txt" -nt "$folder/doctor.txt" ] || fail "a step that was done was repeated"

python3 - "$work/report.json" "$work/report.md" "$stockfish" <<'END'
import json, sys
report, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
bench = report["backendbench-eut-s"]
assert len(bench["plans"]) == 3 and all(p["rate"] > 0 and p["rows"][-1]["eps_median"] > 0 for p in bench["plans"]), bench
assert 0 < bench["search"]["ratio"] < 3, bench["search"]
assert report["match-puct-20"]["games"] == 12 and report["match-lazysmp-1"]["games"] == 4, report
assert not sys.argv[3] or report["match-stockfish"]["games"] == 4, report
assert sum(v is True for v in report["faults"].values()) >= 20 and not any(v is False for v in report["faults"].values()), report["faults"]
for search in ("lazysmp", "mtdf", "pvsplit", "jamboree"):
    assert report["speedup-" + search]["search"] == search
for name in report:
    assert name in ("device", "backend") or f"\n## {name}\n" in text, name
END
