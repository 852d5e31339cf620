//go:build ignore

// Command generate_perft3 writes testdata/perft3.epd: random positions, each with the number of leaves at depth 3 by
// the count of another program. Run it in this folder: go run generate_perft3.go [--engine stockfish].
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"

	"tesla/board"
)

func main() {
	engine := flag.String("engine", "/usr/games/stockfish", "UCI engine that understands `go perft`")
	seed := flag.Uint64("seed", 1, "seed of the positions")
	out := flag.String("out", "testdata/perft3.epd", "file to write")
	flag.Parse()
	if err := run(*engine, *out, rand.New(rand.NewPCG(*seed, 0))); err != nil {
		log.Fatal(err)
	}
}

// run writes 600 positions of random games, 400 random placements and 200 of random Chess960 games.
func run(engine, path string, rnd *rand.Rand) error {
	cmd := exec.Command(engine)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", engine, err)
	}
	lines := bufio.NewScanner(stdout)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	seen := map[uint64]bool{}
	for n := 0; n < 1200; {
		p, chess960 := draw(n, rnd)
		if seen[p.Key] || !p.HasLegalMove() {
			continue
		}
		seen[p.Key] = true
		fen := p.FEN(chess960)
		count, err := ask(stdin, lines, fen, chess960)
		if err != nil {
			return fmt.Errorf("%s: %w", fen, err)
		}
		fmt.Fprintf(f, "%s;%s\n", fen, count)
		n++
	}
	fmt.Fprintln(stdin, "quit")
	if err := cmd.Wait(); err != nil {
		return err
	}
	return f.Close()
}

// draw returns the n-th position, and whether it is from Chess960.
func draw(n int, rnd *rand.Rand) (board.Position, bool) {
	switch {
	case n < 600:
		return play(board.StartPosition(), 1+rnd.IntN(160), rnd), false
	case n < 1000:
		return scatter(rnd), false
	}
	return play(chess960Start(rnd), rnd.IntN(50), rnd), true
}

// play makes random moves. It makes fewer moves of rooks, queens and kings, so that castling rights last longer.
func play(p board.Position, plies int, rnd *rand.Rand) board.Position {
	for range plies {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[rnd.IntN(len(moves))]
		if m.Moved() >= board.Rook && !m.IsCastling() && p.Promotion(m) == board.None && rnd.IntN(4) > 0 {
			m = moves[rnd.IntN(len(moves))]
		}
		p = p.After(m)
	}
	return p
}

// scatter puts random pieces on random squares until ParseFEN accepts the result.
func scatter(rnd *rand.Rand) board.Position {
	for {
		squares := rnd.Perm(64)
		cells := []byte(strings.Repeat("1", 64))
		cells[squares[0]], cells[squares[1]] = 'K', 'k'
		for _, s := range squares[2 : 4+rnd.IntN(24)] {
			cells[s] = "PPPPNBRQppppnbrq"[rnd.IntN(16)]
		}
		var ranks []string
		for r := 0; r < 64; r += 8 {
			rank := string(cells[r : r+8])
			for n := 8; n > 1; n-- {
				rank = strings.ReplaceAll(rank, strings.Repeat("1", n), fmt.Sprint(n))
			}
			ranks = append(ranks, rank)
		}
		fen := strings.Join(ranks, "/") + " " + "wb"[rnd.IntN(2):][:1] + " - - 0 1"
		if p, err := board.ParseFEN(fen); err == nil {
			return p
		}
	}
}

// chess960Start returns a random starting position.
func chess960Start(rnd *rand.Rand) board.Position {
	for {
		back := []byte("rnbqkbnr")
		rnd.Shuffle(8, func(i, j int) { back[i], back[j] = back[j], back[i] })
		s := string(back)
		king, rook := strings.IndexByte(s, 'k'), strings.IndexByte(s, 'r')
		bishop := strings.IndexByte(s, 'b')
		if rook > king || strings.LastIndexByte(s, 'r') < king || (strings.LastIndexByte(s, 'b')-bishop)%2 == 0 {
			continue
		}
		p, err := board.ParseFEN(s + "/pppppppp/8/8/8/8/PPPPPPPP/" + strings.ToUpper(s) + " w KQkq - 0 1")
		if err != nil {
			log.Fatal(err)
		}
		return p
	}
}

// ask returns the count of the engine at depth 3.
func ask(to io.Writer, from *bufio.Scanner, fen string, chess960 bool) (string, error) {
	fmt.Fprintf(to, "setoption name UCI_Chess960 value %v\nposition fen %s\ngo perft 3\n", chess960, fen)
	for from.Scan() {
		if count, ok := strings.CutPrefix(from.Text(), "Nodes searched: "); ok {
			return count, nil
		}
	}
	return "", fmt.Errorf("engine closed its output: %w", from.Err())
}
