package reference

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tesla/batcher"
	"tesla/batcher/onnx"
	"tesla/board"
	"tesla/board/boardtest"
	"tesla/models"
	"tesla/models/eut"
)

// tolerance is the largest difference allowed between two forward passes, absolute or relative to the value.
const tolerance = 1e-4

func far(a, b float64) bool { return !(math.Abs(a-b) <= tolerance*max(1, math.Abs(b))) }

// load reads the net file weights, or the built-in net.
func load(t testing.TB, weights string) (*eut.Net, *Model) {
	t.Helper()
	net, err := models.OpenEUT(weights)
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
	data, err := os.ReadFile("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var cases []parityCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// forward is the reference's output for the positions of all cases.
func forward(t testing.TB, weights string, cases []parityCase) (all []Output) {
	_, m := load(t, weights)
	for _, c := range cases {
		p := boardtest.Position(t, c.FEN)
		out, err := m.Forward(&p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out)
	}
	return all
}

func TestAgreesWithPyTorch(t *testing.T) {
	cases := parity(t, "eut-parity.json")
	out := forward(t, "", cases)
	for i, c := range cases {
		p, _ := board.ParseFEN(c.FEN)
		features := eut.AppendFeatures(&p, nil)
		slices.Sort(features)
		if !slices.Equal(features, c.Features) {
			t.Errorf("%s: features %v, want %v", c.FEN, features, c.Features)
		}
		for k := range c.WDL {
			if far(out[i].WDL[k], c.WDL[k]) {
				t.Errorf("%s: wdl %v, want %v", c.FEN, out[i].WDL, c.WDL)
			}
		}
		if far(out[i].Sigma, c.Sigma) {
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
			if err != nil || k >= eut.PolicySize || far(out[i].Policy[k], want) {
				t.Errorf("%s: logit %s is %v, want %v", c.FEN, index, out[i].Policy[k], want)
			}
		}
	}
}

const fileM = "../../eut-m.tesla"

// TestAgreesWithONNXRuntime compares value, sigma and the policy over the legal moves.
func TestAgreesWithONNXRuntime(t *testing.T) {
	for _, weights := range []string{"", fileM} {
		cases := parity(t, "eut-parity.json")
		items := evaluated(t, weights, cases)
		for i, o := range forward(t, weights, cases) {
			it := items[i]
			for k, got := range []float32{it.Eval.W, it.Eval.D, it.Eval.L} {
				if far(float64(got), o.WDL[k]) {
					t.Errorf("%s: %+v, reference %v", cases[i].FEN, it.Eval, o.WDL)
				}
			}
			if far(float64(it.Eval.Sigma), o.Sigma) {
				t.Errorf("%s: sigma %v, reference %v", cases[i].FEN, it.Eval.Sigma, o.Sigma)
			}
			for k, want := range policyOf(it, o.Policy) {
				if far(float64(it.Policy[k]), want) {
					t.Errorf("%s: %v has %v, reference %v", cases[i].FEN, it.Moves[k], it.Policy[k], want)
				}
			}
		}
	}
}

// TestMAgreesWithPyTorch allows for the weights of M, which are stored in float16; PyTorch had float32.
func TestMAgreesWithPyTorch(t *testing.T) {
	cases := parity(t, "eut-m-parity.json")
	for i, it := range evaluated(t, fileM, cases) {
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
func policyOf(it *batcher.Item, logits []float64) []float64 {
	var sum float64
	p := make([]float64, len(it.Moves))
	for k, m := range it.Moves {
		index, under := eut.PolicyIndex(&it.Position, m)
		v := logits[index]
		if under >= 0 {
			v += logits[under]
		}
		p[k] = math.Exp(v)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// Weights that lack, or have another size, are errors that name them.
func TestRejects(t *testing.T) {
	net, _ := load(t, "")
	start := board.StartPosition()
	for _, test := range []struct{ old, new, want string }{
		{"trunk.squares.q.weight", "trunk.squares.u.weight", "no attention of squares"},
		{"trunk.blocks.0.q.bias", "trunk.blocks.0.u.bias", "latents of width 0"},
		{"trunk.mix.weight", "trunk.fix.weight", "0 weights mix.weight, want 64 x 64"},
		{"trunk.squares.piece", "trunk.squares.niece", "0 weights squares.piece, want 832 x 48"},
	} {
		other := *net
		other.Graph = bytes.ReplaceAll(net.Graph, []byte(test.old), []byte(test.new))
		m, err := New(&other)
		if err == nil {
			_, err = m.Forward(&start)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), net.Name) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	other := *net
	other.Graph = net.Graph[:len(net.Graph)/2]
	if _, err := New(&other); err == nil {
		t.Error("half a graph is accepted")
	}
}
