#!/usr/bin/env bash
# A tensor that is rounded to int8 twice, as where the output of one quantized net is the input of the next, is rounded by
# ONNX Runtime to a third grid instead, that neither net asked for: it takes the range that both cover and divides it in
# 255 steps. With scale 1 twice, and zero points 0 and -100, both nets pass on whole numbers, and 1 comes out as 1.21569.
# With scales 1 and 2 the result is not a multiple of 2. The level "basic", said to keep what a model computes, does it
# too; "disabled" does what the operators say.
# It bites who joins a trunk and a head that were quantized apart, and compares with another runtime bit for bit.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js onnxruntime-node@1.30.0 onnx-proto@8.0.1

cat >"$work/twice.mjs" <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'

const float = 1
const int8 = 3
const value = (name) => ({ name, type: { tensorType: { elemType: float, shape: { dim: [{ dimValue: 6 }] } } } })
const scale = (name, n) => ({ name, dataType: float, dims: [], rawData: new Uint8Array(Float32Array.of(n).buffer) })
const zero = (name, n) => ({ name, dataType: int8, dims: [], rawData: new Uint8Array(Int8Array.of(n).buffer) })
const node = (opType, input, output) => ({ opType, input, output: [output] })
const x = new ort.Tensor('float32', Float32Array.of(0, 1, 2, 3, 10, -20), [6])

// run rounds x to the first scale and zero point, then to the second.
async function run(title, [scale1, zero1], [scale2, zero2]) {
  const model = proto.onnx.ModelProto.encode(proto.onnx.ModelProto.create({
    irVersion: 8,
    opsetImport: [{ domain: '', version: 17 }],
    graph: {
      name: 'g',
      node: [
        node('QuantizeLinear', ['x', 's1', 'z1'], 'a'), node('DequantizeLinear', ['a', 's1', 'z1'], 'b'),
        node('QuantizeLinear', ['b', 's2', 'z2'], 'c'), node('DequantizeLinear', ['c', 's2', 'z2'], 'y'),
      ],
      input: [value('x')], output: [value('y')],
      initializer: [scale('s1', scale1), scale('s2', scale2), zero('z1', zero1), zero('z2', zero2)],
    },
  })).finish()
  for (const graphOptimizationLevel of ['disabled', 'basic', 'all']) {
    const session = await ort.InferenceSession.create(Buffer.from(model), { graphOptimizationLevel })
    const { y } = await session.run({ x })
    console.log(title + ', ' + graphOptimizationLevel + ': ' + Array.from(y.data, (n) => Number(n.toPrecision(6))).join(' '))
  }
}

await run('zeros', [1, 0], [1, -100])
await run('positive', [1, 0], [1, -128])
await run('scales', [1, 0], [2, 0])
JS
(cd "$work" && node twice.mjs) >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
echo 'of 0 1 2 3 10 -20'
for level in disabled basic all; do
	case $level in
	disabled) zeros='0 1 2 3 10 -20' positive='0 1 2 3 10 0' scales='0 0 2 4 10 -20' ;;
	*)
		zeros='0 1.21569 1.82353 3.03922 9.72549 -20.0588'
		positive='0 0.996078 1.99216 2.98824 9.96078 0'
		scales='0 1 2 3 10 -20'
		;;
	esac
	echo "optimization: $level"
	expect 'scales 1 and 1, zero points 0 and -100' "$zeros" "$(said "zeros, $level")"
	expect 'scales 1 and 1, zero points 0 and -128' "$positive" "$(said "positive, $level")"
	expect 'scales 1 and 2, zero points 0' "$scales" "$(said "scales, $level")"
done
finish
