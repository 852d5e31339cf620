package nnue

// FloatNet is a net in real numbers, after division by all scales. The float64 reference computes with it.
type FloatNet struct {
	Header
	ValueFT, ValueBias                 []float32 // [K*768][H], [H]
	Layer1, ValueBias1                 []float32 // [8][16][2H], [8][16]
	Layer2, ValueBias2                 []float32 // [8][32][32], [8][32]
	Layer3, ValueBias3                 []float32 // [8][3][32], [8][3]
	PolicyFT, PolicyBias, Rows1, Rows2 []float32 // [3200][P], [P], [3716][P], [768][P]
	Bias1, Bias2, Bias3                []float32 // [3716], [768], [144]
}

// Float returns the rounded net in real numbers.
func (n *Net) Float() *FloatNet {
	v, p := &n.value, &n.policy
	f := &FloatNet{
		Header:  n.Header,
		ValueFT: unscale(v.ft, accScale), ValueBias: unscale(v.bias, accScale),
		Layer1: unstep(v.layer1, v.step1), ValueBias1: v.bias1,
		Layer2: v.layer2, ValueBias2: v.bias2, Layer3: v.layer3, ValueBias3: v.bias3,
		PolicyFT: unscale(p.ft, accScale), PolicyBias: unscale(p.bias, accScale),
		Rows1: unstep(p.rows1, p.step1), Rows2: unstep(p.rows2, p.step2),
		Bias1: p.bias1, Bias2: p.bias2, Bias3: p.bias3,
	}
	f.Header.Float = true
	return f
}

func unscale[T int8 | int16](a []T, scale float32) []float32 {
	out := make([]float32, len(a))
	for i, v := range a {
		out[i] = float32(v) / scale
	}
	return out
}

// unstep returns the real weights of rows of bytes.
func unstep(a []int8, steps []float32) []float32 {
	out := make([]float32, len(a))
	for i, v := range a {
		out[i] = float32(v) * steps[i/(len(a)/len(steps))]
	}
	return out
}
