package tt128_test

import (
	"fmt"
	"log"

	"tesla/board"
	"tesla/tt128"
)

// A search of six plies with the window (20, 50) fails high with 50: the score is at least that. A later search of the position cuts
// where its own beta is no higher and its depth no larger.
func ExampleTable() {
	table, err := tt128.New(1)
	if err != nil {
		log.Fatal(err)
	}
	defer table.Close()
	p := board.StartPosition()
	lower, upper := tt128.Window(50, 20, 50)
	table.Store(p.Key, 0, tt128.NewDraft(lower, upper, 6, board.NullMove, false))

	e, ok := table.Probe(p.Key, 0)
	fmt.Println(ok, e.Draft(), e.Lower(), e.Upper() == tt128.Infinity)
	for _, c := range []struct{ alpha, beta, draft int }{{0, 40, 6}, {0, 60, 6}, {0, 40, 7}} {
		_, cuts := e.CutsAt(c.alpha, c.beta, c.draft)
		fmt.Println(c, cuts)
	}
	// Output:
	// true 6 50 true
	// {0 40 6} true
	// {0 60 6} false
	// {0 40 7} false
}

// The table holds distances to mate from its own position, so that one entry serves at every ply.
func ExampleToTable() {
	found := tt128.Mates(7) // seen from the root, at ply 4
	stored := tt128.ToTable(found, 4)
	fmt.Println(stored == tt128.Mates(3), tt128.FromTable(stored, 2) == tt128.Mates(5))
	// Output: true true
}
