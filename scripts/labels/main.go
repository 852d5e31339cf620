// Command labels prints positions that lie one or two random moves away from positions of games, as FENs, for an engine
// that labels positions in bulk, such as stockfish.sh builds:
//
//	(echo label 1; go run ./scripts/labels -share 1.1 -seed 11 a.games b.txt) | stockfish >near.txt
//	(echo children; go run ./scripts/labels -least 0 -share 0.2 a.games b.txt) | stockfish >children.txt
//
// Children of positions are what a search evaluates. Most of them come from moves that no game has, so that nets which
// know games alone are wrong there.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"tesla/board"
	"tesla/lab/games"
)

func main() {
	log.SetFlags(0)
	share := flag.Float64("share", 1, "positions to print for each position of the games, on average")
	least := flag.Int("least", 1, "fewest random moves from a position of a game; every second position has one more")
	seed := flag.Uint64("seed", 1, "seed for the moves")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	rnd := rand.New(rand.NewPCG(*seed, 0))
	for _, name := range flag.Args() {
		if err := near(out, name, *share, *least, rnd); err != nil {
			log.Fatalf("labels: %s: %v", name, err)
		}
	}
	if err := out.Flush(); err != nil {
		log.Fatalf("labels: %v", err)
	}
}

// near prints positions near those of the games of a file. It leaves out positions in which a king and a rook do not stand
// as in the initial position but may castle, because engines name such moves in several ways.
func near(out io.Writer, name string, share float64, least int, rnd *rand.Rand) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return games.Each(f, func(g *games.Game) error {
		_, err := g.Play(func(_ int, p *board.Position, _ board.Move) error {
			for n := share; n > rnd.Float64(); n-- {
				if at, ok := walk(*p, least+rnd.IntN(2), rnd); ok && !at.NeedsChess960() {
					if _, err := fmt.Fprintln(out, at.FEN(false)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		return err
	})
}

// walk makes random moves from p. It reports whether each of them was possible and a legal move is left after the last.
func walk(p board.Position, moves int, rnd *rand.Rand) (board.Position, bool) {
	for range moves {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			return p, false
		}
		p = p.After(legal[rnd.IntN(len(legal))])
	}
	return p, p.HasLegalMove()
}
