package search_test

import (
	"fmt"
	"log"
	"time"

	"tesla/board"
	"tesla/search"
)

// Three minutes and two seconds a move: the clock gives this move a time to spend and one that it must not exceed.
func ExampleLimits_Budget() {
	p := board.StartPosition()
	l := search.Limits{HasClock: true, Time: [2]time.Duration{3 * time.Minute, 3 * time.Minute}, Inc: [2]time.Duration{2 * time.Second}}
	b := l.Budget(&p)
	fmt.Println(b.Soft.Round(time.Second), b.Hard.Round(time.Second))
	// Output:
	// 9s 27s
}

// One scale of 16 bits holds centipawns and mates.
func ExampleScoreFromCP() {
	for _, cp := range []int{35, search.MateScore - 3, -(search.MateScore - 4)} {
		s := search.ScoreFromCP(cp)
		fmt.Println(s.CP, s.Mate, s.Value() == cp)
	}
	// Output:
	// 35 0 true
	// 31997 2 true
	// -31996 -2 true
}

// Options of a searcher are fields of a struct, set by words.
func ExampleSetOptions() {
	var options struct {
		Resplit    bool
		SplitDepth int     `max:"16"`
		Sequential float64 `max:"1"`
	}
	if err := search.SetOptions(&options, "resplit=on splitdepth=4 sequential=0.25"); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", options)
	fmt.Println(search.SetOptions(&options, "resplt=on"))
	// Output:
	// {Resplit:true SplitDepth:4 Sequential:0.25}
	// "resplt=on": no option "resplt"; the options are resplit, splitdepth, sequential
}
