#!/usr/bin/env bash
# ONNX's Slice keeps all dimensions: a column cut from a matrix of two columns has the shape [2, 1]. gonnx, which runs ONNX
# models in Go on gorgonia's tensor, drops a dimension of which one element is cut, and what comes next runs on another
# shape: the matrix 1 2 / 3 4 less its second column 2 / 4 loses the row 2 4, Softmax works along the next dimension, and a
# batch's difference of two numbers has four. A slice of two elements is right. There is no error unless the shapes do not fit.
# It bites who runs a net in Go alone: heads that take one token or plane, and masks. Gather with a list of one index is right.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules github.com/advancedclimatesystems/gonnx@v1.1.0 gorgonia.org/tensor@v0.9.24 \
	go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6
build <<'GO'
package main

import (
	"fmt"
	"log"

	"github.com/advancedclimatesystems/gonnx"
	"github.com/advancedclimatesystems/gonnx/onnx"
	"gorgonia.org/tensor"
)

func node(op, output string, inputs ...string) *onnx.NodeProto {
	return &onnx.NodeProto{OpType: op, Input: inputs, Output: []string{output}}
}

// along gives a node its axis.
func along(axis int64, n *onnx.NodeProto) *onnx.NodeProto {
	n.Attribute = []*onnx.AttributeProto{{Name: "axis", Type: onnx.AttributeProto_INT, I: axis}}
	return n
}

func constant(name string, values ...int64) *onnx.TensorProto {
	return &onnx.TensorProto{
		Name: name, DataType: int32(onnx.TensorProto_INT64), Dims: []int64{int64(len(values))}, Int64Data: values,
	}
}

// run runs the nodes on x of this shape: "cut" cuts [from, 2) along the axis 1.
func run(title string, from int64, shape []int, x []float32, nodes ...*onnx.NodeProto) {
	model, err := gonnx.NewModel(&onnx.ModelProto{
		IrVersion:   7,
		OpsetImport: []*onnx.OperatorSetIdProto{{Version: 13}},
		Graph: &onnx.GraphProto{
			Name: "g", Node: nodes,
			Initializer: []*onnx.TensorProto{constant("from", from), constant("one", 1), constant("to", 2)},
			Input:       []*onnx.ValueInfoProto{{Name: "x"}},
			Output:      []*onnx.ValueInfoProto{{Name: "y"}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	outputs, err := model.Run(gonnx.Tensors{"x": tensor.New(tensor.WithShape(shape...), tensor.WithBacking(x))})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(title+":", outputs["y"].Shape(), outputs["y"].Data())
}

func main() {
	square, batch := []int{2, 2}, []int{1, 2, 2}
	numbers := []float32{1, 2, 3, 4}
	slice := func(to string) *onnx.NodeProto { return node("Slice", to, "x", "from", "to", "one") }
	run("column", 1, square, numbers, slice("y"))
	run("columns", 0, square, numbers, slice("y"))
	run("less column", 1, square, numbers, slice("cut"), node("Sub", "y", "x", "cut"))
	run("less gathered", 1, square, numbers, along(1, node("Gather", "cut", "x", "one")), node("Sub", "y", "x", "cut"))
	run("softmax", 1, batch, []float32{1, 2, 3, 3}, slice("cut"), along(1, node("Softmax", "y", "cut")))
	run("difference", 1, []int{2, 2, 1}, numbers, along(1, node("Gather", "g", "x", "one")), slice("cut"), node("Sub", "y", "g", "cut"))
}
GO
ASSUME_NO_MOVING_GC_UNSAFE_RISK_IT_WITH=$(go env GOVERSION | cut -d. -f1,2) "$work/go/finding" >"$work/said"
said() { sed -n "s/^$1: //p" "$work/said"; }
expect 'second column of 1 2 / 3 4' '(2) [2 4]' "$(said column)"
expect 'both columns' '(2, 2) [1 2 3 4]' "$(said columns)"
expect '1 2 / 3 4 less its second column' '(2, 2) [-1 -2 1 0]' "$(said 'less column')"
expect 'the same, the column by Gather' '(2, 2) [-1 0 -1 0]' "$(said 'less gathered')"
expect 'softmax of one element, twice' '(1, 2) [0.5 0.5]' "$(said softmax)"
expect 'second rows of 1 2 and 3 4, less themselves' '(2, 2, 1) [0 -2 2 0]' "$(said difference)"
finish
