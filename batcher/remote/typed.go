package remote

import (
	"encoding/binary"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of typed contents, see kserve.proto.
const (
	inputs         = 5 // of ModelInferRequest
	inputContents  = 5 // of ModelInferRequest.InferInputTensor
	intContents    = 2 // of InferTensorContents
	outputs        = 5 // of ModelInferResponse
	outputContents = 5 // of ModelInferResponse.InferOutputTensor
	floatContents  = 6 // of InferTensorContents
)

// contentNames are the fields of InferTensorContents, by number.
var contentNames = [...]string{1: "bool_contents", "int_contents", "int64_contents", "uint_contents", "uint64_contents", "fp32_contents", "fp64_contents",
	"bytes_contents"}

// valueBytes is the most bytes that a typed value takes: protobuf writes a negative int32 with ten.
const valueBytes = 10

// malformed is the refusal of a message that is no protobuf.
func malformed(size int) error {
	return status.Errorf(codes.InvalidArgument, "no ModelInferRequest: %v", protowire.ParseError(size))
}

// splitInput returns the typed contents of an input, and the input without them. Contents in several pieces are one, as
// protobuf has it; empty ones count as none.
func splitInput(input []byte) (head []byte, typed [][]byte, err error) {
	for len(input) > 0 {
		number, kind, size := protowire.ConsumeField(input)
		if size < 0 {
			return nil, nil, malformed(size)
		}
		if number == inputContents && kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(input)
			if content, _ := protowire.ConsumeBytes(input[tag:]); len(content) > 0 {
				typed = append(typed, content)
			}
		} else {
			head = append(head, input[:size]...)
		}
		if len(typed) > maxInputs || len(head) > maxHead {
			return nil, nil, status.Errorf(codes.InvalidArgument, "an input has more than %d pieces of contents, or %d bytes beside them", maxInputs, maxHead)
		}
		input = input[size:]
	}
	return head, typed, nil
}

// decodeTyped is the raw form of n typed values of an INT32 tensor: little-endian.
func decodeTyped(typed [][]byte, n int) ([]byte, error) {
	raw := make([]byte, 0, 4*n)
	add := func(value uint64) error {
		if len(raw) == cap(raw) {
			return status.Errorf(codes.InvalidArgument, "the input has more than the %d int_contents of its shape", n)
		}
		raw = binary.LittleEndian.AppendUint32(raw, uint32(value))
		return nil
	}
	for _, content := range typed {
		for len(content) > 0 {
			number, kind, tag := protowire.ConsumeTag(content)
			if tag < 0 {
				return nil, malformed(tag)
			}
			if number != intContents {
				name := "an unknown field"
				if int(number) < len(contentNames) {
					name = contentNames[number]
				}
				return nil, status.Errorf(codes.InvalidArgument, "the contents of the input are in %s, those of INT32 are int_contents", name)
			}
			content = content[tag:]
			values, size := content, 0
			switch kind {
			case protowire.BytesType: // packed
				values, size = protowire.ConsumeBytes(content)
			case protowire.VarintType:
				if _, size = protowire.ConsumeVarint(content); size > 0 {
					values = content[:size]
				}
			default:
				return nil, status.Error(codes.InvalidArgument, "int_contents of the input are no integers")
			}
			if size < 0 {
				return nil, malformed(size)
			}
			content = content[size:]
			for len(values) > 0 {
				value, size := protowire.ConsumeVarint(values)
				if size < 0 {
					return nil, malformed(size)
				}
				if err := add(value); err != nil {
					return nil, err
				}
				values = values[size:]
			}
		}
	}
	if len(raw) < cap(raw) {
		return nil, status.Errorf(codes.InvalidArgument, "the input has %d int_contents, want %d", len(raw)/4, n)
	}
	return raw, nil
}

// appendTyped appends an output of an answer with room for size bytes of fp32_contents, which end the answer so far. tensor
// is the output without contents. Packed floats are written as raw ones.
func appendTyped(data, tensor []byte, size int) []byte {
	contents := protowire.SizeTag(floatContents) + protowire.SizeBytes(size)
	whole := len(tensor) + protowire.SizeTag(outputContents) + protowire.SizeBytes(contents)
	data = protowire.AppendVarint(protowire.AppendTag(data, outputs, protowire.BytesType), uint64(whole))
	data = append(data, tensor...)
	data = protowire.AppendVarint(protowire.AppendTag(data, outputContents, protowire.BytesType), uint64(contents))
	data = protowire.AppendVarint(protowire.AppendTag(data, floatContents, protowire.BytesType), uint64(size))
	return data[:len(data)+size]
}
