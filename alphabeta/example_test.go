package alphabeta_test

import (
	"context"
	"fmt"

	"tesla/alphabeta"
	"tesla/board"
	"tesla/models"
	"tesla/search"
	"tesla/tt128"
)

// Two threads find a mate in three.
func ExampleNew() {
	net, err := models.DefaultNNUE()
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := tt128.New(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer table.Close()
	s, err := alphabeta.New("lazysmp", net, table, 2, alphabeta.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	p, err := board.ParseFEN("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := s.Search(context.Background(), board.NewGame(p), search.Limits{Mate: 3}, nil)
	fmt.Println(p.UCI(res.Best, false), res.Info.Score.Mate, err)
	// Output: d6d1 3 <nil>
}
