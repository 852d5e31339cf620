package games_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"tesla/board"
	"tesla/lab/games"
)

// fool is the shortest mate, as text: the start, White's result, and moves with their scores.
const fool = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;0;f2f3:20 e7e5:50 g2g4:-80 d8h4:31999\n"

func ExampleText() {
	err := games.Text(strings.NewReader(fool), func(g *games.Game) error {
		end, err := g.Play(func(ply int, p *board.Position, m board.Move) error {
			fmt.Println(ply, p.UCI(m, false), g.Plies[ply].Score)
			return nil
		})
		fmt.Println("White's result:", g.Result, "check:", end.InCheck())
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 f2f3 20
	// 1 e7e5 50
	// 2 g2g4 -80
	// 3 d8h4 31999
	// White's result: -1 check: true
}

// A file of games begins with a header that says what made them; Each reads it back.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "games")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.games")
	w, err := games.Create(path, map[string]string{"made by": "hand"})
	if err != nil {
		log.Fatal(err)
	}
	if err := games.Text(strings.NewReader(fool), w.Write); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	err = games.EachOf(path, func(g *games.Game) error {
		fmt.Println(len(g.Plies), "plies, White's result", g.Result)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 4 plies, White's result -1
}
