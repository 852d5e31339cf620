package reference

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// graph is the part of an ONNX ModelProto that evaluation needs (onnx.proto3, which defines the field numbers below).
type graph struct {
	nodes     []*node
	constants map[string]*value // initializers
}

// node is a NodeProto.
type node struct {
	op, name        string
	inputs, outputs []string
	ints            map[string][]int64
	floats          map[string]float32
	tensors         map[string]*value
}

// ONNX tensor element types.
const (
	typeFloat = 1
	typeInt32 = 6
	typeInt64 = 7
)

// field is one field of a protobuf message: varint holds varints and fixed32 values, bytes the rest.
type field struct {
	number protowire.Number
	kind   protowire.Type
	varint uint64
	bytes  []byte
}

// fields calls f on every field of the message b.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fmt.Errorf("protobuf: %w", protowire.ParseError(n))
		}
		b = b[n:]
		x := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			x.varint, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			x.varint = uint64(v)
		case protowire.BytesType:
			x.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return fmt.Errorf("protobuf field %d: %w", number, protowire.ParseError(n))
		}
		if err := f(x); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// parseModel reads a ModelProto.
func parseModel(b []byte) (*graph, error) {
	g := &graph{constants: map[string]*value{}}
	err := fields(b, func(x field) error {
		if x.number == 7 {
			return g.parse(x.bytes)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ONNX model: %w", err)
	}
	if len(g.nodes) == 0 {
		return nil, errors.New("ONNX model: no graph")
	}
	return g, nil
}

// parse reads a GraphProto.
func (g *graph) parse(b []byte) error {
	return fields(b, func(x field) error {
		switch x.number {
		case 1:
			n, err := parseNode(x.bytes)
			if err != nil {
				return fmt.Errorf("node %d: %w", len(g.nodes), err)
			}
			g.nodes = append(g.nodes, n)
		case 5:
			name, v, err := parseTensor(x.bytes)
			if err != nil {
				return fmt.Errorf("initializer %q: %w", name, err)
			}
			g.constants[name] = v
		}
		return nil
	})
}

// parseNode reads a NodeProto.
func parseNode(b []byte) (*node, error) {
	n := &node{ints: map[string][]int64{}, floats: map[string]float32{}, tensors: map[string]*value{}}
	return n, fields(b, func(x field) error {
		switch x.number {
		case 1:
			n.inputs = append(n.inputs, string(x.bytes))
		case 2:
			n.outputs = append(n.outputs, string(x.bytes))
		case 3:
			n.name = string(x.bytes)
		case 4:
			n.op = string(x.bytes)
		case 5:
			return n.parseAttribute(x.bytes)
		}
		return nil
	})
}

// parseAttribute reads an AttributeProto: a float, an int, ints or a tensor.
func (n *node) parseAttribute(b []byte) error {
	var name string
	var ints []int64
	var float *float32
	var tensor *value
	err := fields(b, func(x field) (err error) {
		switch x.number {
		case 1:
			name = string(x.bytes)
		case 2:
			f := math.Float32frombits(uint32(x.varint))
			float = &f
		case 3, 8:
			ints, err = appendVarints(ints, x)
		case 5:
			_, tensor, err = parseTensor(x.bytes)
		}
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("attribute %q: %w", name, err)
	case tensor != nil:
		n.tensors[name] = tensor
	case float != nil:
		n.floats[name] = *float
	case ints != nil:
		n.ints[name] = ints
	}
	return nil
}

// appendVarints reads a repeated int64, packed or not.
func appendVarints(dst []int64, x field) ([]int64, error) {
	if x.kind == protowire.VarintType {
		return append(dst, int64(x.varint)), nil
	}
	for b := x.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return dst, fmt.Errorf("protobuf field %d: %w", x.number, protowire.ParseError(n))
		}
		dst, b = append(dst, int64(v)), b[n:]
	}
	return dst, nil
}

// parseTensor reads a TensorProto with raw data, little-endian.
func parseTensor(b []byte) (name string, v *value, err error) {
	var dims []int64
	var kind uint64
	var raw []byte
	err = fields(b, func(x field) (err error) {
		switch x.number {
		case 1:
			dims, err = appendVarints(dims, x)
		case 2:
			kind = x.varint
		case 8:
			name = string(x.bytes)
		case 9:
			raw = x.bytes
		}
		return err
	})
	if err != nil {
		return name, nil, err
	}
	shape, size := make([]int, len(dims)), 1
	for i, d := range dims {
		if d < 0 || d > 1<<24 || int64(size)*d > 1<<28 {
			return name, nil, fmt.Errorf("shape %v", dims)
		}
		shape[i] = int(d)
		size *= shape[i]
	}
	width := map[uint64]int{typeFloat: 4, typeInt32: 4, typeInt64: 8}[kind]
	if width == 0 {
		return name, nil, fmt.Errorf("element type %d, want float32, int32 or int64", kind)
	}
	if len(raw) != size*width {
		return name, nil, fmt.Errorf("%d bytes for shape %v of %d bytes each", len(raw), dims, width)
	}
	v = &value{shape: shape}
	for ; len(raw) > 0; raw = raw[width:] {
		switch kind {
		case typeFloat:
			v.f = append(v.f, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		case typeInt32:
			v.i = append(v.i, int64(int32(binary.LittleEndian.Uint32(raw))))
		case typeInt64:
			v.i = append(v.i, int64(binary.LittleEndian.Uint64(raw)))
		}
	}
	return name, v, nil
}
