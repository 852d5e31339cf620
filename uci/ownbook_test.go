package uci

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/board"
)

// bookFile has the lines 1. d4 d5 and 1. a3.
const bookFile = "../board/book/testdata/own.bin"

// The book plays where it has a move and is asked to, and never in analysis.
func TestOwnBook(t *testing.T) {
	g := play(t, config(t))
	g.send("setoption name BookFile value "+bookFile, "go evals 5")
	if lines := g.until("bestmove"); strings.Contains(strings.Join(lines, " "), "moves of the book") {
		t.Errorf("a book plays without OwnBook: %q", lines)
	}
	g.send("setoption name OwnBook value true", "go wtime 1000 btime 1000")
	lines := g.until("bestmove")
	check(t, board.StartPosition(), false, lines)
	if last := lines[len(lines)-1]; last != "bestmove d2d4 ponder d7d5" || !strings.Contains(strings.Join(lines, " "), "d2d4 is one of 2 moves of the book") {
		t.Errorf("%q", lines)
	}
	for _, c := range []string{"position startpos moves a2a3\ngo evals 5", "position startpos\ngo evals 5 searchmoves a2a3", "go mate 1 evals 5",
		"setoption name BookDepth value 1\nposition startpos moves d2d4 a7a6 a2a3\ngo evals 5"} {
		g.send(c)
		if lines := g.until("bestmove"); strings.Contains(strings.Join(lines, " "), "moves of the book") {
			t.Errorf("%q: %q", c, lines)
		}
	}
	g.send("setoption name BookFile value /no/such/book.bin", "position startpos", "go evals 5")
	if text := strings.Join(g.until("bestmove"), " "); !strings.Contains(text, "error: option BookFile: book: stat /no/such/book.bin") || strings.Contains(text, "moves of the book") {
		t.Errorf("%q", text)
	}
}

// A tree is saved, and loaded in another session before readyok; a file that is no tree is refused.
func TestSaveLoadTree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tree")
	g := play(t, config(t))
	g.send("setoption name SaveTree value "+path, "position startpos moves e2e4", "go evals 300")
	if text := strings.Join(g.until("bestmove"), " "); !strings.Contains(text, "error: option SaveTree: nothing was searched yet") {
		t.Errorf("%q", text)
	}
	g.send("setoption name SaveTree value " + path)
	g.until("info string a tree of ")
	h := play(t, config(t))
	h.send("setoption name LoadTree value "+path, "isready")
	if text := strings.Join(h.until("readyok"), " "); !strings.Contains(text, "nodes loaded from "+path+", for rnbqkbnr/pppppppp/8/8/4P3/") {
		t.Errorf("%q", text)
	}
	h.send("position startpos moves e2e4", "go evals 1")
	if text := strings.Join(h.until("bestmove"), " "); !strings.Contains(text, "info depth 8") && !strings.Contains(text, "info depth 9") {
		t.Errorf("after one evaluation: %q", text)
	}
	if err := os.WriteFile(path, []byte("no tree"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.send("setoption name LoadTree value "+path, "isready")
	if text := strings.Join(h.until("readyok"), " "); !strings.Contains(text, "error: option LoadTree: bestfirst: tree "+path+": not the file of a tree") {
		t.Errorf("%q", text)
	}
}
