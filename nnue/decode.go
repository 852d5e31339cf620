package nnue

import (
	"encoding/binary"
	"math"
)

// bytesOf, ints and floats each decode an array of a file.

func bytesOf(b []byte) []int8 {
	out := aligned[int8](len(b))
	for i, v := range b {
		out[i] = int8(v)
	}
	return out
}

func ints(b []byte) []int16 {
	out := aligned[int16](len(b) / 2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return out
}

func floats(b []byte) []float32 {
	out := aligned[float32](len(b) / 4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}
