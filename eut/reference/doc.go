// Package reference evaluates a net's ONNX graph in Go on gorgonia tensors: slow, plain and independent of ONNX
// Runtime, which it checks. It is for tests and tools; the engine's own packages do not import it.
//
// It knows the operators that the exporter of this repository uses, by the definitions of ONNX operator set 17
// (onnx.ai/onnx/operators), on float32 and int64 values; an int32 is widened when read.
package reference
