package eut

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/x448/float16"
	"google.golang.org/protobuf/encoding/protowire"
)

// matrix is a constant of a graph: [rows, columns], or a vector as one row. A constant of more dimensions is a vector too.
type matrix struct {
	rows, columns int
	data          []float32 // row-major
}

func zeros(rows, columns int) matrix { return matrix{rows, columns, make([]float32, rows*columns)} }

func filled(rows, columns int, v float32) matrix {
	m := zeros(rows, columns)
	for i := range m.data {
		m.data[i] = v
	}
	return m
}

// beside is matrices of as many rows side by side.
func beside(parts ...matrix) matrix {
	out := matrix{rows: parts[0].rows}
	for _, p := range parts {
		out.columns += p.columns
	}
	for row := range out.rows {
		for _, p := range parts {
			if row < p.rows {
				out.data = append(out.data, p.data[row*p.columns:][:p.columns]...)
			}
		}
	}
	return out
}

// above is matrices of as many columns, one above the other.
func above(parts ...matrix) matrix {
	out := matrix{columns: parts[0].columns}
	for _, p := range parts {
		out.rows += p.rows
		out.data = append(out.data, p.data...)
	}
	return out
}

func (m matrix) transposed() matrix {
	out := zeros(m.columns, m.rows)
	for i, v := range m.data {
		out.data[i%m.columns*m.rows+i/m.columns] = v
	}
	return out
}

func (m matrix) times(f float64) matrix {
	out := zeros(m.rows, m.columns)
	for i, v := range m.data {
		out.data[i] = float32(float64(v) * f)
	}
	return out
}

// weights are the constants of a graph by name.
type weights struct {
	found map[string]matrix
	nodes []graphOp
	err   error // the first that is missing
}

// graphOp is what weights keep of a node.
type graphOp struct {
	op              string
	inputs, outputs []string
}

// weightsOf reads the constants of an ONNX model that are float32 or float16.
func weightsOf(model []byte) (weights, error) {
	w := weights{found: map[string]matrix{}}
	graph, _, err := cutField(model, modelGraph)
	if err != nil {
		return w, err
	}
	var errs []error
	err = eachField(graph, func(field protowire.Number, _, value []byte, _ uint64) {
		switch field {
		case graphNode:
			errs = append(errs, w.addNode(value))
		case graphTensor:
			errs = append(errs, w.addTensor("", value))
		}
	})
	return w, errors.Join(append(errs, err)...)
}

// addNode keeps a node, and the value of a Constant.
func (w *weights) addNode(message []byte) error {
	var n graphOp
	var value []byte
	err := eachField(message, func(field protowire.Number, _, b []byte, _ uint64) {
		switch field {
		case 1:
			n.inputs = append(n.inputs, string(b))
		case 2:
			n.outputs = append(n.outputs, string(b))
		case 4:
			n.op = string(b)
		case 5:
			value = b
		}
	})
	w.nodes = append(w.nodes, n)
	if err == nil && n.op == "Constant" && len(n.outputs) == 1 {
		var inner error
		err = eachField(value, func(field protowire.Number, _, b []byte, _ uint64) {
			if field == 5 {
				inner = w.addTensor(n.outputs[0], b)
			}
		})
		err = errors.Join(err, inner)
	}
	return err
}

// addTensor keeps a constant under its own name, unless another is given.
func (w *weights) addTensor(name string, message []byte) error {
	var dims []int
	var data []byte
	kind := uint64(0)
	err := eachField(message, func(field protowire.Number, _, b []byte, varint uint64) {
		switch {
		case field == 1 && b == nil:
			dims = append(dims, int(varint))
		case field == 1: // packed
			for len(b) > 0 {
				v, n := protowire.ConsumeVarint(b)
				if n < 0 {
					return
				}
				dims, b = append(dims, int(v)), b[n:]
			}
		case field == 2:
			kind = varint
		case field == 8 && name == "":
			name = string(b)
		case field == 9:
			data = b
		}
	})
	if err != nil {
		return err
	}
	m := matrix{data: floatsOf(kind, data)}
	m.rows, m.columns = 1, len(m.data)
	if len(dims) == 2 {
		m.rows, m.columns = dims[0], dims[1]
	}
	if m.rows < 0 || m.columns < 0 || m.rows > 1<<24 || m.columns > 1<<24 || m.rows*m.columns != len(m.data) {
		return fmt.Errorf("constant %s: %d values for shape %v", name, len(m.data), dims)
	}
	w.found[name] = m
	return nil
}

// floatsOf reads the values of a constant. Integers become floats; of a kind that is not known there are none.
func floatsOf(kind uint64, data []byte) (out []float32) {
	switch kind {
	case onnxFloat:
		for ; len(data) >= 4; data = data[4:] {
			out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
	case onnxFloat16:
		for ; len(data) >= 2; data = data[2:] {
			out = append(out, float16.Frombits(binary.LittleEndian.Uint16(data)).Float32())
		}
	case onnxInt64:
		for ; len(data) >= 8; data = data[8:] {
			out = append(out, float32(int64(binary.LittleEndian.Uint64(data))))
		}
	}
	return out
}

// halfSuffix ends the names of constants that scripts/train/precision.py stores in float16.
const halfSuffix = "_half"

func (w *weights) of(name string) matrix {
	if !w.has(name) && w.err == nil {
		w.err = fmt.Errorf("no weights %s in its graph", name)
	}
	return w.optional(name)
}

// optional is a constant, or an empty matrix.
func (w *weights) optional(name string) matrix {
	if m, ok := w.found[name]; ok {
		return m
	}
	return w.found[name+halfSuffix]
}

func (w *weights) has(name string) bool { return w.optional(name).data != nil }

func (w *weights) columns(name string) int { return w.of(name).columns }

// Weights are the constants of the net's graph by name, row-major, and the number of heads of the squares' attention.
func (n *Net) Weights() (byName map[string][]float32, squareHeads int, err error) {
	w, err := weightsOf(n.Graph)
	if err != nil {
		return nil, 0, err
	}
	byName = map[string][]float32{}
	for name, m := range w.found {
		byName[strings.TrimSuffix(name, halfSuffix)] = m.data
	}
	squareHeads = w.squareHeads()
	return byName, squareHeads, w.err
}

// squareHeads is the number of heads of the squares' attention: the queries of a square are reshaped to [heads, dim].
func (w *weights) squareHeads() int {
	queries := ""
	for _, n := range w.nodes {
		switch {
		case len(n.inputs) < 2 || len(n.outputs) != 1:
		case n.op == "Gemm" && n.inputs[1] == "trunk.squares.q.weight":
			queries = n.outputs[0]
		case n.op == "Reshape" && n.inputs[0] == queries:
			if shape := w.of(n.inputs[1]).data; len(shape) == 4 && shape[2] >= 1 {
				return int(shape[2])
			}
		}
	}
	w.err = errors.Join(w.err, errors.New("no attention of squares in its graph"))
	return 0
}
