package eut

import (
	"fmt"
	"math"
)

// normEpsilon is added to the variances of layer norms, in scripts/train/model.py by PyTorch's default.
const normEpsilon = 1e-5

// FusedGraph is the net's graph for GPUs, in a third of the operators: on a GPU the time of a small batch is that of launching
// kernels, not of their arithmetic. It computes what the net's graph computes, up to rounding. It reads the same rows, from an
// input of this name, or with listed the rows of a listed graph. It has operators that ONNX Runtime adds to ONNX for
// transformers; the CPU provider has them, too.
//   - An addition to a stream, the bias of what is added and the norm behind it are one SkipLayerNormalization. The streams
//     have mean zero (see scripts/train/fast.py), so that the norm is a layer norm.
//   - Attention among the latents is one Attention, that of squares to latents one MultiHeadAttention.
//   - A round of messages is one product with a matrix [192, 64] for each position: for each square a row for itself, one for
//     the squares that attack it and one for those it attacks.
//   - Layers that read the same input are one product.
//   - Values are split in three or in halves, and concatenated in equal parts: for others the CUDA provider copies pointers from the
//     host at each run.
//
// With half, weights, sums and products behind the first layer are float16. It is an error if the graph's weights do not have
// the names that scripts/train/export.py gives them.
func (n *Net) FusedGraph(input string, listed, half bool) ([]byte, error) {
	weights, err := weightsOf(n.Graph)
	if err == nil {
		f := fuser{weights: weights, writer: writer{half: half}, net: n}
		columns := n.Row()
		if listed {
			input, columns = ListedInput, ListRow
		}
		f.fuse(input, columns-codeColumns, listed)
		if err = f.err; err == nil {
			return f.model("fused", input, columns), nil
		}
	}
	return nil, fmt.Errorf("no fused form of net %s: %w", n.Name, err)
}

// fuser writes the fused graph. Streams are matrices with a row for each latent or square of each position.
type fuser struct {
	weights
	writer
	net *Net

	latents, width, heads  int // of the stream of latents
	squareWidth, attention int // of the stream of squares: its width, the heads of its attention
}

// stream is the state of a stream: its sum so far, and what is still to be added.
type stream struct {
	sum, add string
	bias     matrix // of add; empty: none
}

func (f *fuser) fuse(input string, front int, list bool) {
	num, den := f.net.Segments["num"], f.net.Segments["den"]
	f.width, f.squareWidth = f.columns("trunk.mix.weight"), f.columns("trunk.squares.q.weight")
	f.attention = f.squareHeads()
	if f.err == nil && (num[1] < f.width || den[1] < num[1]/f.width) {
		f.err = fmt.Errorf("%d sums for latents of width %d", num[1], f.width)
	}
	if f.err != nil {
		return
	}
	f.latents = num[1] / f.width
	f.heads = den[1] / f.latents

	parts := f.split(input, 1, front, 3*squares, 8*squares)
	sums := ""
	if list {
		table := f.float(f.net.floats(), Features+1, f.net.Width)
		rows := f.op("Gather", []string{table, parts[0]}, ints("axis", 0))
		sums = f.op("ReduceSum", []string{rows, f.ints64(1)}, ints("keepdims", 0))
	} else {
		sums = f.op("Mul", []string{f.op("Cast", parts[:1], ints("to", onnxFloat)), f.float(f.net.scale(), f.net.Width)})
	}
	mean, h := f.firstLayer(sums)
	shares := f.sumPath(h)
	z := f.blocks(stream{f.shape(mean, f.width), f.shape(shares[0], f.width), matrix{}})
	x := stream{f.codes(parts[1]), f.shape(shares[1], f.squareWidth), matrix{}}
	f.outputs(z, f.squaresStream(x, z, f.attacks(parts[2])), shares[2])
}

// firstLayer returns the latents' means, mixed, and the sum path.
func (f *fuser) firstLayer(sums string) (mean, h string) {
	dim := f.width / f.heads
	parts := f.split(sums, 1, f.latents*f.width, f.latents*f.heads, f.net.Width-f.latents*(f.width+f.heads))
	num, den := f.shape(parts[0], f.latents*f.heads, dim), f.shape(parts[1], f.latents*f.heads, 1)
	mean = f.behind(f.shape(f.op("Div", []string{num, den}), f.width))
	bias := f.of("trunk.sum_bias").data
	h = f.op("Relu", []string{f.behind(f.op("Add", []string{parts[2], f.float(bias, len(bias))}))})
	return f.product(mean, f.of("trunk.mix.weight")), h
}

// sumPath is the sum path's share of the latents, of the squares and of the underpromotions.
func (f *fuser) sumPath(h string) []string {
	latents, onSquares, promotion := f.of("trunk.from_sum.weight"), f.of("trunk.squares.sum.weight"), f.of("trunk.promotion_sum.weight")
	bias := beside(f.of("trunk.from_sum.bias"), zeros(1, onSquares.columns), f.of("trunk.promotion_flat.bias"))
	all := f.layer(h, beside(latents, onSquares, promotion), f.tensor(bias))
	return f.split(all, 1, latents.columns, onSquares.columns, promotion.columns)
}

// blocks runs the transformer blocks of the latents and returns the stream's unit vectors.
func (f *fuser) blocks(z stream) string {
	for i := 0; f.has(fmt.Sprintf("trunk.blocks.%d.q.weight", i)); i++ {
		at := fmt.Sprintf("trunk.blocks.%d.", i)
		x, sum := f.norm(z, f.unit(f.width), zeros(1, f.width))
		w := beside(f.of(at+"q.weight"), f.of(at+"k.weight"), f.of(at+"v.weight"))
		bias := beside(f.of(at+"q.bias"), f.of(at+"k.bias"), f.of(at+"v.bias"))
		static := f.weight(f.of(at+"bias").data, 1, f.heads, f.latents, f.latents)
		a := f.op("Attention", []string{f.shape(x, f.latents, f.width), f.tensor(w), f.vector(bias), "", "", static},
			ints("num_heads", f.heads), number("scale", 1))
		z = stream{sum, f.product(f.shape(a, f.width), f.of(at+"out.weight")), f.optional(at + "rest")}
		x, sum = f.norm(z, f.unit(f.width), zeros(1, f.width))
		z = f.mlp(sum, x, at, f.of(at+"up.weight"), f.of(at+"up.bias"))
	}
	x, _ := f.norm(z, f.unit(f.width), zeros(1, f.width))
	return x
}

// mlp is a stream to which a multi-layer perceptron of x is to be added.
func (f *fuser) mlp(sum, x, at string, up, bias matrix) stream {
	hidden := f.op("Relu", []string{f.layer(x, up, f.tensor(bias))})
	return stream{sum, f.product(hidden, f.of(at+"down.weight")), f.of(at + "down.bias")}
}

// codes is the sum of what the tables say of each square.
func (f *fuser) codes(codes string) string {
	tables := []matrix{f.of("trunk.squares.piece"), f.of("trunk.squares.attacked"), f.of("trunk.squares.king")}
	offsets := make([]int32, 3*squares)
	for i := range offsets {
		switch i / squares {
		case 0:
			offsets[i] = int32(i * PieceCodes) // each square has a table of its own
		case 1:
			offsets[i] = int32(tables[0].rows)
		default:
			offsets[i] = int32(tables[0].rows + tables[1].rows)
		}
	}
	rows := f.op("Add", []string{codes, f.ints32(offsets)})
	found := f.op("Gather", []string{f.tensor(above(tables...)), rows}, ints("axis", 0))
	sum := f.op("ReduceSum", []string{f.shape(found, 3, squares*f.squareWidth), f.ints64(1)}, ints("keepdims", 0))
	return f.shape(sum, f.squareWidth)
}

// attacks are the matrices of messages [N, 192, 64]. Row 3 s + k is a one for square s itself (k = 0), ones for the squares that
// attack it (1), and for those it attacks (2).
func (f *fuser) attacks(ranks string) string {
	bits, same := zeros(256, 8), zeros(squares, squares)
	for i := range bits.data {
		bits.data[i] = float32(i / 8 >> (i % 8) & 1)
	}
	for i := range squares {
		same.data[i*squares+i] = 1
	}
	attacked := f.shape(f.op("Gather", []string{f.tensor(bits), ranks}, ints("axis", 0)), squares, squares)
	attackers := f.op("Transpose", []string{attacked}, ints("perm", 0, 2, 1))
	row := []int{squares, 1, squares}
	attacked, attackers = f.shape(attacked, row...), f.shape(attackers, row...)
	itself := f.op("Where", []string{f.yes(), f.weight(same.data, 1, squares, 1, squares), attacked}) // one for each position
	return f.shape(f.op("Concat", []string{itself, attackers, attacked}, ints("axis", 2)), 3*squares, squares)
}

// squaresStream runs the rounds of messages, and the attention to the latents behind the first. It returns the stream's unit
// vectors.
func (f *fuser) squaresStream(x stream, latents, attacks string) string {
	for i := 0; f.has(fmt.Sprintf("trunk.squares.rounds.%d.gain", i)); i++ {
		at := fmt.Sprintf("trunk.squares.rounds.%d.", i)
		gain := f.of(at + "gain").times(1 / math.Sqrt(float64(f.squareWidth)))
		y, sum := f.norm(x, gain, f.of(at+"bias"))
		heard := f.op("MatMul", []string{attacks, f.shape(y, squares, f.squareWidth)})
		up := above(f.of(at+"own.weight"), f.of(at+"attackers.weight"), f.of(at+"attacked.weight"))
		x = f.mlp(sum, f.shape(heard, 3*f.squareWidth), at, up, f.of(at+"own.bias"))
		if i == 0 {
			x = f.attend(x, latents)
		}
	}
	y, _ := f.norm(x, f.unit(f.squareWidth), zeros(1, f.squareWidth))
	return y
}

// attend is the stream of squares to which their attention to the latents is to be added.
func (f *fuser) attend(x stream, latents string) stream {
	const at = "trunk.squares."
	y, sum := f.norm(x, f.unit(f.squareWidth), zeros(1, f.squareWidth))
	in := []string{
		f.shape(f.product(y, f.of(at+"q.weight")), squares, f.squareWidth),
		f.shape(f.product(latents, f.of(at+"k.weight")), f.latents, f.squareWidth),
		f.shape(f.product(latents, f.of(at+"v.weight")), f.latents, f.squareWidth),
		f.vector(beside(f.of(at+"q.bias"), f.of(at+"k.bias"), f.of(at+"v.bias"))),
	}
	a := f.op("MultiHeadAttention", in, ints("num_heads", f.attention), number("scale", 1))
	return stream{sum, f.product(f.shape(a, f.squareWidth), f.of(at+"out.weight")), f.optional(at + "rest")}
}

// outputs writes the outputs from the unit vectors of latents and squares, and the sum path's share of the underpromotions.
func (f *fuser) outputs(z, x, share string) {
	flat := f.shape(z, f.latents*f.width)
	hidden := f.layer(flat, f.of("trunk.hidden_flat.weight"), f.tensor(f.of("trunk.hidden_flat.bias")))
	hidden = f.op("Relu", []string{f.layer(f.shape(x, squares*f.squareWidth), f.of("trunk.hidden_squares.weight"), hidden)})
	value := func(name string) string {
		w := f.of("trunk." + name + ".weight").transposed() // stored as [out, in]
		return f.inFront(f.layer(hidden, w, f.tensor(f.of("trunk."+name+".bias"))))
	}
	f.output("wdl", 3, f.op("Softmax", []string{value("wdl")}, ints("axis", 1)))
	sigma := f.op("Softplus", []string{value("sigma")})
	f.output("sigma", 1, f.op("Add", []string{sigma, f.float([]float32{1e-4}, 1)}))

	w, bias := beside(f.of("trunk.start.weight"), f.of("trunk.end.weight")), beside(f.of("trunk.start.bias"), f.of("trunk.end.bias"))
	ends := f.split(f.shape(f.layer(x, w, f.tensor(bias)), squares, 2*f.squareWidth), 2, f.squareWidth, f.squareWidth)
	moves := f.shape(f.op("FusedMatMul", ends, ints("transB", 1)), squares*squares)
	promotions := f.layer(flat, f.of("trunk.promotion_flat.weight"), share)
	moves = f.op("Pad", []string{moves, f.ints64(0, 0, 0, PolicySize-squares*squares)})
	promotions = f.op("Pad", []string{promotions, f.ints64(0, squares*squares, 0, 0)})
	f.output("policy", PolicySize, f.inFront(f.op("Add", []string{moves, promotions})))
}

// norm adds what is to be added to a stream. It returns the layer norm of the sum, with gain and bias, and the sum.
func (f *fuser) norm(s stream, gain, bias matrix) (normed, sum string) {
	in := []string{s.sum, s.add, f.vector(gain), f.vector(bias)}
	if s.bias.data != nil {
		in = append(in, f.vector(s.bias))
	}
	normed, sum = f.name(), f.name()
	f.node("SkipLayerNormalization", in, []string{normed, "", "", sum}, number("epsilon", normEpsilon))
	return normed, sum
}

// unit is the gain of a layer norm whose outputs have length 1.
func (f *fuser) unit(width int) matrix {
	return filled(1, width, float32(1/math.Sqrt(float64(width))))
}

// layer is x w + bias; bias is a row or as large as the product.
func (f *fuser) layer(x string, w matrix, bias string) string {
	return f.op("Gemm", []string{x, f.tensor(w), bias})
}

func (f *fuser) product(x string, w matrix) string { return f.op("MatMul", []string{x, f.tensor(w)}) }

// scale is what a unit of each column of the table is worth.
func (n *Net) scale() []float32 {
	scale := make([]float32, n.Width)
	for name, at := range n.Segments {
		for i := range at[1] {
			scale[at[0]+i] = float32(math.Exp2(-float64(n.ScaleBits[name])))
		}
	}
	return scale
}

// floats is the table in float32, followed by a row of zeros.
func (n *Net) floats() []float32 {
	scale := n.scale()
	table := make([]float32, 0, (Features+1)*n.Width)
	for _, pair := range n.table {
		lo, hi := unpack(pair)
		i := len(table) % n.Width
		table = append(table, float32(lo)*scale[i], float32(hi)*scale[i+1])
	}
	return table[:cap(table)]
}
