package nnue

import "unsafe"

// genericKernels are written in Go, for processors without vector kernels. Tests compare the vector kernels with them.
var genericKernels = kernels{name: "generic", update: updateGeneric, hidden: hiddenGeneric, dots: dotsGeneric,
	activate: activateGeneric, head: headGeneric}

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
		activateGeneric(&out[at], &sums[0], genericBlock)
	}
}

func activateGeneric(dst *uint8, acc *int16, width int) {
	out := unsafe.Slice(dst, width)
	for k, a := range unsafe.Slice(acc, width) {
		v := int32(max(0, min(accScale, a)))
		out[k] = uint8((v*v + 1<<(hiddenShift-1)) >> hiddenShift)
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

// headGeneric converts each product to float32 before it is added. Without that a compiler may fuse the multiplication
// and the addition, which gives other bits.
func headGeneric(dst *float32, sums *int32, tail *float32) {
	out, t := unsafe.Slice(dst, heads), unsafe.Slice(tail, tailSize)
	var x [2 * layer1]float32
	for i, sum := range unsafe.Slice(sums, layer1) {
		z := float32(float32(sum)*t[i]) + t[tailBias1+i]
		x[i], x[layer1+i] = min(float32(z*z), 1), clip(z)
	}
	// Inputs with even and with odd numbers are added apart, as two chains of additions take half the time of one.
	var y [2][layer2]float32
	copy(y[0][:], t[tailBias2:])
	for k, v := range x {
		for i, w := range t[tailLayer2+k*layer2:][:layer2] {
			y[k%2][i] += float32(v * w)
		}
	}
	for i := range layer2 {
		y[0][i] = clip(y[0][i] + y[1][i])
	}
	for i := range heads {
		var p [layer2]float32
		for k, w := range t[tailLayer3+i*layer2:][:layer2] {
			p[k] = float32(y[0][k] * w)
		}
		for half := layer2 / 2; half > 0; half /= 2 {
			for k := range half {
				p[k] += p[k+half]
			}
		}
		out[i] = p[0] + t[tailBias3+i]
	}
}

func clip(x float32) float32 { return max(0, min(1, x)) }
