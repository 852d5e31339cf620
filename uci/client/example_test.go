package client_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
	"tesla/uci/client/clienttest"
)

// An engine of the machine finds a mate in one.
func ExampleStart() {
	path, err := exec.LookPath("stockfish")
	if err != nil {
		return
	}
	ctx := context.Background()
	e, err := client.Start(ctx, client.Config{Path: path, Options: []client.Option{{Name: "Threads", Value: "1"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	p, err := board.ParseFEN("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := e.Search(ctx, board.NewGame(p), search.Limits{Nodes: 1000}, time.Minute, time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.UCI(a.Move, false), "mate in", a.Info.Score.Mate)
}

// Options are written as Name=value. The value may hold an equals sign or nothing.
func ExampleParseOptions() {
	options, err := client.ParseOptions([]string{"Hash=16", "Clear Hash="})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range options {
		fmt.Printf("%q is set to %q\n", o.Name, o.Value)
	}
	// Output:
	// "Hash" is set to "16"
	// "Clear Hash" is set to ""
}

// A program shows what an engine thinks while it searches, as a bot or a GUI does. The engine is that of the tests, which
// moves at random; any other is started by its name, such as stockfish.
func ExampleConfig() {
	dir, err := os.MkdirTemp("", "client")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path, err := clienttest.Engine(dir, "sound")
	if err != nil {
		fmt.Println(err)
		return
	}

	game := board.NewGame(board.StartPosition())
	think := func(r client.Report) {
		if r.Scored {
			fmt.Println("depth", r.Depth, "line", r.MultiPV, "centipawns", r.Score.CP, "variation of", len(r.PV))
		}
	}
	ctx := context.Background()
	e, err := client.Start(ctx, client.Config{Path: path, OnInfo: think})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	a, err := e.Search(ctx, game, search.Limits{MoveTime: 100 * time.Millisecond}, time.Minute, time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	game.Play(a.Move)
	fmt.Println(e.ID(), "has moved, and Black is to move:", game.Pos.Black)
	// Output:
	// depth 3 line 1 centipawns 12 variation of 1
	// depth 4 line 2 centipawns -50 variation of 1
	// test has moved, and Black is to move: true
}
