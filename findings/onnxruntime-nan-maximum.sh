#!/usr/bin/env bash
# The maximum of a row with a NaN is in ONNX Runtime a matter of where the NaN stands: ReduceMax gives NaN if it comes
# first and passes over it elsewhere, MaxPool gives NaN if it comes last, GlobalMaxPool passes over it, while the
# elementwise Max, Min, Relu and Clip always give NaN. The mean of no numbers is 0, not NaN.
# It bites who guards a net by its largest output or takes the maximum of a policy before a softmax: a broken net
# gives finite numbers for some positions and NaN for others.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

js onnxruntime-node@1.30.0 onnx-proto@8.0.1
answer=$(cd "$work" && node --input-type=module <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'

const { ModelProto } = proto.onnx

// run gives the output of a graph of one operator on inputs of shape dims.
async function run(opType, inputs, dims, ints = {}) {
  const names = inputs.map((_, i) => 'x' + i)
  const value = (name) => ({ name, type: { tensorType: { elemType: 1 } } })
  const attribute = Object.entries(ints).map(([name, v]) =>
    Array.isArray(v) ? { name, type: 7, ints: v } : { name, type: 2, i: v })
  const model = ModelProto.encode(ModelProto.create({
    irVersion: 8,
    opsetImport: [{ domain: '', version: 17 }],
    graph: {
      name: 'g',
      node: [{ opType, input: names, output: ['y'], attribute }],
      input: names.map(value),
      output: [value('y')],
    },
  })).finish()
  const session = await ort.InferenceSession.create(Buffer.from(model))
  const tensor = (x) => new ort.Tensor('float32', Float32Array.from(x), dims)
  const feeds = Object.fromEntries(inputs.map((x, i) => [names[i], tensor(x)]))
  return [...(await session.run(feeds)).y.data].join(' ')
}

const flat = { keepdims: 0 }
const square = { kernel_shape: [2, 2] }
console.log(await run('ReduceMax', [[NaN, 1, 2]], [3], flat))
console.log(await run('ReduceMax', [[1, NaN, 2]], [3], flat))
console.log(await run('ReduceMax', [[1, 2, NaN]], [3], flat))
console.log(await run('MaxPool', [[NaN, 1, 2, 3]], [1, 1, 2, 2], square))
console.log(await run('MaxPool', [[1, 2, 3, NaN]], [1, 1, 2, 2], square))
console.log(await run('GlobalMaxPool', [[1, NaN, 2, 3]], [1, 1, 2, 2]))
console.log(await run('Max', [[1, NaN], [NaN, 1]], [2]))
console.log(await run('Relu', [[NaN, -1, 2]], [3]))
console.log(await run('ReduceMean', [[]], [0], flat))
JS
)
said() { sed -n "$1p" <<<"$answer"; }
expect 'ReduceMax NaN 1 2' NaN "$(said 1)"
expect 'ReduceMax 1 NaN 2' 2 "$(said 2)"
expect 'ReduceMax 1 2 NaN' 2 "$(said 3)"
expect 'MaxPool NaN 1 2 3' 3 "$(said 4)"
expect 'MaxPool 1 2 3 NaN' NaN "$(said 5)"
expect 'GlobalMaxPool 1 NaN 2 3' 3 "$(said 6)"
expect 'Max of 1 and NaN, of NaN and 1' 'NaN NaN' "$(said 7)"
expect 'Relu NaN -1 2' 'NaN 0 2' "$(said 8)"
expect 'ReduceMean of nothing' 0 "$(said 9)"
finish
