package reference

import (
	"fmt"

	"tesla/eut"
)

// Model is a graph that can be evaluated. It is constant and safe for concurrent use.
type Model struct {
	graph *graph
	width int
}

// Output is the output of the graph for one position: the probabilities of win, draw and loss, sigma, and the logits
// [eut.PolicySize] of all moves.
type Output struct {
	WDL    [3]float32
	Sigma  float32
	Policy []float32
}

// New reads the graph of a net. An error names the operator or field that this package does not have.
func New(net *eut.Net) (*Model, error) {
	g, err := parseModel(net.Graph)
	if err != nil {
		return nil, err
	}
	for i, n := range g.nodes {
		if operators[n.op] == nil {
			return nil, fmt.Errorf("ONNX node %d %s: unknown operator %q", i, n.name, n.op)
		}
	}
	return &Model{graph: g, width: net.Row()}, nil
}

// Forward evaluates rows of input, int32 [n][Row] row-major.
func (m *Model) Forward(acc []int32) ([]Output, error) {
	if len(acc) == 0 || len(acc)%m.width != 0 {
		return nil, fmt.Errorf("%d integers of input, want a multiple of %d", len(acc), m.width)
	}
	n := len(acc) / m.width
	in := &value{shape: []int{n, m.width}, i: make([]int64, len(acc))}
	for i, v := range acc {
		in.i[i] = int64(v)
	}
	values, err := m.run(map[string]*value{"acc": in})
	if err != nil {
		return nil, err
	}
	out := make([]Output, n)
	for _, want := range []struct {
		name    string
		columns int
		set     func(o *Output, row []float32)
	}{
		{"wdl", 3, func(o *Output, row []float32) { copy(o.WDL[:], row) }},
		{"sigma", 1, func(o *Output, row []float32) { o.Sigma = row[0] }},
		{"policy", eut.PolicySize, func(o *Output, row []float32) { o.Policy = row }},
	} {
		v := values[want.name]
		if v == nil || !v.isFloat() || len(v.f) != n*want.columns {
			return nil, fmt.Errorf("the graph gives no %s, float [%d, %d]", want.name, n, want.columns)
		}
		for i := range out {
			want.set(&out[i], v.f[i*want.columns:][:want.columns])
		}
	}
	return out, nil
}

// run evaluates the nodes in the order of the file, and returns every value. ONNX guarantees that the order is
// topological.
func (m *Model) run(values map[string]*value) (map[string]*value, error) {
	for name, v := range m.graph.constants {
		values[name] = v
	}
	for i, n := range m.graph.nodes {
		in := make([]*value, len(n.inputs))
		for k, name := range n.inputs {
			if name == "" {
				continue // an optional input left out
			}
			if in[k] = values[name]; in[k] == nil {
				return nil, fmt.Errorf("ONNX node %d %s: no value %q", i, n.op, name)
			}
		}
		out, err := evaluate(n, in)
		if err != nil {
			return nil, fmt.Errorf("ONNX node %d %s %s: %w", i, n.op, n.name, err)
		}
		values[n.outputs[0]] = out
	}
	return values, nil
}
