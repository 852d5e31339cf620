package eut

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/x448/float16"
)

// microsoft are the operators that ONNX Runtime adds to ONNX: the domain com.microsoft.
var microsoft = []string{"Attention", "FusedMatMul", "MultiHeadAttention", "SkipLayerNormalization"}

// writer writes an ONNX graph node by node. Values get names of their own.
type writer struct {
	half    bool // constants are float16, except those that are made by float and constant
	graph   onnx
	results onnx
	names   int
}

func (w *writer) name() string {
	w.names++
	return "v" + strconv.Itoa(w.names)
}

func (w *writer) node(op string, inputs, outputs []string, attributes ...attribute) {
	domain := ""
	if slices.Contains(microsoft, op) {
		domain = "com.microsoft"
	}
	w.graph = w.graph.node(domain, op, inputs, outputs, attributes...)
}

// op adds a node with one output, and returns its name.
func (w *writer) op(op string, inputs []string, attributes ...attribute) string {
	out := w.name()
	w.node(op, inputs, []string{out}, attributes...)
	return out
}

// split cuts a value along an axis.
func (w *writer) split(in string, axis int, sizes ...int) (out []string) {
	var all []int64
	for _, size := range sizes {
		out, all = append(out, w.name()), append(all, int64(size))
	}
	w.node("Split", []string{in, w.ints64(all...)}, out, ints("axis", axis))
	return out
}

// shape is a value as [N, sizes...], where N follows from the size of the value.
func (w *writer) shape(in string, sizes ...int) string {
	all := []int64{-1}
	for _, size := range sizes {
		all = append(all, int64(size))
	}
	return w.op("Reshape", []string{in, w.ints64(all...)})
}

// behind is a float32 value as what is computed behind the first layer.
func (w *writer) behind(in string) string { return w.cast(in, onnxFloat16) }

// inFront is a value from behind the first layer as float32.
func (w *writer) inFront(in string) string { return w.cast(in, onnxFloat) }

func (w *writer) cast(in string, kind int) string {
	if !w.half {
		return in
	}
	return w.op("Cast", []string{in}, ints("to", kind))
}

// output makes a value an output of the graph, float32 [N, columns].
func (w *writer) output(name string, columns int, value string) {
	w.node("Identity", []string{value}, []string{name})
	w.results = w.results.value(graphOutput, name, onnxFloat, columns)
}

func (w *writer) tensor(m matrix) string { return w.weight(m.data, m.rows, m.columns) }

// vector is a constant vector, see weight.
func (w *writer) vector(m matrix) string { return w.weight(m.data, len(m.data)) }

// weight is a constant, in float16 where the graph is.
func (w *writer) weight(data []float32, shape ...int) string {
	if !w.half {
		return w.float(data, shape...)
	}
	var b []byte
	for _, v := range data {
		b = binary.LittleEndian.AppendUint16(b, float16.Fromfloat32(v).Bits())
	}
	return w.constant(onnxFloat16, b, shape...)
}

func (w *writer) float(data []float32, shape ...int) string {
	var b []byte
	for _, v := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return w.constant(onnxFloat, b, shape...)
}

// ints32 is a constant row.
func (w *writer) ints32(values []int32) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return w.constant(onnxInt32, b, 1, len(values))
}

func (w *writer) ints64(values ...int64) string {
	return w.constant(onnxInt64, int64s(values...), len(values))
}

func (w *writer) yes() string { return w.constant(onnxBool, []byte{1}, 1) }

func (w *writer) constant(kind int, data []byte, shape ...int) string {
	name := w.name()
	w.graph = w.graph.tensor(name, kind, data, shape...)
	return name
}

// model is the ONNX model of what was written, with an input int32 [N, columns].
func (w *writer) model(name, input string, columns int) []byte {
	set := func(domain string, version int) onnx { return onnx{}.text(1, domain).int(2, version) }
	graph := append(w.graph.text(2, name).value(graphInput, input, onnxInt32, columns), w.results...)
	return onnx{}.int(1, 8).message(8, set("", 17)).message(8, set("com.microsoft", 1)).message(modelGraph, graph)
}
