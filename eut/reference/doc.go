// Package reference evaluates the ONNX graph of a net in Go, on gorgonia tensors. It is slow, plain and independent of
// ONNX Runtime. Tests and "tesla doctor --verify" (package lab/verify) compare backends with it. The packages of the
// engine do not import it.
//
// It has the operators that the exporter of this repository uses, by the definitions of ONNX operator set 17
// (onnx.ai/onnx/operators), on float32 and int64 values. It widens an int32 when it reads it.
package reference
