package eut

import (
	"encoding/binary"
	"fmt"

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
		node("", "Split", []string{ListedInput, "listed_sizes"}, []string{"listed_features", "listed_codes"}, ints("axis", 1)).
		node("", "Gather", []string{"listed_table", "listed_features"}, []string{"listed_rows"}, ints("axis", 0)).
		node("", "ReduceSum", []string{"listed_rows", "listed_axis"}, []string{"listed_sums"}, ints("keepdims", 0)).
		node("", "Concat", []string{"listed_sums", "listed_codes"}, []string{input}, ints("axis", 1)).
		tensor("listed_table", onnxInt32, n.rows(), Features+1, n.Width).
		tensor("listed_sizes", onnxInt64, int64s(listed, codeColumns), 2).
		tensor("listed_axis", onnxInt64, int64s(1), 1).
		value(graphInput, ListedInput, onnxInt32, ListRow)
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
