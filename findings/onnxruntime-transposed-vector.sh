#!/usr/bin/env bash
# ONNX Runtime, by default, joins Transpose and a MatMul behind it to one operator. Where the other factor is a vector, it
# forgets the transposition, without an error: the matrix 1 2 / 3 4 transposed, times the vector 1 10, is 31 42, and it
# says 21 43. So it is for matrices alone and in a batch, square or not, and for a vector that is a constant or an input.
# The optimization levels "disabled" and "basic" are right, "extended" and "all", the default, are wrong. The vector as a
# column, a matrix of shape [n, 1], is right at all levels.
# It bites who pools squares or tokens by a vector of weights, as in a value head: the net runs and answers wrongly.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js onnxruntime-node@1.30.0 onnx-proto@8.0.1

cat >"$work/vector.mjs" <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'

const float = 1
const value = (name, dims) =>
  ({ name, type: { tensorType: { elemType: float, shape: { dim: dims.map((dimValue) => ({ dimValue })) } } } })
const counting = (dims) =>
  new ort.Tensor('float32', Float32Array.from({ length: dims.reduce((a, b) => a * b) }, (_, i) => i + 1), dims)

// run transposes the last two dimensions of 1, 2, 3... of the shape x, and multiplies by 1 10 100 of the shape w.
async function run(title, x, w, y) {
  const n = x.length
  const perm = [...Array(n - 2).keys(), n - 1, n - 2]
  const vector = new ort.Tensor('float32', Float32Array.of(1, 10, 100).slice(0, w[0]), w)
  const model = proto.onnx.ModelProto.encode(proto.onnx.ModelProto.create({
    irVersion: 8,
    opsetImport: [{ domain: '', version: 17 }],
    graph: {
      name: 'g',
      node: [
        { opType: 'Transpose', input: ['x'], output: ['t'], attribute: [{ name: 'perm', type: 7, ints: perm }] },
        { opType: 'MatMul', input: ['t', 'w'], output: ['y'] },
      ],
      input: [value('x', x), value('w', w)], output: [value('y', y)],
    },
  })).finish()
  for (const graphOptimizationLevel of ['disabled', 'basic', 'extended', 'all']) {
    const session = await ort.InferenceSession.create(Buffer.from(model), { graphOptimizationLevel })
    const result = await session.run({ x: counting(x), w: vector })
    console.log(title + ', ' + graphOptimizationLevel + ': ' + result.y.data.join(' '))
  }
}

await run('square', [2, 2], [2], [2])
await run('column', [2, 2], [2, 1], [2, 1])
await run('oblong', [3, 2], [3], [2])
await run('batch', [2, 2, 2], [2], [2, 2])
JS
(cd "$work" && node vector.mjs) >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
for level in disabled basic extended all; do
	case $level in
	disabled | basic) square='31 42' oblong='531 642' batch='31 42 75 86' ;;
	*) square='21 43' oblong='321 654' batch='21 43 65 87' ;;
	esac
	echo "optimization: $level"
	expect '1 2 / 3 4, transposed, times 1 10' "$square" "$(said "square, $level")"
	expect 'the same times 1 10 as a column' '31 42' "$(said "column, $level")"
	expect '1 2 / 3 4 / 5 6, transposed, times 1 10 100' "$oblong" "$(said "oblong, $level")"
	expect 'a batch of 1 2 / 3 4 and 5 6 / 7 8, transposed, times 1 10' "$batch" "$(said "batch, $level")"
done
finish
