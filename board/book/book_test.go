package book

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
)

// encode is the move of the format for a legal move.
func encode(p *board.Position, m board.Move) uint16 {
	code := uint16(p.Absolute(m.From()))<<6 | uint16(p.Absolute(m.To()))
	if t := p.Promotion(m); t != board.None {
		code |= uint16(t-board.Pawn) << 12
	}
	return code
}

// add adds an entry for a legal move of the position of a game to the bytes of a book. A program looks for entries in
// the order of their keys.
func add(data []byte, g *board.Game, m board.Move, weight uint16) []byte {
	data = binary.BigEndian.AppendUint64(data, Key(g))
	data = binary.BigEndian.AppendUint16(data, encode(&g.Pos, m))
	data = binary.BigEndian.AppendUint16(data, weight)
	return append(data, 0, 0, 0, 0)
}

// play is the game of some moves from a position, "" being the start.
func play(t testing.TB, fen, moves string) *board.Game {
	t.Helper()
	g := board.NewGame(board.StartPosition())
	if fen != "" {
		p, err := board.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		g = board.NewGame(p)
	}
	for _, w := range strings.Fields(moves) {
		m, err := g.Pos.ParseMove(w)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}

// The keys are those that the specification gives as examples, and castling in Chess960 counts by the side of the king.
func TestKey(t *testing.T) {
	for moves, want := range map[string]uint64{
		"":                                   0x463b96181691fc9c,
		"e2e4":                               0x823c9b50fd114196,
		"e2e4 d7d5":                          0x0756b94461c50fb0,
		"e2e4 d7d5 e4e5":                     0x662fafb965db29d4,
		"e2e4 d7d5 e4e5 f7f5":                0x22a48b5a8e47ff78,
		"e2e4 d7d5 e4e5 f7f5 e1e2":           0x652a607ca3f242c1,
		"e2e4 d7d5 e4e5 f7f5 e1e2 e8f7":      0x00fdd303c946bdd9,
		"a2a4 b7b5 h2h4 b5b4 c2c4":           0x3c8123ea7b067637,
		"a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3": 0x5c3f9b829b279560,
	} {
		if got := Key(play(t, "", moves)); got != want {
			t.Errorf("%q: %016x, want %016x", moves, got, want)
		}
	}
	a, b := play(t, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", ""), play(t, "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "")
	if Key(a)^Key(b) != random[castlingNumber] {
		t.Error("White's short castling has another number")
	}
}

// A pinned pawn beside a double step has no legal capture, but the file counts.
func TestKeyPinned(t *testing.T) {
	g := play(t, "k7/4p3/8/q2P3K/8/8/8/8 b - - 0 1", "e7e5")
	if g.Pos.EnPassant != board.NoSquare {
		t.Fatal("the capture is legal")
	}
	with, without := Key(g), Key(play(t, g.Pos.FEN(false), ""))
	if with^without != random[enPassantNumber+4] {
		t.Errorf("keys %x and %x", with, without)
	}
}

// lines is a book of the moves of games, each with a weight.
func lines(t testing.TB, games ...string) (data []byte) {
	for weight, moves := range games {
		words := strings.Fields(moves)
		for i := range words {
			g := play(t, "", strings.Join(words[:i], " "))
			m, err := g.Pos.ParseMove(words[i])
			if err != nil {
				t.Fatal(err)
			}
			data = add(data, g, m, uint16(weight+1))
		}
	}
	return data
}

// A book of two lines, in any order: its moves, lines, draws and castling.
func TestBook(t *testing.T) {
	castling := "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6"
	b, err := Read(lines(t, "d2d4 d7d5", castling))
	if err != nil {
		t.Fatal(err)
	}
	start := play(t, "", "")
	if moves := b.Moves(start); len(moves) != 2 || start.Pos.UCI(moves[0].Move, false) != "e2e4" || moves[0].Weight != 2 {
		t.Errorf("moves of the start: %v", moves)
	}
	if g := play(t, "", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"); len(b.Moves(g)) != 1 || !b.Moves(g)[0].Move.IsCastling() {
		t.Errorf("no castling: %v", b.Moves(g))
	}
	for random, want := range map[float64]string{0: "e2e4", 0.6: "e2e4", 0.7: "d2d4", 0.999: "d2d4"} {
		if m, ok := b.Pick(start, random); !ok || start.Pos.UCI(m, false) != want {
			t.Errorf("at %v: %v", random, start.Pos.UCI(m, false))
		}
	}
	if _, ok := b.Pick(play(t, "", "a2a3"), 0); ok {
		t.Error("a move where the book has none")
	}
	for plies, want := range map[int][2]int{0: {2, 8}, 1: {1, 1}, 4: {2, 4}} {
		if got := b.Lines(plies); len(got[0]) != want[0] || len(got[len(got)-1]) != want[1] {
			t.Errorf("%d plies: %v", plies, got)
		}
	}
}

// Promotions are written and read.
func TestPromotion(t *testing.T) {
	g := play(t, "8/P6k/8/8/8/8/8/K7 w - - 0 1", "")
	for _, text := range []string{"a7a8q", "a7a8r", "a7a8b", "a7a8n"} {
		m, err := g.Pos.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := decode(&g.Pos, encode(&g.Pos, m)); !ok || got != m {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Files that are no books are refused with the reason.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := string(lines(t, "e2e4"))
	for path, want := range map[string]string{
		file("empty.bin", ""):                                     "empty file",
		file("short.bin", good[:15]):                              "no Polyglot book of 15 bytes",
		file("text.bin", strings.Repeat("[Event \"casual\"]", 9)): "most of its moves",
		dir:                            "not a regular file",
		filepath.Join(dir, "none.bin"): "no such file",
	} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if b, err := Open(file("good.bin", good)); err != nil || b.Len() != 1 {
		t.Error(err)
	}
}

// gnuChess is the book of Debian's package gnuchess-book, which is in the public domain.
const gnuChess = "/usr/share/games/gnuchess/book.bin"

// A book that others made: all of its moves for the positions of its first plies are legal.
func TestDebian(t *testing.T) {
	path := gnuChess
	if other := os.Getenv("TESLA_BOOK"); other != "" {
		path = other
	}
	b, err := Open(path)
	if os.IsNotExist(err) || err != nil && strings.Contains(err.Error(), "no such file") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if moves := b.Moves(play(t, "", "")); len(moves) < 5 {
		t.Errorf("%d entries, moves of the start: %v", b.Len(), moves)
	}
	games := b.Lines(6)
	if len(games) < 100 {
		t.Errorf("%d lines", len(games))
	}
	t.Logf("%d entries, %d lines of six plies", b.Len(), len(games))
}

// FuzzRead reads any bytes as a book, and plays by it.
func FuzzRead(f *testing.F) {
	f.Add(lines(f, "e2e4 e7e5 e1e2"))
	f.Add([]byte("[Event]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Read(data)
		if err != nil {
			return
		}
		for _, line := range b.Lines(3) {
			if g := board.NewGame(board.StartPosition()); len(line) > 3 || !g.Pos.IsLegal(line[0]) {
				t.Errorf("line %v", line)
			}
		}
	})
}
