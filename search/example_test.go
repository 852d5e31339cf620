package search_test

import (
	"fmt"
	"time"

	"tesla/board"
	"tesla/search"
)

// A score in centipawns is an expected score between -1 and 1. Mates lie at the ends of the scale.
func ExampleCPToQ() {
	fmt.Printf("%.2f %.2f\n", search.CPToQ(100), search.CPToQ(-700))
	fmt.Println(search.ScoreFromCP(search.MateIn(3)).Mate, search.ScoreFromCP(search.MatedIn(4)).Mate)
	// Output:
	// 0.14 -0.76
	// 2 -2
}

// A minute with an increment of a second, at the first move.
func ExampleLimits_Budget() {
	limits := search.Limits{
		HasClock: true, Time: [2]time.Duration{time.Minute, time.Minute}, Inc: [2]time.Duration{time.Second, time.Second},
	}
	start := board.StartPosition()
	b := limits.Budget(&start)
	fmt.Println(b.Soft.Round(time.Millisecond), b.Hard.Round(time.Millisecond))
	// Output: 3.269s 9.808s
}

func ExampleSetOptions() {
	var options struct {
		NullMove bool
		Depth    int `max:"64"`
	}
	fmt.Println(search.SetOptions(&options, "nullmove=on depth=12", nil), options)
	fmt.Println(search.SetOptions(&options, "depth=65", nil))
	// Output:
	// <nil> {true 12}
	// "depth=65": "65" is not an integer from 0 to 64
}
