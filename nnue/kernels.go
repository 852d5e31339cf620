package nnue

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// kernels is one implementation of the hot loops. Widths are columns, multiples of 64; arrays begin on a cache line.
type kernels struct {
	name string
	// update is dst[width] = src[width] + the first adds of rows of table - the next subs of rows, modulo 2^16.
	update func(dst, src, table *int16, width int, rows *uint32, adds, subs int)
	// hidden is the policy's hidden layer: with a = bias[width] + the n rows of table modulo 2^16, clamped to 0..255,
	// dst[width] = (a*a + 128) / 256.
	hidden func(dst *uint8, bias *int16, table *int8, width int, rows *uint32, n int)
	// dots is the products of hidden[width] and n rows of table.
	dots func(dst *int32, hidden *uint8, table *int8, width int, rows *uint32, n int)
	// value is the sum over columns of clamp(own)^2 * weights[0][width] + clamp(other)^2 * weights[1][width], values
	// clamped to 0..255, weights at most maxOut and such that no lane overflows (checkLanes).
	value func(own, other, weights *int16, width int) int64
	// heads is value for the three heads of weights[3][2][width].
	heads func(dst *int64, own, other, weights *int16, width int)
}

// kernelVariable names the kernels to use instead of the best.
const kernelVariable = "TESLA_NNUE_KERNEL"

// available are the kernels that this processor runs, the best first; generic is the last.
var available = append(vectorKernels(), &genericKernels)

// active are the kernels that new Stacks and Workers use.
var active, errKernel = chooseKernels(os.Getenv(kernelVariable))

// chooseKernels returns the kernels called name, the best where it is empty or not available.
func chooseKernels(name string) (*kernels, error) {
	if name == "" {
		return available[0], nil
	}
	if i := slices.IndexFunc(available, func(k *kernels) bool { return k.name == name }); i >= 0 {
		return available[i], nil
	}
	return available[0], fmt.Errorf("%s: no kernel %q on this processor, which has %s", kernelVariable, name, strings.Join(kernelNames(), ", "))
}

// Kernel is the name of the kernels in use. It is an error where TESLA_NNUE_KERNEL asks for others that are not there.
func Kernel() (string, error) { return active.name, errKernel }

// kernelNames are the names of the kernels that this processor runs, the best first.
func kernelNames() []string {
	var names []string
	for _, k := range available {
		names = append(names, k.name)
	}
	return names
}
