package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tesla/board"
	"tesla/lab/games"
	"tesla/models/eut"
	"tesla/nnue"
)

// labelled is a position with its best move.
type labelled struct {
	board.Position
	best board.Move
}

// gamePositions are the labelled positions of forty real games: ten each of four kinds, from the initial position, double
// Chess960 starts, random openings and a book.
func gamePositions(t testing.TB) (all []labelled) {
	t.Helper()
	err := games.EachOf("testdata/forty.games", func(g *games.Game) error {
		_, err := g.Labels(func(_ int, p *board.Position, best board.Move) error {
			all = append(all, labelled{*p, best})
			return nil
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// randomPositions are positions with many checks, pins and promotions, and what random moves make of them.
func randomPositions(t testing.TB) (all []labelled) {
	t.Helper()
	file, err := os.Open("../../board/testdata/perft3.epd")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fen, _, _ := strings.Cut(lines.Text(), ";")
		p, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 || p.Occupied().Count() > maxPieces {
				break
			}
			m := moves[r.IntN(len(moves))]
			all = append(all, labelled{p, m})
			p = p.After(m)
		}
	}
	return all
}

// records are those of positions, one after the other.
func records(t testing.TB, all []labelled) (data []byte) {
	t.Helper()
	for i := range all {
		r, err := newRecord(&all[i].Position, all[i].best, [2]int16{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		data = r.append(data)
	}
	return data
}

// TestKernel compares what scripts/shards/position.c computes with the packages board, nnue and eut, on real games and on
// positions of random moves.
func TestKernel(t *testing.T) {
	program := filepath.Join(t.TempDir(), "kernel")
	if out, err := exec.Command("cc", "-O1", "-o", program, "testdata/kernel.c").CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	for name, all := range map[string][]labelled{"games": gamePositions(t), "random": randomPositions(t)} {
		if len(all) < 3000 {
			t.Fatalf("%s: %d positions", name, len(all))
		}
		command := exec.Command(program)
		command.Stdin = bytes.NewReader(records(t, all))
		found, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		special := [3]int{}
		for i := range all {
			p := &all[i].Position
			want := inputs(p, all[i].best)
			if len(found) < len(want) || !bytes.Equal(found[:len(want)], want) {
				t.Fatalf("%s: position %d, %s: the kernel differs from Go", name, i, p.FEN(true))
			}
			found = found[len(want):]
			for k, is := range []bool{p.EnPassant != board.NoSquare, p.Castling != 0, p.Promotion(all[i].best) != board.None} {
				if is {
					special[k]++
				}
			}
		}
		if len(found) > 0 || slices.Min(special[:]) == 0 {
			t.Errorf("%s: %d bytes too many; en passant, castling, promotion in %v positions", name, len(found), special)
		}
	}
	checkDamage(t, program)
}

// inputs is what testdata/kernel.c writes of a position.
func inputs(p *board.Position, best board.Move) (b []byte) {
	le := binary.LittleEndian
	legal := p.LegalMoves(nil)
	mirror := nnue.Mirror(p)
	features, moves := nnue.PolicyInput(p, legal, nil, nil)
	for _, f := range features {
		b = le.AppendUint16(b, uint16(f))
	}
	theirs := (p.Kings & p.Theirs).First()
	played := uint8(slices.Index(legal, best))
	b = append(b, uint8(p.Occupied().Count()), uint8(p.King()^mirror), uint8(theirs^mirror), played, played)
	for _, m := range moves {
		b = le.AppendUint16(b, uint16(m.Row1))
	}
	for _, m := range moves {
		b = le.AppendUint16(b, uint16(m.Row2))
	}
	for _, m := range moves {
		b = append(b, uint8(m.Scalar))
	}
	var codes eut.Squares
	codes.Set(p)
	b = append(b, codes.Piece[:]...)
	for s, c := range codes.Ours {
		b = append(b, c<<4|codes.Theirs[s])
	}
	b = append(b, codes.Kings[:]...)
	for _, a := range codes.Attacks {
		b = le.AppendUint64(b, uint64(a))
	}
	castling, enPassant := uint8(0), uint8(8)
	for _, f := range eut.AppendFeatures(p, nil) {
		switch {
		case f >= 772:
			enPassant = uint8(f - 772)
		case f >= 768:
			castling |= 1 << (f - 768)
		}
	}
	b = append(b, castling, enPassant)
	for _, m := range legal {
		b = le.AppendUint16(b, moveCode(p, m))
	}
	return b
}

// checkDamage checks that the kernel and the teacher refuse records that hold no position.
func checkDamage(t *testing.T, program string) {
	good := records(t, gamePositions(t)[:1])
	for name, change := range map[string]func(b []byte){
		"nothing":       func(b []byte) { clear(b[:8]) },
		"no black king": func(b []byte) { b[7] = 0 },
		"unknown piece": func(b []byte) { b[8] |= 15 },
		"en passant":    func(b []byte) { b[23] = b[23]&15 | enPassantPawn<<4 },
	} {
		b := bytes.Clone(good)
		change(b)
		if p, err := position(b); err == nil {
			t.Errorf("%s: read as %s", name, p.FEN(true))
		}
		command := exec.Command(program)
		command.Stdin = bytes.NewReader(b)
		if _, err := command.Output(); err == nil {
			t.Errorf("%s: the kernel accepts the record", name)
		}
	}
}

// TestRecord checks that a record holds its whole position, but for its key and the number of its move.
func TestRecord(t *testing.T) {
	for _, l := range append(gamePositions(t), randomPositions(t)...) {
		data := records(t, []labelled{l})
		if len(data) != recordSize {
			t.Fatalf("%d bytes", len(data))
		}
		p, err := position(data)
		if err != nil {
			t.Fatalf("%s: %v", l.FEN(true), err)
		}
		want := l.Position
		want.Key, want.Fullmove = 0, 0
		if p != want {
			t.Fatalf("%s became %s", l.FEN(true), p.FEN(true))
		}
	}
}
