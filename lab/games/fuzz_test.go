package games

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzResume resumes any file. It leaves what it refuses as it is, and otherwise cuts the file off behind the games
// that it has read.
func FuzzResume(f *testing.F) {
	_, data := write(f, some(f)[:3])
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add(append(bytes.Clone(data), make([]byte, 40)...))
	f.Add(append(bytes.Clone(data), bytes.Repeat([]byte{0xff}, 12)...))
	f.Add([]byte(magic))
	path := filepath.Join(f.TempDir(), "games")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		games := 0
		w, refused := Resume(path, func(json.RawMessage) error { return nil }, func(*Game) error { games++; return nil })
		if refused == nil {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused != nil {
			if !bytes.Equal(after, text) {
				t.Errorf("%v, but %d bytes are now %d", refused, len(text), len(after))
			}
			return
		}
		if got, _ := readAll(after); len(got) != games || !bytes.HasPrefix(text, after) || w.Lost() != int64(len(text)-len(after)) {
			t.Errorf("%d games, then %d; %d bytes are now %d, %d were cut off", games, len(got), len(text), len(after), w.Lost())
		}
	})
}

// FuzzText reads any text as games in text form. What it accepts can be written to a file and read back.
func FuzzText(f *testing.F) {
	f.Add("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1;0.5;e2e4:30 e7e5:-20\r\n4k3/8/8/8/8/8/8/4K2R w K -;1;e1g1:500")
	f.Add("\ufeff4k3/8/8/8/8/8/8/4K3;0;\n")
	f.Fuzz(func(t *testing.T, text string) {
		err := Each(strings.NewReader(text), func(g *Game) error {
			back, err := decode(g.append(nil))
			if err != nil || back.Start != g.Start || len(back.Plies) != len(g.Plies) || back.Result != g.Result {
				t.Errorf("%q: read back as %+v (%v)", text, back, err)
			}
			return nil
		})
		if err != nil && !strings.HasPrefix(err.Error(), "line ") && !strings.HasPrefix(err.Error(), "games: byte ") &&
			!strings.HasPrefix(err.Error(), "game ") {
			t.Errorf("%q: no place in %v", text, err)
		}
	})
}
