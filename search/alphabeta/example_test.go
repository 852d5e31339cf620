package alphabeta_test

import (
	"context"
	"fmt"
	"log"

	"tesla/board"
	"tesla/models"
	"tesla/search"
	"tesla/search/alphabeta"
	"tesla/tt128"
)

// All methods have one interface.
func ExampleNew() {
	net, err := models.DefaultNNUE()
	if err != nil {
		log.Fatal(err)
	}
	p, err := board.ParseFEN("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range alphabeta.Names {
		table, err := tt128.New(1)
		if err != nil {
			log.Fatal(err)
		}
		s, err := alphabeta.New(name, net, table, 1, alphabeta.DefaultOptions())
		if err != nil {
			log.Fatal(err)
		}
		r, err := s.Search(context.Background(), board.NewGame(p), search.Limits{Depth: 4}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, p.UCI(r.Best, false), "mate in", r.Info.Score.Mate)
		if err := s.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// lazysmp a1a8 mate in 1
	// mtdf a1a8 mate in 1
	// pvsplit a1a8 mate in 1
	// jamboree a1a8 mate in 1
}
