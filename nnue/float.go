package nnue

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// FloatNet is a net in real numbers, after division by all scales. It comes from the file that training writes beside
// the rounded net, or from a rounded net. The float64 reference computes with it.
type FloatNet struct {
	Header
	ValueFT, ValueBias                 []float32 // [K*768][H], [H]
	Layer1, ValueStep1, ValueBias1     []float32 // [8][16][2H], [8][16], [8][16]
	Layer2, ValueBias2                 []float32 // [8][32][32], [8][32]
	Layer3, ValueBias3                 []float32 // [8][3][32], [8][3]
	PolicyFT, PolicyBias, Rows1, Rows2 []float32 // [3200][P], [P], [3716][P], [768][P]
	Step1, Step2, Bias1, Bias2, Bias3  []float32 // [3716], [768], [3716], [768], [144]
}

// arrays are the net's arrays in the order of the file.
func (f *FloatNet) arrays() []*[]float32 {
	return []*[]float32{&f.ValueFT, &f.ValueBias, &f.Layer1, &f.ValueStep1, &f.ValueBias1, &f.Layer2, &f.ValueBias2, &f.Layer3,
		&f.ValueBias3, &f.PolicyFT, &f.PolicyBias, &f.Rows1, &f.Rows2, &f.Step1, &f.Step2, &f.Bias1, &f.Bias2, &f.Bias3}
}

// ReadFloat reads a net file whose header says "float". Its errors are those of Read.
func ReadFloat(data []byte) (*FloatNet, error) {
	h, arrays, err := parse(data)
	if err == nil && !h.Float {
		err = errors.New("header: not float")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	f := &FloatNet{Header: h}
	for i, dst := range f.arrays() {
		*dst = floats(arrays[i])
		for k, x := range *dst {
			if x-x != 0 {
				return nil, fmt.Errorf("%w: %s: element %d is %v", ErrFormat, h.sections()[i].name, k, x)
			}
		}
	}
	return f, nil
}

// Write writes the net as a file.
func (f *FloatNet) Write(w io.Writer) error {
	f.Float = true
	var arrays []any
	for _, a := range f.arrays() {
		arrays = append(arrays, *a)
	}
	data, err := encode(&f.Header, arrays...)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("writing net: %w", err)
	}
	return nil
}

// Float returns the rounded net in real numbers.
func (n *Net) Float() *FloatNet {
	v, p := &n.value, &n.policy
	f := &FloatNet{
		Header:  n.Header,
		ValueFT: unscale(v.ft, accScale), ValueBias: unscale(v.bias, accScale),
		Layer1: unstep(v.layer1, v.step1), ValueStep1: ones(outBuckets * layer1), ValueBias1: v.bias1,
		Layer2: v.layer2, ValueBias2: v.bias2, Layer3: v.layer3, ValueBias3: v.bias3,
		PolicyFT: unscale(p.ft, accScale), PolicyBias: unscale(p.bias, accScale),
		Rows1: unstep(p.rows1, p.step1), Rows2: unstep(p.rows2, p.step2), Step1: ones(rows1), Step2: ones(rows2),
		Bias1: p.bias1, Bias2: p.bias2, Bias3: p.bias3,
	}
	f.Header.Float = true
	return f
}

// unscale divides integers by their scale.
func unscale[T int8 | int16](a []T, scale float32) []float32 {
	out := make([]float32, len(a))
	for i, v := range a {
		out[i] = float32(v) / scale
	}
	return out
}

// Round returns the net in integers. It rounds each weight to the nearest integer and clamps it to its range.
func (f *FloatNet) Round() *Net {
	n := &Net{Header: f.Header}
	n.Header.Float = false
	v, p := &n.value, &n.policy
	const word, octet = 1<<15 - 1, 1<<7 - 1
	v.ft, v.bias = scale[int16](f.ValueFT, accScale, word), scale[int16](f.ValueBias, accScale, word)
	v.layer1, v.step1 = step(f.Layer1, outBuckets*layer1)
	v.bias1, v.layer2, v.bias2, v.layer3, v.bias3 = f.ValueBias1, f.Layer2, f.ValueBias2, f.Layer3, f.ValueBias3
	p.ft, p.bias = scale[int8](f.PolicyFT, accScale, octet), scale[int16](f.PolicyBias, accScale, word)
	p.rows1, p.step1 = step(f.Rows1, rows1)
	p.rows2, p.step2 = step(f.Rows2, rows2)
	p.bias1, p.bias2, p.bias3 = f.Bias1, f.Bias2, f.Bias3
	n.setViews()
	n.setTails()
	return n
}

// scale multiplies weights by their scale, rounds them and clamps them to -most..most.
func scale[T int8 | int16](a []float32, by float32, most float64) []T {
	out := aligned[T](len(a))
	for i, v := range a {
		out[i] = T(max(-most, min(most, math.RoundToEven(float64(v*by)))))
	}
	return out
}

// step rounds count rows of weights to bytes within pairLimit. Each row has a step of its own; the step of a row of zeros
// is 1.
func step(a []float32, count int) ([]int8, []float32) {
	out, steps := aligned[int8](len(a)), ones(count)
	width := len(a) / count
	for r := range steps {
		row, most := a[r*width:][:width], float32(0)
		for i := 0; i < width; i += 2 {
			a, b := max(row[i], -row[i]), max(row[i+1], -row[i+1])
			most = max(most, a/127, b/127, (a+b)/(pairLimit-1)) // rounding may add one to a pair
		}
		if most > 0 {
			steps[r] = most
		}
		for i, v := range row {
			out[r*width+i] = int8(math.RoundToEven(float64(v / steps[r])))
		}
	}
	return out, steps
}

// unstep returns the real weights of rows of bytes.
func unstep(a []int8, steps []float32) []float32 {
	out := make([]float32, len(a))
	for i, v := range a {
		out[i] = float32(v) * steps[i/(len(a)/len(steps))]
	}
	return out
}

func ones(n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = 1
	}
	return out
}
