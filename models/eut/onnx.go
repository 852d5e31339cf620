package eut

import (
	"encoding/binary"
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields and element types of ONNX messages (onnx.proto3, IR version 8).
const (
	modelGraph  = 7
	graphNode   = 1
	graphTensor = 5
	graphInput  = 11
	graphOutput = 12

	onnxFloat   = 1
	onnxInt32   = 6
	onnxInt64   = 7
	onnxBool    = 9
	onnxFloat16 = 10
)

// onnx is an ONNX message, or a part of one, to which fields are appended.
type onnx []byte

func (m onnx) message(field protowire.Number, b []byte) onnx {
	return protowire.AppendBytes(protowire.AppendTag(m, field, protowire.BytesType), b)
}

func (m onnx) text(field protowire.Number, s string) onnx { return m.message(field, []byte(s)) }

func (m onnx) int(field protowire.Number, v int) onnx {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

// attribute is an attribute of a node.
type attribute onnx

// ints is an attribute of one integer, or of several.
func ints(name string, values ...int) attribute {
	const kindInt, kindInts = 2, 7
	a := onnx{}.text(1, name)
	if len(values) == 1 {
		return attribute(a.int(3, values[0]).int(20, kindInt))
	}
	for _, v := range values {
		a = a.int(8, v)
	}
	return attribute(a.int(20, kindInts))
}

// number is an attribute of one float32.
func number(name string, v float32) attribute {
	const kindFloat = 1
	a := protowire.AppendTag(onnx{}.text(1, name), 2, protowire.Fixed32Type)
	return attribute(onnx(protowire.AppendFixed32(a, math.Float32bits(v))).int(20, kindFloat))
}

// node adds a node to a graph. An input or output called "" is left out.
func (m onnx) node(domain, op string, inputs, outputs []string, attributes ...attribute) onnx {
	var n onnx
	for _, name := range inputs {
		n = n.text(1, name)
	}
	for _, name := range outputs {
		n = n.text(2, name)
	}
	n = n.text(4, op)
	for _, a := range attributes {
		n = n.message(5, a)
	}
	return m.message(graphNode, n.text(7, domain))
}

// tensor adds a constant to a graph. data is little-endian.
func (m onnx) tensor(name string, kind int, data []byte, shape ...int) onnx {
	var t onnx
	for _, d := range shape {
		t = t.int(1, d)
	}
	return m.message(graphTensor, t.int(2, kind).text(8, name).message(9, data))
}

// value adds an input or output of a kind [N, columns] to a graph.
func (m onnx) value(field protowire.Number, name string, kind, columns int) onnx {
	shape := onnx{}.message(1, onnx{}.text(2, "N")).message(1, onnx{}.int(1, columns))
	return m.message(field, onnx{}.text(1, name).message(2, onnx{}.message(1, onnx{}.int(1, kind).message(2, shape))))
}

func int64s(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// eachField calls f on the fields of a message, in order. value is empty unless the field holds bytes.
func eachField(message []byte, f func(field protowire.Number, whole, value []byte, varint uint64)) error {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeField(message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		_, _, tag := protowire.ConsumeTag(message)
		var value []byte
		var varint uint64
		switch kind {
		case protowire.BytesType:
			value, _ = protowire.ConsumeBytes(message[tag:])
		case protowire.VarintType:
			varint, _ = protowire.ConsumeVarint(message[tag:])
		}
		f(number, message[:size], value, varint)
		message = message[size:]
	}
	return nil
}

// cutField returns the value of a field of bytes, and the message without it. The field must occur exactly once.
func cutField(message []byte, field protowire.Number) (value, rest []byte, err error) {
	found := 0
	err = eachField(message, func(number protowire.Number, whole, inside []byte, _ uint64) {
		if number == field {
			value = inside
			found++
		} else {
			rest = append(rest, whole...)
		}
	})
	if err == nil && found != 1 {
		err = errors.New("want one graph with one input")
	}
	return value, rest, err
}
