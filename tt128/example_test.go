package tt128_test

import (
	"fmt"

	"tesla/board"
	"tesla/tt128"
)

// An alpha-beta search keeps a bound; another one, of the same draft, narrows the interval from the other side.
func ExampleTable() {
	table, err := tt128.New(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	p := board.StartPosition()
	const ply, draft = 0, 6
	table.Store(p.Key, ply, tt128.NewDraft(20, tt128.Infinity, draft, board.NullMove, false))  // failed high
	table.Store(p.Key, ply, tt128.NewDraft(-tt128.Infinity, 35, draft, board.NullMove, false)) // failed low
	e, found := table.Probe(p.Key, ply)
	fmt.Println(found, e.Lower(), e.Upper(), e.Draft())
	fmt.Println(e.CutsAt(10, 15, 6))
	fmt.Println(e.CutsAt(10, 15, 7))
	// Output:
	// true 20 35 6
	// 20 true
	// 0 false
}
