package bestfirst

import (
	"testing"

	"tesla/search"
	"tesla/search/treesearch"
)

// Each tunable has a text, defaults within its range and, where it is a number to be tuned, a step that fits it.
func TestTuning(t *testing.T) {
	for _, x := range append(treesearch.Tunables(&Tuning{}), treesearch.Tunables(&PUCT{})...) {
		if x.Text == "" || x.Step < 0 || x.Step > x.Max/4 {
			t.Errorf("%s: %q, step %v of %v", x.Name, x.Text, x.Step, x.Max)
		}
		for _, regime := range []treesearch.Regime{treesearch.Plain, treesearch.Deepened} {
			words := x.Name + "=" + x.Defaults[regime]
			if err, other := search.SetOptions(&Tuning{}, words), search.SetOptions(&PUCT{}, words); err != nil && other != nil {
				t.Errorf("%s leaves: %v, %v", regime, err, other)
			}
		}
	}
	if DefaultPUCT(false) == DefaultPUCT(true) {
		t.Error("plain and deepened leaves of the baseline have the same defaults")
	}
	if DefaultTuning(false).Settle == 0 || DefaultTuning(true).Settle != 0 {
		t.Error("choices settle with plain leaves, and with these alone")
	}
}

// A searcher without a tuning has the defaults of its leaves.
func TestDefaults(t *testing.T) {
	for _, leaves := range [][]treesearch.Deepener{nil, {silent{}}} {
		s := open(t, newMock(t), Options{Leaves: leaves})
		if want := DefaultTuning(leaves != nil); s.promoter.opts.Tuning != want {
			t.Errorf("%d deepeners: %+v, want %+v", len(leaves), s.promoter.opts.Tuning, want)
		}
	}
}
