// Command tesla is a chess engine: a UCI engine by default, and the tools around it as subcommands. This package only
// wires flags to structs to packages.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Writing to a pipe that nobody reads is then an error and does not kill the program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
