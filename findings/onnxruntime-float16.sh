#!/usr/bin/env bash
# A number of type float16 is at most 65504 and has eleven significant bits. In ONNX Runtime on the CPU, x86-64, what
# operators such as Mul and Neg pass to each other stays float32 instead, also without optimization: 300 * 300 / 512 is
# 175.75 and not infinite. Where the product is an output as well, one run gives Infinity for it and 175.75 for its
# five hundred and twelfth. A model's own casts go the same way: Cast to float16, Neg and Cast back leave 90000 as it is,
# while the two casts without Neg round it to Infinity.
# It bites who checks a net in float16 on the CPU before a GPU gets it: numbers too large for the type, and bits that it
# loses, do not show.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js onnxruntime-node@1.30.0 onnx-proto@8.0.1

cat >"$work/half.mjs" <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'

const float = 1
const half = 10
const bits = { '1/512': 0x1800, 300: 0x5cb0 } // numbers in float16
const number = (h) => ((h & 0x7fff) === 0x7c00 ? Infinity : (1 + (h & 1023) / 1024) * 2 ** (((h >> 10) & 31) - 15))
const value = (elemType) => (name) => ({ name, type: { tensorType: { elemType, shape: { dim: [{ dimValue: 2 }] } } } })
const constant = (name) =>
  ({ name, dataType: half, dims: [1], rawData: new Uint8Array(Uint16Array.of(bits[name]).buffer) })
const node = (opType, input, output) => ({ opType, input, output: [output] })
const cast = (from, to, type) => ({ ...node('Cast', [from], to), attribute: [{ name: 'to', type: 2, i: type }] })

// run runs a model of these nodes and prints its outputs.
async function run(title, type, x, outputs, nodes) {
  const model = proto.onnx.ModelProto.encode(proto.onnx.ModelProto.create({
    irVersion: 8,
    opsetImport: [{ domain: '', version: 17 }],
    graph: {
      name: 'g', node: nodes, input: [value(type)('x')], output: outputs.map(value(type)),
      initializer: type === half ? [constant('300'), constant('1/512')] : [],
    },
  })).finish()
  for (const graphOptimizationLevel of ['disabled', 'all']) {
    const session = await ort.InferenceSession.create(Buffer.from(model), { graphOptimizationLevel })
    const result = await session.run({ x })
    const text = outputs.map((name) => name + ' ' +
      Array.from(result[name].data, (n) => Number((type === half ? number(n) : n).toPrecision(6))).join(' '))
    console.log(title + ', ' + graphOptimizationLevel + ': ' + text.join(', '))
  }
}

const halves = new ort.Tensor('float16', Uint16Array.of(bits[300], 0x3c00), [2]) // 300 and 1
const product = [node('Mul', ['x', '300'], 'm'), node('Mul', ['m', '1/512'], 'y')]
await run('product', half, halves, ['y'], product)
await run('both', half, halves, ['m', 'y'], product)

const floats = new ort.Tensor('float32', Float32Array.of(90000, 1.0001), [2])
await run('casts', float, floats, ['y'], [cast('x', 'h', half), cast('h', 'y', float)])
await run('neg', float, floats, ['y'], [cast('x', 'h', half), node('Neg', ['h'], 'n'), cast('n', 'y', float)])
JS
(cd "$work" && node half.mjs) >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
for level in disabled all; do
	echo "optimization: $level"
	expect 'float16 300 and 1, times 300, times 1/512' 'y 175.75 0.585938' "$(said "product, $level")"
	expect 'the same, the product m is an output too' 'm Infinity 300, y 175.75 0.585938' "$(said "both, $level")"
	expect 'float32 90000 and 1.0001, Cast to float16 and back' 'y Infinity 1' "$(said "casts, $level")"
	expect 'the same with Neg between the casts' 'y -90000 -1.0001' "$(said "neg, $level")"
done
finish
