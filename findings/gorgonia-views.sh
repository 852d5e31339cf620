#!/usr/bin/env bash
# gorgonia's tensor forgets in some operations that a tensor is a view. A column of a matrix, given as the vector of
# MatVecMul, Inner or Outer, is read as the numbers that stand next to each other in memory. SoftMax of a transposed
# matrix is that of the matrix before, and Repeat of some columns ends in zeros. Sum, Max, Add and MatMul are right,
# so a test of those says nothing about the others. There is no error.
# It bites who takes columns or transposes in a net's forward pass; Materialize or Transpose first gives the right
# numbers.
# shellcheck disable=SC2154 source=/dev/null # common.bash sets work
set -euo pipefail
. "$(dirname "$0")/common.bash"

modules gorgonia.org/tensor@v0.9.24 go4.org/unsafe/assume-no-moving-gc@v0.0.0-20231121144256-b99613f794b6
build <<'GO'
package main

import (
	"fmt"
	"log"
	"strings"

	"gorgonia.org/tensor"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func show(name string, value any) { fmt.Println(name + ": " + strings.Join(strings.Fields(fmt.Sprint(value)), " ")) }

func main() {
	m := tensor.New(tensor.WithShape(2, 3), tensor.WithBacking([]float64{1, 2, 3, 4, 5, 6}))
	unit := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 0, 0, 1}))
	column := must(m.Slice(nil, tensor.S(1))).(*tensor.Dense)
	copied := column.Materialize()
	show("column", column)
	show("sum", must(tensor.Sum(column)))
	show("unit * column", must(tensor.MatVecMul(unit, column)))
	show("unit * copy", must(tensor.MatVecMul(unit, copied)))
	show("column . column", must(tensor.Inner(column, column)))
	show("copy . copy", must(tensor.Inner(copied, copied)))
	show("repeat", must(tensor.Repeat(must(m.Slice(nil, tensor.S(1, 3))), 0, 2)).Data())
	turned := m.Clone().(*tensor.Dense)
	if err := turned.T(); err != nil {
		log.Fatal(err)
	}
	show("softmax of a view", fmt.Sprintf("%.4f", must(tensor.SoftMax(turned, 1)).Data().([]float64)[:2]))
	if err := turned.Transpose(); err != nil {
		log.Fatal(err)
	}
	show("softmax of a copy", fmt.Sprintf("%.4f", must(tensor.SoftMax(turned, 1)).Data().([]float64)[:2]))
}
GO
ASSUME_NO_MOVING_GC_UNSAFE_RISK_IT_WITH=$(go env GOVERSION | cut -d. -f1,2) "$work/go/finding" >"$work/said"
said() { awk -v name="$1: " 'index($0, name) == 1 { print substr($0, length(name) + 1) }' "$work/said"; }
expect 'the middle column of 1 2 3 / 4 5 6' '[2 5]' "$(said column)"
expect 'its sum' 7 "$(said sum)"
expect 'the unit matrix times the column' '[2 3]' "$(said 'unit * column')"
expect 'the unit matrix times a copy of it' '[2 5]' "$(said 'unit * copy')"
expect 'the column times itself' 54 "$(said 'column . column')"
expect 'the copy times itself' 29 "$(said 'copy . copy')"
expect 'the last two columns, each row twice' '[2 3 2 3 5 6 0 0]' "$(said repeat)"
expect 'softmax of 1 4, first row of the transposed view' '[0.2689 0.7311]' "$(said 'softmax of a view')"
expect 'softmax of 1 4, first row of the transposed matrix' '[0.0474 0.9526]' "$(said 'softmax of a copy')"
finish
