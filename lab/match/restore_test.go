package match

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// FuzzRestore reads any text as a game of a journal. A game that is accepted is the same when it is written and read
// again.
func FuzzRestore(f *testing.F) {
	config := fixed(f.TempDir(), 2)
	config.Files.PGN, config.Files.Journal = "", filepath.Join(f.TempDir(), "journal")
	config.InProcess.Searcher = sound
	if _, err := run(context.Background(), config); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(config.Files.Journal)
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range bytes.Split(text, []byte{'\n'}) {
		f.Add(line)
	}
	m, err := newRun(context.Background(), &config)
	if err != nil {
		f.Fatal(err)
	}
	restore := func(line []byte) (*gameLine, error) {
		r, err := m.restore(line)
		if err != nil {
			return nil, err
		}
		return &r.gameLine, nil
	}
	if _, err := restore(bytes.Split(text, []byte{'\n'})[1]); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := restore(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := restore(again); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%s is written as %s (%v)", text, again, err)
		}
	})
}
