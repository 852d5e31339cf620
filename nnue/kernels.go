package nnue

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// kernels is one implementation of the hot loops. A width is a number of columns, a multiple of 64. Arrays begin on a
// cache line.
type kernels struct {
	name string
	// update computes dst[width] = src[width] + rows of table - rows of table, modulo 2^16. The first adds elements of
	// rows are added, the next subs elements are subtracted.
	update func(dst, src, table *int16, width int, rows *uint32, adds, subs int)
	// hidden computes the policy's hidden layer: dst[width] = (a*a + 128) / 256, where a is bias[width] + n rows of
	// table, modulo 2^16, then clamped to 0..255.
	hidden func(dst *uint8, bias *int16, table *int8, width int, rows *uint32, n int)
	// dots computes the products of hidden[width], at most 254, with n rows of table, within pairLimit.
	dots func(dst *int32, hidden *uint8, table *int8, width int, rows *uint32, n int)
	// activate computes dst[width] = (a*a + 128) / 256, where a is acc[width], clamped to 0..255.
	activate func(dst *uint8, acc *int16, width int)
	// head computes the outputs dst[3] of the layers of the value net behind the sums[16] of the first, with a tail of
	// weights. All kernels add the same numbers in the same order, so that they give the same bits.
	head func(dst *float32, sums *int32, tail *float32)
}

// kernelVariable is the environment variable that names the kernels to use instead of the best ones.
const kernelVariable = "TESLA_NNUE_KERNEL"

// available holds the kernels that this processor runs, the best ones first, the generic ones last.
var available = append(vectorKernels(), &genericKernels)

// active holds the kernels that new Stacks and Workers use.
var active, errKernel = chooseKernels(os.Getenv(kernelVariable))

// chooseKernels returns the kernels called name. If name is empty or not available, it returns the best ones.
func chooseKernels(name string) (*kernels, error) {
	if name == "" {
		return available[0], nil
	}
	if i := slices.IndexFunc(available, func(k *kernels) bool { return k.name == name }); i >= 0 {
		return available[i], nil
	}
	return available[0], fmt.Errorf("%s: no kernels %q on this processor, only %s", kernelVariable, name, strings.Join(kernelNames(), ", "))
}

// Kernel returns the name of the kernels in use. It returns an error, too, if TESLA_NNUE_KERNEL names kernels that this
// processor does not have.
func Kernel() (string, error) { return active.name, errKernel }

func kernelNames() []string {
	var names []string
	for _, k := range available {
		names = append(names, k.name)
	}
	return names
}
