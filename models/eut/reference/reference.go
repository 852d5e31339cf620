// Package reference computes the transformer of package eut in float64, in the simplest way: one position at a time, layer by
// layer as scripts/train/fast.py has them, with gorgonia's products of matrices. It reads the weights of a net file, and not how
// the file's graph combines them, so that it is independent of that graph, of the fused one and of ONNX Runtime. Tests and
// "tesla doctor --verify" (package lab/verify) compare backends with it. The packages of the engine do not import it.
package reference

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"tesla/board"
	"tesla/models/eut"
)

const (
	// normEpsilon is added to the variances of layer norms: PyTorch's default.
	normEpsilon = 1e-5
	squares     = 64
	promotions  = eut.PolicySize - squares*squares
)

// Model is a net that can be evaluated. It is constant and safe for concurrent use.
type Model struct {
	net     *eut.Net
	weights map[string][]float64

	latents, width, heads    int // of the stream of latents
	squareWidth, squareHeads int // of the stream of squares
	hidden                   int // of the value's layer
}

// Output is the net's output for one position: the probabilities of win, draw and loss, sigma, and the logits
// [eut.PolicySize] of all moves.
type Output struct {
	WDL    []float64
	Sigma  float64
	Policy []float64
}

// New reads the weights of a net.
func New(net *eut.Net) (*Model, error) {
	weights, squareHeads, err := net.Weights()
	if err != nil {
		return nil, fmt.Errorf("net %s: %w", net.Name, err)
	}
	m := &Model{net: net, weights: map[string][]float64{}, squareHeads: squareHeads}
	for name, values := range weights {
		for _, v := range values {
			m.weights[name] = append(m.weights[name], float64(v))
		}
	}
	size := func(bias string) int { return len(m.weights["trunk."+bias+".bias"]) }
	m.width, m.squareWidth, m.hidden = size("blocks.0.q"), size("squares.q"), size("hidden_flat")
	m.latents = net.Segments["num"][1] / max(m.width, 1)
	m.heads = net.Segments["den"][1] / max(m.latents, 1)
	if min(m.heads, m.squareWidth, m.hidden, net.Segments["sum"][1]) < 1 || m.width%m.heads != 0 || m.squareWidth%m.squareHeads != 0 ||
		net.Segments["num"][1] != m.latents*m.width || net.Segments["den"][1] != m.latents*m.heads {
		return nil, fmt.Errorf("net %s: segments %v for latents of width %d", net.Name, net.Segments, m.width)
	}
	return m, nil
}

// pass is the evaluation of a position.
type pass struct {
	*Model
	err error // of the first weights that lack, or have another size
}

// Forward evaluates a position. The error names weights that lack, or have another size than the net's other weights ask for.
func (m *Model) Forward(position *board.Position) (Output, error) {
	p := pass{Model: m}
	var codes eut.Squares
	codes.Set(position)
	means, sum := p.firstLayer(position)
	latents := p.latentStream(means, sum)
	out := p.outputs(latents, p.squareStream(&codes, latents, sum), sum)
	return out, p.err
}

// weight is the weights of a name as a matrix.
func (p *pass) weight(name string, rows, columns int) matrix {
	data := p.weights["trunk."+name]
	if len(data) != rows*columns {
		if p.err == nil {
			p.err = fmt.Errorf("net %s: %d weights %s, want %d x %d", p.net.Name, len(data), name, rows, columns)
		}
		data = make([]float64, rows*columns)
	}
	return matrix{rows, columns, data}
}

func (p *pass) has(name string) bool { return len(p.weights["trunk."+name]) > 0 }

// layer is x w + bias. A layer without a bias has none in the file.
func (p *pass) layer(x matrix, name string, columns int) matrix {
	return p.addToRows(x.times(p.weight(name+".weight", x.columns, columns)), name+".bias")
}

// addToRows adds a vector, if the net has it, to each row of x.
func (p *pass) addToRows(x matrix, name string) matrix {
	if p.has(name) {
		bias := p.weight(name, 1, x.columns)
		for i := range x.rows {
			floats.Add(x.row(i), bias.data)
		}
	}
	return x
}

// perceptron adds to x what a layer of two widths and the layer down make of the rows up.
func (p *pass) perceptron(x, up matrix, name string) {
	x.add(p.layer(relu(up), name+"down", x.columns))
}

func relu(x matrix) matrix {
	for i, v := range x.data {
		x.data[i] = max(v, 0)
	}
	return x
}

// unit is the rows of x divided by their lengths: a layer norm, since they have mean zero, times 1 / sqrt(width).
func unit(x matrix) matrix {
	y := matrix{x.rows, x.columns, slices.Clone(x.data)}
	for i := range y.rows {
		row := y.row(i)
		floats.Scale(1/math.Sqrt(floats.Dot(row, row)+normEpsilon*float64(y.columns)), row)
	}
	return y
}

// Softmax replaces logits, of which there may be none, by probabilities.
func Softmax(x []float64) {
	if len(x) == 0 {
		return
	}
	floats.AddConst(-floats.LogSumExp(x), x)
	for i, v := range x {
		x[i] = math.Exp(v)
	}
}

// attention is what queries hear from values, by the likeness of the queries to keys. A bias has a row for each head and query.
func attention(q, k, v matrix, heads int, bias []float64) matrix {
	out, dim := newMatrix(q.rows, q.columns), q.columns/heads
	for h := range heads {
		from := h * dim
		scores := q.part(from, dim).times(k.part(from, dim).transposed())
		if bias != nil {
			floats.Add(scores.data, bias[h*len(scores.data):][:len(scores.data)])
		}
		for i := range scores.rows {
			Softmax(scores.row(i))
		}
		heard := scores.times(v.part(from, dim))
		for i := range out.rows {
			copy(out.row(i)[from:], heard.row(i))
		}
	}
	return out
}

// attend adds attention of the rows of x to those of y. name is what the names of its weights begin with.
func (p *pass) attend(x, y matrix, name string, heads int, bias []float64) {
	a := attention(p.layer(unit(x), name+"q", x.columns), p.layer(y, name+"k", x.columns), p.layer(y, name+"v", x.columns), heads, bias)
	x.add(p.layer(a, name+"out", x.columns))
	p.addToRows(x, name+"rest")
}

// firstLayer is the mean of each latent [latents, width], and the sum path [1, sum].
func (p *pass) firstLayer(position *board.Position) (means, sum matrix) {
	accumulator, sums := eut.NewAccumulator(p.net), make([]int32, p.net.Width)
	accumulator.Set(position)
	accumulator.Write(sums)
	segment := func(name string) (values []float64) {
		at := p.net.Segments[name]
		for _, v := range sums[at[0]:][:at[1]] {
			values = append(values, math.Ldexp(float64(v), -p.net.ScaleBits[name]))
		}
		return values
	}
	num, den, h := segment("num"), segment("den"), segment("sum")
	for i := range num {
		num[i] /= den[i*len(den)/len(num)]
	}
	return matrix{p.latents, p.width, num}, relu(p.addToRows(matrix{1, len(h), h}, "sum_bias"))
}

// latentStream is the unit vectors of the latents behind the blocks.
func (p *pass) latentStream(means, sum matrix) matrix {
	z := p.layer(means, "mix", p.width)
	z.add(p.layer(sum, "from_sum", p.latents*p.width))
	for i := 0; p.has(fmt.Sprintf("blocks.%d.q.weight", i)); i++ {
		at := fmt.Sprintf("blocks.%d.", i)
		p.attend(z, unit(z), at, p.heads, p.weight(at+"bias", p.heads*p.latents, p.latents).data)
		p.perceptron(z, p.layer(unit(z), at+"up", 4*p.width), at)
	}
	return unit(z)
}

// squareStream is the unit vectors of the squares behind the rounds of messages.
func (p *pass) squareStream(codes *eut.Squares, latents, sum matrix) matrix {
	w := p.squareWidth
	x := matrix{squares, w, p.layer(sum, "squares.sum", squares*w).data}
	pieces, kings := p.weight("squares.piece", squares*eut.PieceCodes, w), p.weight("squares.king", eut.PieceCodes*eut.KingCodes, w)
	attacks := p.weight("squares.attacked", eut.PieceCodes*eut.AttackCodes*eut.AttackCodes, w)
	edges := newMatrix(squares, squares) // 1 where the row's piece attacks the column
	for s := range squares {
		piece, ours, theirs := int(codes.Piece[s]), int(codes.Ours[s]), int(codes.Theirs[s])
		floats.Add(x.row(s), pieces.row(s*eut.PieceCodes+piece))
		floats.Add(x.row(s), attacks.row((piece*eut.AttackCodes+ours)*eut.AttackCodes+theirs))
		floats.Add(x.row(s), kings.row(piece*eut.KingCodes+int(codes.Kings[s])))
		for b := codes.Attacks[s]; b != 0; {
			edges.row(s)[b.Pop()] = 1
		}
	}
	for i := 0; p.has(fmt.Sprintf("squares.rounds.%d.gain", i)); i++ {
		at := fmt.Sprintf("squares.rounds.%d.", i)
		y, gain := unit(x), p.weight(at+"gain", 1, w)
		for s := range squares {
			floats.Mul(y.row(s), gain.data)
		}
		p.addToRows(y, at+"bias")
		up := p.layer(y, at+"own", 2*w)
		up.add(p.layer(edges.transposed().times(y), at+"attackers", 2*w))
		up.add(p.layer(edges.times(y), at+"attacked", 2*w))
		p.perceptron(x, up, at)
		if i == 0 {
			p.attend(x, latents, "squares.", p.squareHeads, nil)
		}
	}
	return unit(x)
}

// outputs are computed from the unit vectors of the latents and the squares, and from the sum path.
func (p *pass) outputs(latents, x, sum matrix) Output {
	flat := latents.flat()
	y := p.layer(flat, "hidden_flat", p.hidden)
	y.add(p.layer(x.flat(), "hidden_squares", p.hidden))
	relu(y)
	head := func(name string, rows int) []float64 { // stored as [out, in]
		return p.addToRows(y.times(p.weight(name+".weight", rows, p.hidden).transposed()), name+".bias").data
	}
	wdl, sigma := head("wdl", 3), head("sigma", 1)[0]
	Softmax(wdl)
	moves := p.layer(x, "start", p.squareWidth).times(p.layer(x, "end", p.squareWidth).transposed())
	under := p.layer(flat, "promotion_flat", promotions)
	under.add(p.layer(sum, "promotion_sum", promotions))
	return Output{WDL: wdl, Sigma: math.Log1p(math.Exp(-math.Abs(sigma))) + max(sigma, 0) + 1e-4,
		Policy: slices.Concat(moves.data, under.data)}
}
