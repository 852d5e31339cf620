package eut_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tesla/models"
)

// Graphs that are damaged, or that have other weights, are errors or graphs, and no panic. Package batcher/onnx tests what a
// sound graph computes.
func TestFusedGraphDamaged(t *testing.T) {
	net, err := models.Default()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.FusedGraph("acc", false, false); err != nil {
		t.Fatal(err)
	}
	graph := net.Graph
	with := func(damaged []byte) error {
		other := *net
		other.Graph = damaged
		_, err := other.FusedGraph("acc", true, true)
		return err
	}
	for _, test := range []struct {
		name  string
		graph []byte
		want  string
	}{
		{"nothing", nil, "one graph"},
		{"half of it", graph[:len(graph)/2], "unexpected EOF"},
		{"another name", []byte(strings.Replace(string(graph), "trunk.mix.weight", "trunk.fix.weight", -1)), "no weights trunk.mix.weight"},
		{"no attention", []byte(strings.Replace(string(graph), "trunk.squares.q.weight", "trunk.squares.u.weight", 1)), "no attention of squares"},
	} {
		if err := with(test.graph); err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), net.Name) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	random := rand.New(rand.NewPCG(57, 0))
	for range 60 {
		damaged := slices.Clone(graph)
		for range 1 + random.IntN(30) {
			at := random.IntN(min(len(damaged), 20000)) // where the nodes are
			damaged[at] ^= byte(1 << random.IntN(8))
		}
		_ = with(damaged)
	}
}
