package nnue_test

import (
	"fmt"
	"log"

	"tesla/board"
	"tesla/models"
	"tesla/nnue"
)

// A Stack carries the accumulators along a line. The value after two moves is the same as without the line.
func ExampleStack() {
	net, err := models.DefaultNNUE()
	if err != nil {
		log.Fatal(err)
	}
	p := board.StartPosition()
	line := nnue.NewStack(net, 8)
	line.Reset(&p)
	for _, text := range []string{"e2e4", "c7c5"} {
		m, err := p.ParseMove(text)
		if err != nil {
			log.Fatal(err)
		}
		line.Push(&p, m)
		p = p.After(m)
	}
	fresh := nnue.NewStack(net, 1)
	fresh.Reset(&p)
	fmt.Println(line.Value(&p) == fresh.Value(&p))
	// Output: true
}

// A Worker evaluates unrelated positions. It gives the probabilities of win, draw and loss, and of each legal move.
func ExampleWorker() {
	net, err := models.DefaultNNUE()
	if err != nil {
		log.Fatal(err)
	}
	p := board.StartPosition()
	moves := p.LegalMoves(nil)
	policy := make([]float32, len(moves))
	e := nnue.NewWorker(net).Evaluate(&p, moves, policy)
	var sum float32
	for _, probability := range policy {
		sum += probability
	}
	fmt.Printf("%.3f %.3f\n", e.W+e.D+e.L, sum)
	// Output: 1.000 1.000
}
