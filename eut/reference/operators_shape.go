package reference

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

func shapeOf(_ *node, in []*value) (*value, error) {
	out := &value{shape: []int{len(in[0].shape)}, i: make([]int64, len(in[0].shape))}
	for k, d := range in[0].shape {
		out.i[k] = int64(d)
	}
	return out, nil
}

// reshape implements Reshape. A length of 0 means that of the input's axis; -1, at most once, means what remains.
func reshape(n *node, in []*value) (*value, error) {
	shape := make([]int, len(in[1].i))
	rest, known := -1, 1
	for k, d := range in[1].i {
		switch {
		case d == -1 && rest < 0:
			rest = k
			continue
		case d == 0 && n.intOr("allowzero", 0) == 0 && k < len(in[0].shape):
			shape[k] = in[0].shape[k]
		case d > 0 && d < 1<<28:
			shape[k] = int(d)
		default:
			return nil, fmt.Errorf("shape %v", in[1].i)
		}
		known *= shape[k]
	}
	if rest >= 0 {
		shape[rest] = in[0].size() / max(known, 1)
	}
	return in[0].withShape(shape)
}

func concat(n *node, in []*value) (*value, error) {
	if slices.Contains(in, nil) {
		return nil, errors.New("an input is left out")
	}
	axis, err := in[0].axis(n.intOr("axis", 0))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(in[0].shape)
	shape[axis] = 0
	outer := sizeOf(in[0].shape[:axis])
	for _, v := range in {
		same := slices.Clone(v.shape)
		if len(same) != len(shape) || v.isFloat() != in[0].isFloat() {
			return nil, fmt.Errorf("shapes %v and %v", in[0].shape, v.shape)
		}
		same[axis] = in[0].shape[axis]
		if !slices.Equal(same, in[0].shape) {
			return nil, fmt.Errorf("shapes %v and %v", in[0].shape, v.shape)
		}
		shape[axis] += v.shape[axis]
	}
	out := &value{shape: shape}
	for row := range outer {
		for _, v := range in {
			part := v.size() / outer
			if v.isFloat() {
				out.f = append(out.f, v.f[row*part:][:part]...)
			} else {
				out.i = append(out.i, v.i[row*part:][:part]...)
			}
		}
	}
	return out, nil
}

// slice implements Slice for steps of one.
func slice(_ *node, in []*value) (*value, error) {
	v, starts, ends := in[0], in[1].i, in[2].i
	axes := make([]int64, len(starts))
	for k := range axes {
		axes[k] = int64(k)
	}
	if len(in) > 3 && in[3] != nil {
		axes = in[3].i
	}
	if len(in) > 4 && in[4] != nil && slices.ContainsFunc(in[4].i, func(s int64) bool { return s != 1 }) {
		return nil, fmt.Errorf("steps %v, want ones", in[4].i)
	}
	if len(ends) != len(starts) || len(axes) != len(starts) {
		return nil, errors.New("starts, ends and axes differ in length")
	}
	for k := range starts {
		axis, err := v.axis(axes[k])
		if err != nil {
			return nil, err
		}
		v = v.cut(axis, starts[k], ends[k])
	}
	return v, nil
}

// cut is v from start to end along axis. Negative bounds count from the end; both are clamped to the axis.
func (v *value) cut(axis int, start, end int64) *value {
	length := int64(v.shape[axis])
	bound := func(x int64) int {
		if x < 0 {
			x = max(x+length, 0)
		}
		return int(min(x, length))
	}
	from := bound(start)
	shape := slices.Clone(v.shape)
	shape[axis] = max(bound(end)-from, 0)
	inner := sizeOf(v.shape[axis+1:])
	return v.gather(shape, func(at int) int {
		in, row := at%(shape[axis]*inner), at/(shape[axis]*inner)
		return row*int(length)*inner + from*inner + in
	})
}

// gather picks slices along an axis by index. The shape of the indices replaces the axis.
func gather(n *node, in []*value) (*value, error) {
	v, index := in[0], in[1]
	axis, err := v.axis(n.intOr("axis", 0))
	if err != nil {
		return nil, err
	}
	if index.isFloat() {
		return nil, errors.New("the indices are no integers")
	}
	length := v.shape[axis]
	for _, i := range index.i {
		if i < -int64(length) || i >= int64(length) {
			return nil, fmt.Errorf("index %d of an axis of %d", i, length)
		}
	}
	shape := append(append(slices.Clone(v.shape[:axis]), index.shape...), v.shape[axis+1:]...)
	inner, many := sizeOf(v.shape[axis+1:]), len(index.i)
	return v.gather(shape, func(at int) int {
		i := int(index.i[at/inner%many])
		if i < 0 {
			i += length
		}
		return (at/inner/many*length+i)*inner + at%inner
	}), nil
}

func mean(row []float32) float64 {
	var sum float64
	for _, x := range row {
		sum += float64(x)
	}
	return sum / float64(len(row))
}

func sumSquare(row []float32) float64 {
	var sum float64
	for _, x := range row {
		sum += float64(x) * float64(x)
	}
	return sum
}

// reduce applies f along the last axis and keeps it with length one.
func reduce(n *node, v *value, f func(row []float32) float64) (*value, error) {
	axes := n.ints["axes"]
	if !v.isFloat() || len(axes) != 1 || n.intOr("keepdims", 1) != 1 {
		return nil, errors.New("want float32, one axis and keepdims")
	}
	axis, err := v.axis(axes[0])
	if err != nil || axis != len(v.shape)-1 {
		return nil, fmt.Errorf("axis %d of shape %v, want the last", axes[0], v.shape)
	}
	shape := slices.Clone(v.shape)
	width := shape[axis]
	shape[axis] = 1
	out := newFloats(shape)
	for k := range out.f {
		out.f[k] = float32(f(v.f[k*width:][:width]))
	}
	return out, nil
}

// layerNormalization normalizes along the last axis (Ba, Kiros and Hinton 2016).
func layerNormalization(n *node, in []*value) (*value, error) {
	v := in[0]
	axis, err := v.axis(n.intOr("axis", -1))
	if err != nil || axis != len(v.shape)-1 || !v.isFloat() {
		return nil, fmt.Errorf("axis %d of shape %v, want the last of float32", n.intOr("axis", -1), v.shape)
	}
	width := v.shape[axis]
	if in[1].size() != width || len(in) > 2 && in[2] != nil && in[2].size() != width {
		return nil, fmt.Errorf("gain or bias for rows of %d", width)
	}
	out := newFloats(v.shape)
	for at := 0; at < len(v.f); at += width {
		row := v.f[at : at+width]
		m := mean(row)
		variance := max(sumSquare(row)/float64(width)-m*m, 0)
		scale := 1 / math.Sqrt(variance+float64(n.floatOr("epsilon", 1e-5)))
		for k, x := range row {
			y := float32((float64(x) - m) * scale * float64(in[1].f[k]))
			if len(in) > 2 && in[2] != nil {
				y += in[2].f[k]
			}
			out.f[at+k] = y
		}
	}
	return out, nil
}
