package bestfirst

import (
	"slices"
	"testing"

	"tesla/batcher"
	"tesla/search"
)

// eager is a backend that cannot leave policies out.
type eager struct{ batcher.Backend }

// counting is a backend that counts the policies it is asked for.
type counting struct {
	batcher.Lazy
	policies *int
}

func (b counting) Policies() func(*batcher.Item) {
	fill := b.Lazy.Policies()
	return func(it *batcher.Item) {
		*b.policies++
		fill(it)
	}
}

// A search that asks for policies when nodes get children finds what one finds that asks for each leaf's, also in the
// tree that is kept, and asks for fewer. It knows later which position comes first after a node, so both have batches of one.
func lazyPolicies(t *testing.T, open opener) {
	policies, evals, one := 0, 0, setup{BatchSize: 1, Alone: true}
	lazy, all := open(t, counting{batcher.LazyOf(newMock(t)), &policies}, one), open(t, eager{newMock(t)}, one)
	g := gameOf(t, startFEN)
	for _, n := range []int64{1500, 50, 1, 800} { // the third root may have no edges yet
		got, want := find(t, lazy, g, search.Limits{Evals: n}), find(t, all, g, search.Limits{Evals: n})
		if got.Best != want.Best || got.Info.Score != want.Info.Score || !slices.Equal(got.Info.PV, want.Info.PV) || lazy.RootEvals() != all.RootEvals() {
			t.Fatalf("after %d plies: %+v, want %+v", len(g.Moves), got.Info, want.Info)
		}
		lazy.Check(t)
		evals += int(n)
		g.Play(g.Pos.LegalMoves(nil)[7])
	}
	if policies == 0 || policies > evals*3/4 {
		t.Errorf("%d policies for %d evaluations", policies, evals)
	}
}
