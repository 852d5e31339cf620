// Command tesla is a chess engine: a UCI engine by default, and the tools around it as subcommands. This package only
// wires flags to structs to packages.
package main

import "os"

func main() { os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
