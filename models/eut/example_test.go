package eut_test

import (
	"fmt"
	"log"

	"tesla/board"
	"tesla/models/eut"
)

// The features of a position choose the rows of a table whose sum is the net's first layer: here 32 pieces and 4 castling rights.
func ExampleAppendFeatures() {
	p := board.StartPosition()
	features := eut.AppendFeatures(&p, nil)
	fmt.Println(len(features), "of", eut.Features)
	// Output:
	// 36 of 780
}

// A move's logit is the policy's output from * 64 + to, and that of an underpromotion has a second one added.
func ExamplePolicyIndex() {
	p, err := board.ParseFEN("7k/P7/8/8/8/8/8/K7 w - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"a1b1", "a7a8q", "a7a8n"} {
		m, err := p.ParseMove(text)
		if err != nil {
			log.Fatal(err)
		}
		index, underpromotion := eut.PolicyIndex(&p, m)
		fmt.Println(text, index, underpromotion)
	}
	// Output:
	// a1b1 1 -1
	// a7a8q 3128 -1
	// a7a8n 3128 4096
}
