package main

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"tesla/board"
)

const (
	scoreScale = 700 // centipawns in the hyperbolic tangent that scores are put through
	scoreStep  = 4   // of what it gives, times scoreScale; the unit of a byte
	notJudged  = 255 // the byte of all moves of a position that has no scores
)

// scoring is how the moves of a position are searched; see scripts/labels/stockfish.sh.
type scoring struct {
	Program string `json:"program"` // hash
	Depth   int    `json:"depth"`
	Window  int    `json:"window"` // centipawns
}

// score writes, beside each shard of dir that has none, a byte for each legal move, in the order of board.LegalMoves: how far it is
// behind the best one, at most 254, in units of scoreStep, where a score is scoreScale tanh(cp / scoreScale). Positions in which an
// engine names castling in another way have notJudged. A run that was stopped goes on at the shard where it was; each shard has a new
// process, so that its scores do not depend on what came before.
func score(dir, program string, s scoring) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	s.Program = fmt.Sprintf("%x", sha256.Sum256(text))[:12]
	if err := claim(dir, "scores", s); err != nil {
		return err
	}
	began := time.Now()
	n, err := eachShard(dir, "scores", func(records []byte) ([]uint8, int, error) { return scores(program, s, records) })
	if seconds := time.Since(began).Seconds(); n > 0 {
		fmt.Printf("scores of %s: %d positions in %.0f s, %.0f a second\n", s.Program, n, seconds, float64(n)/seconds)
	}
	return err
}

// scores lets a program score the moves of all records. It returns their bytes and the number of positions that were scored.
func scores(program string, s scoring, records []byte) (bytes []uint8, n int, err error) {
	cmd := exec.Command(program)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	asked := make(chan error, 1)
	go func() { asked <- errors.Join(ask(in, s, records), in.Close()) }()
	bytes, n, err = answers(bufio.NewScanner(out), records)
	if err != nil {
		cmd.Process.Kill()
	}
	return bytes, n, errors.Join(err, <-asked, cmd.Wait())
}

// ask writes the question of each record.
func ask(in io.Writer, s scoring, records []byte) error {
	w := bufio.NewWriter(in)
	fmt.Fprintf(w, "scores %d %d\n", s.Depth, s.Window)
	for at := 0; at < len(records); at += recordSize {
		p, err := position(records[at:])
		if err != nil {
			return fmt.Errorf("byte %d: %w", at, err)
		}
		if !p.NeedsChess960() {
			fmt.Fprintln(w, p.FEN(false))
		}
	}
	return w.Flush()
}

// answers reads the program's answers about all records and returns the bytes of their moves.
func answers(lines *bufio.Scanner, records []byte) (bytes []uint8, n int, err error) {
	lines.Scan() // the program's name
	var legal []board.Move
	for at := 0; at < len(records); at += recordSize {
		p, err := position(records[at:])
		if err != nil {
			return nil, n, fmt.Errorf("byte %d: %w", at, err)
		}
		legal = p.LegalMoves(legal[:0])
		if moves := int(records[at+movesAt]); moves != len(legal) {
			return nil, n, fmt.Errorf("byte %d: %d legal moves, want %d", at, len(legal), moves)
		}
		to := len(bytes)
		for range legal {
			bytes = append(bytes, notJudged)
		}
		if p.NeedsChess960() {
			continue
		}
		if !lines.Scan() {
			return nil, n, fmt.Errorf("byte %d: no answer for %s: %w", at, p.FEN(false), errors.Join(lines.Err(), io.ErrUnexpectedEOF))
		}
		if err := putScores(bytes[to:], &p, legal, lines.Text()); err != nil {
			return nil, n, fmt.Errorf("byte %d: %s: %w", at, p.FEN(false), err)
		}
		n++
	}
	return bytes, n, nil
}

// putScores writes the bytes of the legal moves of p from the line of their scores.
func putScores(to []uint8, p *board.Position, legal []board.Move, line string) error {
	words := strings.Fields(line)
	if len(words) != len(legal) {
		return fmt.Errorf("scores of %d moves, want %d: %s", len(words), len(legal), line)
	}
	found := make(map[string]float64, len(words))
	best := math.Inf(-1)
	for _, word := range words {
		name, text, _ := strings.Cut(word, ":")
		cp, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q: want a move and its score", word)
		}
		found[name] = scoreScale * math.Tanh(float64(cp)/scoreScale)
		best = max(best, found[name])
	}
	for i, m := range legal {
		s, ok := found[p.UCI(m, false)]
		if !ok {
			return fmt.Errorf("no score of %s: %s", p.UCI(m, false), line)
		}
		to[i] = uint8(min(math.Round((best-s)/scoreStep), notJudged-1))
	}
	return nil
}
