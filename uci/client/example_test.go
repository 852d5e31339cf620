package client_test

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"tesla/board"
	"tesla/search"
	"tesla/uci/client"
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
