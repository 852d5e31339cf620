package search

import "testing"

type wrapper struct{ Searcher }

func (w wrapper) Unwrap() Searcher { return w.Searcher }

type sized struct{ Searcher }

func (sized) TreeSize() int { return 7 }

func TestAs(t *testing.T) {
	type tree interface{ TreeSize() int }
	for _, s := range []Searcher{sized{}, wrapper{sized{}}, wrapper{wrapper{sized{}}}} {
		if found, ok := As[tree](s); !ok || found.TreeSize() != 7 {
			t.Errorf("%T: not found", s)
		}
	}
	if _, ok := As[tree](wrapper{wrapper{}}); ok {
		t.Error("found where there is none")
	}
}
