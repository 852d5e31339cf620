package nnue

import "unsafe"

// genericKernels are plain Go, for processors without vector kernels. Tests compare the vector kernels with them.
var genericKernels = kernels{name: "generic", update: updateGeneric, hidden: hiddenGeneric, dots: dotsGeneric,
	value: valueGeneric, heads: headsGeneric}

// row is a row of a table.
func row[T int8 | int16](table *T, width int, i uint32) []T {
	return unsafe.Slice((*T)(unsafe.Add(unsafe.Pointer(table), uintptr(i)*uintptr(width)*unsafe.Sizeof(*table))), width)
}

func updateGeneric(dst, src, table *int16, width int, rows *uint32, adds, subs int) {
	out := unsafe.Slice(dst, width)
	copy(out, unsafe.Slice(src, width))
	list := unsafe.Slice(rows, adds+subs)
	for _, i := range list[:adds] {
		r := row(table, width, i)[:len(out)]
		for k := range out {
			out[k] += r[k]
		}
	}
	for _, i := range list[adds:] {
		r := row(table, width, i)[:len(out)]
		for k := range out {
			out[k] -= r[k]
		}
	}
}

// genericBlock is the number of columns of the hidden layer that are summed at a time.
const genericBlock = 64

func hiddenGeneric(dst *uint8, bias *int16, table *int8, width int, rows *uint32, n int) {
	out, start, list := unsafe.Slice(dst, width), unsafe.Slice(bias, width), unsafe.Slice(rows, n)
	var sums [genericBlock]int16
	for at := 0; at < width; at += genericBlock {
		copy(sums[:], start[at:])
		for _, i := range list {
			r := row(table, width, i)[at:][:genericBlock]
			for k := range sums {
				sums[k] += int16(r[k])
			}
		}
		for k, a := range sums {
			v := int32(max(0, min(accScale, a)))
			out[at+k] = uint8((v*v + 1<<(hiddenShift-1)) >> hiddenShift)
		}
	}
}

func dotsGeneric(dst *int32, hidden *uint8, table *int8, width int, rows *uint32, n int) {
	out, h := unsafe.Slice(dst, n), unsafe.Slice(hidden, width)
	for i, r := range unsafe.Slice(rows, n) {
		w := row(table, width, r)[:len(h)]
		var sum int32
		for k, v := range h {
			sum += int32(v) * int32(w[k])
		}
		out[i] = sum
	}
}

func valueGeneric(own, other, weights *int16, width int) int64 {
	return half(own, weights, width, 0) + half(other, weights, width, 1)
}

// half is the part of one accumulator in a head.
func half(acc, weights *int16, width int, i uint32) (sum int64) {
	w := row(weights, width, i)
	for k, a := range unsafe.Slice(acc, width) {
		v := int32(max(0, min(accScale, a)))
		sum += int64(v * v * int32(w[k]))
	}
	return sum
}

func headsGeneric(dst *int64, own, other, weights *int16, width int) {
	for i, out := uint32(0), unsafe.Slice(dst, heads); i < heads; i++ {
		out[i] = half(own, weights, width, 2*i) + half(other, weights, width, 2*i+1)
	}
}
