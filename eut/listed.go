package eut

import (
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"tesla/board"
)

const (
	// listed is the number of features in a list: at most 32 pieces, four castling rights and an en passant square.
	listed = 37
	// ListRow is the number of integers that a listed graph reads for a position: features, then the codes of Squares.
	ListRow = listed + codeColumns
)

// List writes a listed graph's input for p to dst[:ListRow].
func (e *Encoder) List(p *board.Position, dst []int32) {
	var buffer [listed]uint16
	found := AppendFeatures(p, buffer[:0])
	for i := range dst[:listed] {
		dst[i] = Features // no feature: a row of zeros
		if i < len(found) {
			dst[i] = int32(found[i])
		}
	}
	e.codes.Set(p)
	e.codes.Write(dst[listed:])
}

// ListedInput is the input of a listed graph, int32 [N, ListRow].
const ListedInput = "listed"

// ListedGraph is the net's graph with the table in front. It reads the features of a position and sums the table's rows
// to what the net's graph calls input, to the last bit. Its rows are shorter to send to a GPU, and the CPU does not
// compute the sums.
func (n *Net) ListedGraph(input string) ([]byte, error) {
	graph, rest, err := cutField(n.Graph, modelGraph)
	if err != nil {
		return nil, fmt.Errorf("net %s: its graph: %w", n.Name, err)
	}
	_, graph, err = cutField(graph, graphInput)
	if err != nil {
		return nil, fmt.Errorf("net %s: its graph: %w", n.Name, err)
	}
	front := onnx{}.
		node("Split", []string{ListedInput, "listed_sizes"}, []string{"listed_features", "listed_codes"}, "axis", 1).
		node("Gather", []string{"listed_table", "listed_features"}, []string{"listed_rows"}, "axis", 0).
		node("ReduceSum", []string{"listed_rows", "listed_axis"}, []string{"listed_sums"}, "keepdims", 0).
		node("Concat", []string{"listed_sums", "listed_codes"}, []string{input}, "axis", 1).
		tensor("listed_table", onnxInt32, n.rows(), Features+1, n.Width).
		tensor("listed_sizes", onnxInt64, int64s(listed, codeColumns), 2).
		tensor("listed_axis", onnxInt64, int64s(1), 1).
		input(ListedInput, ListRow)
	return onnx(rest).message(modelGraph, append(front, graph...)), nil
}

// rows is the table as little-endian int32, followed by a row of zeros.
func (n *Net) rows() []byte {
	b := make([]byte, 0, 4*(Features+1)*n.Width)
	for _, pair := range n.table {
		lo, hi := unpack(pair)
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(lo)), uint32(hi))
	}
	return b[:cap(b)]
}

func int64s(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// Fields and element types of ONNX messages (onnx.proto3, IR version 8).
const (
	modelGraph  = 7
	graphNode   = 1
	graphTensor = 5
	graphInput  = 11
	onnxInt32   = 6
	onnxInt64   = 7
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

// node adds a node with one integer attribute to a graph.
func (m onnx) node(op string, inputs, outputs []string, attribute string, value int) onnx {
	var n onnx
	for _, name := range inputs {
		n = n.text(1, name)
	}
	for _, name := range outputs {
		n = n.text(2, name)
	}
	const kindInt = 2
	return m.message(graphNode, n.text(4, op).message(5, onnx{}.text(1, attribute).int(3, value).int(20, kindInt)))
}

// tensor adds a constant to a graph.
func (m onnx) tensor(name string, kind int, data []byte, shape ...int) onnx {
	var t onnx
	for _, d := range shape {
		t = t.int(1, d)
	}
	return m.message(graphTensor, t.int(2, kind).text(8, name).message(9, data))
}

// input adds an input int32 [N, columns] to a graph.
func (m onnx) input(name string, columns int) onnx {
	shape := onnx{}.message(1, onnx{}.text(2, "N")).message(1, onnx{}.int(1, columns))
	kind := onnx{}.message(1, onnx{}.int(1, onnxInt32).message(2, shape))
	return m.message(graphInput, onnx{}.text(1, name).message(2, kind))
}

// cutField returns the value of a field of bytes, and the message without it. The field must occur exactly once.
func cutField(message []byte, field protowire.Number) (value, rest []byte, err error) {
	found := 0
	for len(message) > 0 {
		number, _, size := protowire.ConsumeField(message)
		if size < 0 {
			return nil, nil, protowire.ParseError(size)
		}
		if number != field {
			rest = append(rest, message[:size]...)
		} else {
			_, _, tag := protowire.ConsumeTag(message)
			var n int
			if value, n = protowire.ConsumeBytes(message[tag:]); n < 0 {
				return nil, nil, protowire.ParseError(n)
			}
			found++
		}
		message = message[size:]
	}
	if found != 1 {
		return nil, nil, errors.New("want one graph with one input")
	}
	return value, rest, nil
}
