package reference

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// operator evaluates a node with one output.
type operator struct {
	inputs int // the least number of inputs
	f      func(n *node, in []*value) (*value, error)
}

var operators map[string]*operator

func init() {
	binary := func(f func(a, b float32) float32, i func(a, b int64) int64) *operator {
		return &operator{2, func(_ *node, in []*value) (*value, error) { return elementwise(in[0], in[1], f, i) }}
	}
	unary := func(f func(x float64) float64) *operator {
		return &operator{1, func(_ *node, in []*value) (*value, error) { return each(in[0], f) }}
	}
	operators = map[string]*operator{
		"Add": binary(func(a, b float32) float32 { return a + b }, func(a, b int64) int64 { return a + b }),
		"Sub": binary(func(a, b float32) float32 { return a - b }, func(a, b int64) int64 { return a - b }),
		"Mul": binary(func(a, b float32) float32 { return a * b }, func(a, b int64) int64 { return a * b }),
		"Div": binary(func(a, b float32) float32 { return a / b }, nil),

		"Relu":       unary(func(x float64) float64 { return max(x, 0) }),
		"Sqrt":       unary(math.Sqrt),
		"Reciprocal": unary(func(x float64) float64 { return 1 / x }),
		"Softplus":   unary(func(x float64) float64 { return math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) }),

		"Cast":               {1, cast},
		"Concat":             {1, concat},
		"Constant":           {0, constant},
		"Gather":             {2, gather},
		"Gemm":               {2, gemm},
		"Identity":           {1, func(_ *node, in []*value) (*value, error) { return in[0], nil }},
		"LayerNormalization": {2, layerNormalization},
		"MatMul":             {2, matMul},
		"ReduceMean":         {1, func(n *node, in []*value) (*value, error) { return reduce(n, in[0], mean) }},
		"ReduceSumSquare":    {1, func(n *node, in []*value) (*value, error) { return reduce(n, in[0], sumSquare) }},
		"Reshape":            {2, reshape},
		"Shape":              {1, shapeOf},
		"Slice":              {3, slice},
		"Softmax":            {1, softmax},
		"Transpose":          {1, transpose},
	}
}

// evaluate runs the operator of n after checks that all operators share.
func evaluate(n *node, in []*value) (*value, error) {
	op := operators[n.op]
	if len(in) < op.inputs || slices.Contains(in[:op.inputs], nil) || len(n.outputs) != 1 {
		return nil, fmt.Errorf("%d inputs and %d outputs, want at least %d and 1", len(in), len(n.outputs), op.inputs)
	}
	return op.f(n, in)
}

func elementwise(a, b *value, f func(a, b float32) float32, i func(a, b int64) int64) (*value, error) {
	shape, err := broadcast(a.shape, b.shape)
	if err != nil {
		return nil, err
	}
	if a.isFloat() != b.isFloat() || !a.isFloat() && i == nil {
		return nil, errors.New("element types of the operands")
	}
	a, b = a.expand(shape), b.expand(shape)
	if !a.isFloat() {
		out := &value{shape: shape, i: make([]int64, len(a.i))}
		for k := range out.i {
			out.i[k] = i(a.i[k], b.i[k])
		}
		return out, nil
	}
	out := newFloats(shape)
	for k := range out.f {
		out.f[k] = f(a.f[k], b.f[k])
	}
	return out, nil
}

var errNotFloat = errors.New("operand other than float32")

func each(v *value, f func(float64) float64) (*value, error) {
	if !v.isFloat() {
		return nil, errNotFloat
	}
	out := newFloats(v.shape)
	for k, x := range v.f {
		out.f[k] = float32(f(float64(x)))
	}
	return out, nil
}

func constant(n *node, _ []*value) (*value, error) {
	if v := n.tensors["value"]; v != nil {
		return v, nil
	}
	return nil, errors.New("no tensor \"value\"")
}

// intOr is the integer of an attribute, or def if there is no such attribute.
func (n *node) intOr(name string, def int64) int64 {
	if v := n.ints[name]; len(v) == 1 {
		return v[0]
	}
	return def
}

func (n *node) floatOr(name string, def float32) float32 {
	if v, ok := n.floats[name]; ok {
		return v
	}
	return def
}

func cast(n *node, in []*value) (*value, error) {
	v := in[0]
	switch to := n.intOr("to", 0); to {
	case typeFloat:
		if v.isFloat() {
			return v, nil
		}
		out := newFloats(v.shape)
		for k, x := range v.i {
			out.f[k] = float32(x)
		}
		return out, nil
	case typeInt32, typeInt64:
		if !v.isFloat() {
			return v, nil
		}
		return nil, errors.New("cast of float32 to an integer")
	default:
		return nil, fmt.Errorf("cast to element type %d", to)
	}
}

// matMul multiplies matrices, which are the last two axes. The other axes broadcast.
func matMul(_ *node, in []*value) (*value, error) {
	a, b := in[0], in[1]
	if len(a.shape) < 2 || len(b.shape) < 2 || !a.isFloat() || !b.isFloat() {
		return nil, fmt.Errorf("shapes %v and %v, want float32 of two or more axes", a.shape, b.shape)
	}
	la, lb := len(a.shape)-2, len(b.shape)-2
	rows, inner, columns := a.shape[la], a.shape[la+1], b.shape[lb+1]
	batch, err := broadcast(a.shape[:la], b.shape[:lb])
	if err != nil || b.shape[lb] != inner {
		return nil, fmt.Errorf("shapes %v and %v, want those of a product", a.shape, b.shape)
	}
	a = a.expand(append(slices.Clone(batch), rows, inner))
	b = b.expand(append(slices.Clone(batch), inner, columns))
	out := newFloats(append(slices.Clone(batch), rows, columns))
	for k := range sizeOf(batch) {
		x := tensor.New(tensor.WithShape(rows, inner), tensor.WithBacking(a.f[k*rows*inner:][:rows*inner]))
		y := tensor.New(tensor.WithShape(inner, columns), tensor.WithBacking(b.f[k*inner*columns:][:inner*columns]))
		z, err := tensor.MatMul(x, y)
		if err != nil {
			return nil, err
		}
		copy(out.f[k*rows*columns:], floats(z))
	}
	return out, nil
}

// floats is the data of a gorgonia tensor. gorgonia gives a single number without a slice.
func floats(t tensor.Tensor) []float32 {
	if x, ok := t.Data().(float32); ok {
		return []float32{x}
	}
	return t.Data().([]float32)
}

func gemm(n *node, in []*value) (*value, error) {
	a, b := in[0], in[1]
	if len(a.shape) != 2 || len(b.shape) != 2 || n.intOr("transA", 0) != 0 || n.floatOr("alpha", 1) != 1 || n.floatOr("beta", 1) != 1 {
		return nil, fmt.Errorf("shapes %v and %v, want matrices, alpha = beta = 1 and transA = 0", a.shape, b.shape)
	}
	if n.intOr("transB", 0) != 0 {
		var err error
		if b, err = permute(b, []int{1, 0}); err != nil {
			return nil, err
		}
	}
	out, err := matMul(n, []*value{a, b})
	if err != nil || len(in) < 3 || in[2] == nil {
		return out, err
	}
	return elementwise(out, in[2], func(a, b float32) float32 { return a + b }, nil)
}

func transpose(n *node, in []*value) (*value, error) {
	axes := make([]int, len(in[0].shape))
	for k := range axes {
		axes[k] = len(axes) - 1 - k
	}
	if perm := n.ints["perm"]; perm != nil {
		if len(perm) != len(axes) {
			return nil, fmt.Errorf("perm %v of shape %v", perm, in[0].shape)
		}
		for k, p := range perm {
			axes[k] = int(p)
		}
	}
	return permute(in[0], axes)
}

func permute(v *value, axes []int) (*value, error) {
	if !v.isFloat() {
		return nil, errNotFloat
	}
	t, err := tensor.Transpose(v.dense(v.shape...), axes...)
	if err != nil {
		return nil, err
	}
	return &value{shape: slices.Clone([]int(t.Shape())), f: floats(t)}, nil
}

func softmax(n *node, in []*value) (*value, error) {
	v := in[0]
	if !v.isFloat() {
		return nil, errNotFloat
	}
	axis, err := v.axis(n.intOr("axis", -1))
	if err != nil || axis != len(v.shape)-1 {
		return nil, fmt.Errorf("axis %d of shape %v, want the last", axis, v.shape)
	}
	out := newFloats(v.shape)
	width := v.shape[axis]
	for at := 0; at < len(v.f); at += width {
		best := slices.Max(v.f[at : at+width])
		var sum float64
		for _, x := range v.f[at : at+width] {
			sum += math.Exp(float64(x - best))
		}
		for k, x := range v.f[at : at+width] {
			out.f[at+k] = float32(math.Exp(float64(x-best)) / sum)
		}
	}
	return out, nil
}
