package reference

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/board"
	"tesla/board/boardtest"
	"tesla/eut"
	"tesla/models"
)

// tolerance is the largest difference allowed between two forward passes, absolute or relative to the value.
const tolerance = 1e-4

func far(a, b float64) bool { return !(math.Abs(a-b) <= tolerance*max(1, math.Abs(b))) }

func load(t testing.TB) (*eut.Net, *Model) {
	t.Helper()
	net, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(net)
	if err != nil {
		t.Fatal(err)
	}
	return net, m
}

// parityCase is a line of testdata/eut-parity.json: what PyTorch computes of one position.
type parityCase struct {
	FEN      string             `json:"fen"`
	Features []uint16           `json:"features"`
	WDL      [3]float64         `json:"wdl"`
	Sigma    float64            `json:"sigma"`
	Best     int                `json:"policy_argmax"`
	Logits   map[string]float64 `json:"policy_logits"`
}

func parity(t testing.TB, name string) []parityCase {
	t.Helper()
	data, err := os.ReadFile("../../models/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []parityCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// forward is the reference's output for the positions of all cases, in one batch.
func forward(t testing.TB, cases []parityCase) []Output {
	net, m := load(t)
	acc := make([]int32, len(cases)*net.Row())
	encoder := eut.NewEncoder(net)
	for i, c := range cases {
		p := boardtest.Position(t, c.FEN)
		encoder.Encode(&p, acc[i*net.Row():])
	}
	out, err := m.Forward(acc)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAgreesWithPyTorch(t *testing.T) {
	cases := parity(t, "eut-parity.json")
	out := forward(t, cases)
	for i, c := range cases {
		p, _ := board.ParseFEN(c.FEN)
		features := eut.AppendFeatures(&p, nil)
		slices.Sort(features)
		if !slices.Equal(features, c.Features) {
			t.Errorf("%s: features %v, want %v", c.FEN, features, c.Features)
		}
		for k := range c.WDL {
			if far(float64(out[i].WDL[k]), c.WDL[k]) {
				t.Errorf("%s: wdl %v, want %v", c.FEN, out[i].WDL, c.WDL)
			}
		}
		if far(float64(out[i].Sigma), c.Sigma) {
			t.Errorf("%s: sigma %v, want %v", c.FEN, out[i].Sigma, c.Sigma)
		}
		best := 0
		for k, v := range out[i].Policy {
			if v > out[i].Policy[best] {
				best = k
			}
		}
		if best != c.Best {
			t.Errorf("%s: highest logit %d, want %d", c.FEN, best, c.Best)
		}
		for index, want := range c.Logits {
			k, err := strconv.Atoi(index)
			if err != nil || k >= eut.PolicySize || far(float64(out[i].Policy[k]), want) {
				t.Errorf("%s: logit %s is %v, want %v", c.FEN, index, out[i].Policy[k], want)
			}
		}
	}
}

// TestAgreesWithONNXRuntime compares value, sigma and the policy over the legal moves.
func TestAgreesWithONNXRuntime(t *testing.T) {
	cases := parity(t, "eut-parity.json")
	items := evaluated(t, "", cases)
	for i, o := range forward(t, cases) {
		it := items[i]
		for k, got := range []float32{it.Eval.W, it.Eval.D, it.Eval.L} {
			if far(float64(got), float64(o.WDL[k])) {
				t.Errorf("%s: %+v, reference %v", cases[i].FEN, it.Eval, o.WDL)
			}
		}
		if far(float64(it.Eval.Sigma), float64(o.Sigma)) {
			t.Errorf("%s: sigma %v, reference %v", cases[i].FEN, it.Eval.Sigma, o.Sigma)
		}
		for k, want := range policyOf(it, o.Policy) {
			if far(float64(it.Policy[k]), want) {
				t.Errorf("%s: %v has %v, reference %v", cases[i].FEN, it.Moves[k], it.Policy[k], want)
			}
		}
	}
}

// TestMAgreesWithPyTorch allows for the weights of M, which are stored in float16; PyTorch had float32.
func TestMAgreesWithPyTorch(t *testing.T) {
	cases := parity(t, "eut-m-parity.json")
	for i, it := range evaluated(t, "../../models/eut-m.tesla", cases) {
		c := cases[i]
		for k, got := range []float32{it.Eval.W, it.Eval.D, it.Eval.L} {
			if math.Abs(float64(got)-c.WDL[k]) > 0.005 {
				t.Errorf("%s: %+v, want %v", c.FEN, it.Eval, c.WDL)
			}
		}
		if math.Abs(float64(it.Eval.Sigma)/c.Sigma-1) > 0.02 {
			t.Errorf("%s: sigma %v, want %v", c.FEN, it.Eval.Sigma, c.Sigma)
		}
	}
}

// evaluated are the positions of all cases, evaluated by ONNX Runtime with the net file weights, or the built-in net.
func evaluated(t testing.TB, weights string, cases []parityCase) []*batcher.Item {
	t.Helper()
	net, err := models.OpenEUT(weights)
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.New("cpu", net, batcher.Options{})
	if err != nil {
		if os.Getenv("TESLA_REQUIRE_ORT") == "1" {
			t.Fatalf("TESLA_REQUIRE_ORT=1: %v", err)
		}
		t.Skipf("no ONNX Runtime here: %v", err)
	}
	defer b.Close()
	var items []*batcher.Item
	for _, c := range cases {
		p := boardtest.Position(t, c.FEN)
		items = append(items, &batcher.Item{Position: p, Moves: p.LegalMoves(nil)})
	}
	if err := b.Evaluate(items); err != nil {
		t.Fatal(err)
	}
	return items
}

// policyOf is the softmax of an item's moves, in float64.
func policyOf(it *batcher.Item, logits []float32) []float64 {
	var sum float64
	p := make([]float64, len(it.Moves))
	for k, m := range it.Moves {
		index, under := eut.PolicyIndex(&it.Position, m)
		v := float64(logits[index])
		if under >= 0 {
			v += float64(logits[under])
		}
		p[k] = math.Exp(v)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

func TestRejects(t *testing.T) {
	net, m := load(t)
	if _, err := m.Forward(make([]int32, net.Row()-1)); err == nil {
		t.Error("a part of a row is accepted")
	}
	node := func(op string) []byte {
		var b []byte
		b = appendField(b, 2, []byte("wdl"))
		return appendField(b, 4, []byte(op))
	}
	for name, graph := range map[string][]byte{
		"no protobuf":      []byte("TESLA"),
		"no graph":         {},
		"cut":              net.Graph[:len(net.Graph)/2],
		"unknown operator": appendField(nil, 7, appendField(nil, 1, node("Loop"))),
	} {
		if _, err := New(&eut.Net{Header: net.Header, Graph: graph}); err == nil {
			t.Errorf("%s: accepted", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	m, err := New(&eut.Net{Header: net.Header, Graph: appendField(nil, 7, appendField(nil, 1, node("MatMul")))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Forward(make([]int32, net.Row())); err == nil {
		t.Error("a MatMul without inputs is evaluated")
	}
}

// appendField appends a length-delimited protobuf field.
func appendField(b []byte, number protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), content)
}

func FuzzParseModel(f *testing.F) {
	f.Add([]byte{})
	f.Add(appendField(nil, 7, appendField(nil, 1, appendField(nil, 4, []byte("Add")))))
	f.Add(appendField(nil, 7, appendField(nil, 5, []byte{8, 2, 16, 1, 0x4a, 8, 1, 2, 3, 4, 5, 6, 7, 8})))
	f.Fuzz(func(t *testing.T, data []byte) { parseModel(data) })
}

func TestOperators(t *testing.T) {
	floats := func(x ...float32) *value { return &value{shape: []int{len(x)}, f: x} }
	ints := func(x ...int64) *value { return &value{shape: []int{len(x)}, i: x} }
	matrix := &value{shape: []int{2, 3}, f: []float32{1, 2, 3, 4, 5, 6}}
	for _, test := range []struct {
		op    string
		ints  map[string][]int64
		in    []*value
		shape []int
		f     []float32
		i     []int64
	}{
		{op: "Add", in: []*value{matrix, floats(1, 0, -1)}, shape: []int{2, 3}, f: []float32{2, 2, 2, 5, 5, 5}},
		{op: "Sub", in: []*value{floats(1, 0, -1), matrix}, shape: []int{2, 3}, f: []float32{0, -2, -4, -3, -5, -7}},
		{op: "Mul", in: []*value{ints(3), ints(2, 4)}, shape: []int{2}, i: []int64{6, 12}},
		{op: "MatMul", in: []*value{matrix, {shape: []int{3, 1}, f: []float32{1, 0, 2}}}, shape: []int{2, 1}, f: []float32{7, 16}},
		{op: "Gemm", ints: map[string][]int64{"transB": {1}}, in: []*value{matrix, {shape: []int{1, 3}, f: []float32{1, 0, 2}}, floats(1)},
			shape: []int{2, 1}, f: []float32{8, 17}},
		{op: "Transpose", in: []*value{matrix}, shape: []int{3, 2}, f: []float32{1, 4, 2, 5, 3, 6}},
		{op: "Reshape", in: []*value{matrix, ints(-1, 2)}, shape: []int{3, 2}, f: matrix.f},
		{op: "Slice", in: []*value{matrix, ints(-2), ints(math.MaxInt64), ints(1)}, shape: []int{2, 2}, f: []float32{2, 3, 5, 6}},
		{op: "Gather", in: []*value{matrix, ints(1, -2, 1)}, shape: []int{3, 3}, f: []float32{4, 5, 6, 1, 2, 3, 4, 5, 6}},
		{op: "Gather", ints: map[string][]int64{"axis": {1}}, in: []*value{matrix, {shape: []int{}, i: []int64{2}}}, shape: []int{2}, f: []float32{3, 6}},
		{op: "Concat", ints: map[string][]int64{"axis": {1}}, in: []*value{matrix, {shape: []int{2, 1}, f: []float32{8, 9}}},
			shape: []int{2, 4}, f: []float32{1, 2, 3, 8, 4, 5, 6, 9}},
		{op: "ReduceMean", ints: map[string][]int64{"axes": {-1}}, in: []*value{matrix}, shape: []int{2, 1}, f: []float32{2, 5}},
		{op: "ReduceSumSquare", ints: map[string][]int64{"axes": {1}}, in: []*value{matrix}, shape: []int{2, 1}, f: []float32{14, 77}},
		{op: "Softmax", in: []*value{floats(0, float32(math.Log(3)))}, shape: []int{2}, f: []float32{0.25, 0.75}},
		{op: "Softplus", in: []*value{floats(0, 100, -100)}, shape: []int{3}, f: []float32{float32(math.Ln2), 100, 0}},
		{op: "LayerNormalization", in: []*value{matrix, floats(1, 2, 3), floats(0, 0, 1)}, shape: []int{2, 3},
			f: []float32{-1.224736, 0, 4.674207, -1.224736, 0, 4.674207}},
		{op: "Shape", in: []*value{matrix}, shape: []int{2}, i: []int64{2, 3}},
		{op: "Cast", ints: map[string][]int64{"to": {1}}, in: []*value{ints(-2)}, shape: []int{1}, f: []float32{-2}},
	} {
		got, err := evaluate(&node{op: test.op, outputs: []string{"y"}, ints: test.ints}, test.in)
		if err != nil {
			t.Errorf("%s: %v", test.op, err)
			continue
		}
		close := slices.EqualFunc(got.f, test.f, func(a, b float32) bool { return !far(float64(a), float64(b)) })
		if !slices.Equal(got.shape, test.shape) || !close || !slices.Equal(got.i, test.i) {
			t.Errorf("%s: %v %v %v, want %v %v %v", test.op, got.shape, got.f, got.i, test.shape, test.f, test.i)
		}
	}
}
