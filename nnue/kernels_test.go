package nnue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// useKernel makes the Stacks and Workers of a test use the kernels k.
func useKernel(t testing.TB, k *kernels) {
	t.Helper()
	old := active
	active = k
	t.Cleanup(func() { active = old })
}

// eachKernel runs f with all kernels of this processor in turn.
func eachKernel(t *testing.T, f func(t *testing.T)) {
	for _, k := range available {
		t.Run(k.name, func(t *testing.T) {
			useKernel(t, k)
			f(t)
		})
	}
}

// fill chooses the elements of test arrays: extremes only, or any values.
type fill struct {
	name string
	pick func(rnd *rand.Rand, low, high int) int
}

var fills = []fill{
	{"highest", func(_ *rand.Rand, _, high int) int { return high }},
	{"lowest", func(_ *rand.Rand, low, _ int) int { return low }},
	{"extremes", func(rnd *rand.Rand, low, high int) int { return []int{low, high}[rnd.IntN(2)] }},
	{"random", func(rnd *rand.Rand, low, high int) int { return low + rnd.IntN(high-low+1) }},
}

func filled[T int8 | uint8 | int16](rnd *rand.Rand, f fill, n, low, high int) []T {
	a := aligned[T](n)
	for i := range a {
		a[i] = T(f.pick(rnd, low, high))
	}
	return a
}

// rowsOf returns the numbers of n random rows of a table with size rows. It has at least one element, so that it has an
// address.
func rowsOf(rnd *rand.Rand, n, size int) []uint32 {
	list := make([]uint32, max(n, 1))
	for i := range list {
		list[i] = uint32(rnd.IntN(size))
	}
	return list
}

// crossCheck calls f for all vector kernels, widths and fills.
func crossCheck(t *testing.T, f func(rnd *rand.Rand, k *kernels, width int, how fill) error) {
	if len(available) == 1 {
		t.Skip("this processor has only the generic kernels")
	}
	for _, k := range available[:len(available)-1] {
		for _, width := range []int{64, 128, 192, 256, 512, 576, 1024, 2048} {
			for _, how := range fills {
				rnd := rand.New(rand.NewPCG(uint64(width), 7))
				for range 3 {
					if err := f(rnd, k, width, how); err != nil {
						t.Fatalf("%s, width %d, %s: %v", k.name, width, how.name, err)
					}
				}
			}
		}
	}
}

// differ returns an error that names the first difference of two slices.
func differ[T comparable](what string, got, want []T) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("%s: element %d is %v, generic has %v", what, i, got[i], want[i])
		}
	}
	return nil
}

const tableRows = 23

func TestUpdateKernels(t *testing.T) {
	crossCheck(t, func(rnd *rand.Rand, k *kernels, width int, how fill) error {
		table := filled[int16](rnd, how, tableRows*width, -32768, 32767)
		src := filled[int16](rnd, how, width, -32768, 32767)
		for _, n := range [][2]int{{0, 0}, {1, 1}, {1, 2}, {2, 2}, {32, 0}, {0, 3}, {7, 5}} {
			rows := rowsOf(rnd, n[0]+n[1], tableRows)
			got, want := aligned[int16](width), aligned[int16](width)
			k.update(&got[0], &src[0], &table[0], width, &rows[0], n[0], n[1])
			updateGeneric(&want[0], &src[0], &table[0], width, &rows[0], n[0], n[1])
			if err := differ(fmt.Sprint(n), got, want); err != nil {
				return err
			}
			own := slices.Clone(src) // in place, and not at the beginning of a cache line
			k.update(&own[0], &own[0], &table[0], width, &rows[0], n[0], n[1])
			if err := differ("in place", own, want); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestHiddenKernels(t *testing.T) {
	crossCheck(t, func(rnd *rand.Rand, k *kernels, width int, how fill) error {
		table := filled[int8](rnd, how, tableRows*width, -128, 127)
		bias := filled[int16](rnd, how, width, -32768, 32767)
		if how.name == "random" {
			for i := range bias { // so that many sums lie within the range of the activation
				bias[i] >>= 8
			}
		}
		for _, n := range []int{0, 1, 2, 32, 48} {
			rows := rowsOf(rnd, n, tableRows)
			got, want := aligned[uint8](width), aligned[uint8](width)
			k.hidden(&got[0], &bias[0], &table[0], width, &rows[0], n)
			hiddenGeneric(&want[0], &bias[0], &table[0], width, &rows[0], n)
			if err := differ(fmt.Sprint(n, " rows"), got, want); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestDotsKernels(t *testing.T) {
	crossCheck(t, func(rnd *rand.Rand, k *kernels, width int, how fill) error {
		table := filled[int8](rnd, how, tableRows*width, -128, 127)
		for i := 1; i < len(table); i += 2 {
			most := pairLimit - max(int(table[i-1]), -int(table[i-1]))
			table[i] = int8(max(-most, min(most, int(table[i]))))
		}
		hidden := filled[uint8](rnd, how, width, 0, 254)
		for _, n := range []int{0, 1, 2, 3, 40} {
			rows := rowsOf(rnd, n, tableRows)
			got, want := make([]int32, n+1), make([]int32, n+1)
			k.dots(&got[0], &hidden[0], &table[0], width, &rows[0], n)
			dotsGeneric(&want[0], &hidden[0], &table[0], width, &rows[0], n)
			if err := differ(fmt.Sprint(n, " rows"), got, want); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestActivateKernels(t *testing.T) {
	crossCheck(t, func(rnd *rand.Rand, k *kernels, width int, how fill) error {
		acc := filled[int16](rnd, how, width, -32768, 32767)
		if how.name == "random" {
			for i := range acc {
				acc[i] >>= 6
			}
		}
		got, want := aligned[uint8](width), aligned[uint8](width)
		k.activate(&got[0], &acc[0], width)
		activateGeneric(&want[0], &acc[0], width)
		return differ("activations", got, want)
	})
}

// The layers of floats give the same bits by all kernels, whatever the order in which their numbers cancel.
func TestHeadKernels(t *testing.T) {
	crossCheck(t, func(rnd *rand.Rand, k *kernels, width int, _ fill) error {
		tail, sums := aligned[float32](tailSize), aligned[int32](layer1)
		for i := range tail {
			tail[i] = 2*rnd.Float32() - 1
		}
		for i := range sums {
			tail[i] /= 1e6
			sums[i] = rnd.Int32N(4000000) - 2000000
		}
		var got, want [heads]float32
		k.head(&got[0], &sums[0], &tail[0])
		headGeneric(&want[0], &sums[0], &tail[0])
		return differ("outputs", got[:], want[:])
	})
}

func TestChooseKernels(t *testing.T) {
	for _, name := range kernelNames() {
		if k, err := chooseKernels(name); err != nil || k.name != name {
			t.Errorf("%s: %s, %v", name, k.name, err)
		}
	}
	if k, err := chooseKernels(""); err != nil || k != available[0] {
		t.Errorf("the best: %s, %v", k.name, err)
	}
	if k, err := chooseKernels("abacus"); err == nil || k != available[0] {
		t.Errorf("abacus: %s, %v", k.name, err)
	} else {
		t.Log(err)
	}
}
