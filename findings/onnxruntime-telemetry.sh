#!/usr/bin/env bash
# ONNX Runtime 1.30.0 of npm has telemetry on Linux too, not only on Windows as one remembers: to load one model makes
# an identifier of the device and a database of events under the user's cache folder, and a session file and a log in
# the temporary folder. The library holds the address of Microsoft's collector. ORT_DISABLE_TELEMETRY=1 stops all of
# it.
# It bites who ships a program with this library, or runs it where nothing may be written or sent: in a container with
# a read-only home, in a sandbox, or with a promise to its users that it stays offline.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js onnxruntime-node@1.30.0 onnx-proto@8.0.1
unshare -rn true 2>/dev/null || stop 'no network namespace can be made: without one, telemetry would be sent'
alone=(unshare -rn)

cat >"$work/load.mjs" <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'

const value = (name) => ({ name, type: { tensorType: { elemType: 1 } } })
const model = proto.onnx.ModelProto.encode(proto.onnx.ModelProto.create({
  irVersion: 8,
  opsetImport: [{ domain: '', version: 17 }],
  graph: {
    name: 'g', node: [{ opType: 'Relu', input: ['x'], output: ['y'] }], input: [value('x')], output: [value('y')],
  },
})).finish()
const session = await ort.InferenceSession.create(Buffer.from(model))
await session.run({ x: new ort.Tensor('float32', Float32Array.of(1), [1]) })
JS

# files lists what a program that loads a model and runs it once leaves behind. The arguments are its environment.
files() {
	rm -rf "${work:?}/home" "${work:?}/tmp"
	mkdir "$work/home" "$work/tmp"
	(cd "$work" && env -u XDG_CACHE_HOME "$@" HOME="$work/home" TMPDIR="$work/tmp" "${alone[@]}" node load.mjs)
	(cd "$work" && find home tmp -type f) | sed 's/debug-[0-9]*/debug-N/; /\.db-/d' | sort | paste -sd ' '
}

cache=home/.cache/Microsoft/DeveloperTools/.onnxruntime
library=$work/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1
expect 'left behind' "$cache/deviceid $cache/onnxruntime.db tmp/.ses tmp/mat-debug-N.log" \
	"$(files -u ORT_DISABLE_TELEMETRY | tr ' ' '\n' | LC_ALL=C sort | paste -sd ' ')"
expect 'left behind with ORT_DISABLE_TELEMETRY=1' '' "$(files ORT_DISABLE_TELEMETRY=1)"
expect 'address in the library' mobile.events.data.microsoft.com \
	"$(grep -aom1 'mobile\.events\.data\.microsoft\.com' "$library" | head -1)"
finish
