//go:build !amd64

package nnue

func vectorKernels() []*kernels { return nil }
