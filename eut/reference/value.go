package reference

import (
	"fmt"
	"slices"

	"gorgonia.org/tensor"
)

// value is a row-major tensor of float32 or int64: exactly one of f and i is used. Linear algebra is gorgonia's, which
// has no zero-dimensional tensors; so values are slices with a shape.
type value struct {
	shape []int
	f     []float32
	i     []int64
}

func sizeOf(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func newFloats(shape []int) *value {
	return &value{shape: slices.Clone(shape), f: make([]float32, sizeOf(shape))}
}

func (v *value) isFloat() bool { return v.i == nil }

func (v *value) size() int { return sizeOf(v.shape) }

// withShape is the data of v with another shape of the same size.
func (v *value) withShape(shape []int) (*value, error) {
	if sizeOf(shape) != v.size() {
		return nil, fmt.Errorf("shape %v does not hold the %d values of %v", shape, v.size(), v.shape)
	}
	return &value{shape: shape, f: v.f, i: v.i}, nil
}

// dense is a gorgonia tensor on the floats of v.
func (v *value) dense(shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithShape(shape...), tensor.WithBacking(v.f))
}

// axis is axis a of v. A negative a counts from the end.
func (v *value) axis(a int64) (int, error) {
	if a < 0 {
		a += int64(len(v.shape))
	}
	if a < 0 || a >= int64(len(v.shape)) {
		return 0, fmt.Errorf("axis %d of shape %v", a, v.shape)
	}
	return int(a), nil
}

// gather is a value of the given shape. Its element at is element index(at) of v.
func (v *value) gather(shape []int, index func(at int) int) *value {
	out := &value{shape: shape}
	n := sizeOf(shape)
	if v.isFloat() {
		out.f = make([]float32, n)
		for at := range out.f {
			out.f[at] = v.f[index(at)]
		}
		return out
	}
	out.i = make([]int64, n)
	for at := range out.i {
		out.i[at] = v.i[index(at)]
	}
	return out
}

// broadcast is the common shape of a and b by the broadcasting rules of NumPy.
func broadcast(a, b []int) ([]int, error) {
	shape := make([]int, max(len(a), len(b)))
	for k := range shape {
		da, db := 1, 1
		if i := k - len(shape) + len(a); i >= 0 {
			da = a[i]
		}
		if i := k - len(shape) + len(b); i >= 0 {
			db = b[i]
		}
		if da != db && da != 1 && db != 1 {
			return nil, fmt.Errorf("shapes %v and %v, want those that broadcast", a, b)
		}
		shape[k] = max(da, db)
		if da == 0 || db == 0 {
			shape[k] = 0
		}
	}
	return shape, nil
}

// expand is v, repeated to a shape that it broadcasts to.
func (v *value) expand(shape []int) *value {
	if slices.Equal(v.shape, shape) {
		return v
	}
	steps := make([]int, len(shape)) // the distance in v between neighbours along each axis of shape
	step := 1
	for k := len(v.shape) - 1; k >= 0; k-- {
		if v.shape[k] > 1 {
			steps[k+len(shape)-len(v.shape)] = step
		}
		step *= v.shape[k]
	}
	return v.gather(shape, func(at int) int { return offset(at, shape, steps) })
}

// offset is the place of element at of shape, where neighbours along an axis are steps apart.
func offset(at int, shape, steps []int) int {
	place := 0
	for k := len(shape) - 1; k >= 0; k-- {
		place += at % shape[k] * steps[k]
		at /= shape[k]
	}
	return place
}
