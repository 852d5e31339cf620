package regret

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"tesla/uci/client"
)

// FuzzVerdicts opens any file as the verdicts of a judge. It leaves what it refuses as it is, and otherwise keeps a
// beginning of it that ends with a line.
func FuzzVerdicts(f *testing.F) {
	engine := client.Config{Path: "judge"}
	begin, err := json.Marshal((&Judge{engine: engine, nodes: 5}).header())
	if err != nil {
		f.Fatal(err)
	}
	begin = append(begin, '\n')
	f.Add(append(bytes.Clone(begin), `{"position":"4k3/8/8/8/8/8/8/4K3 w - - 0 1","move":"e1e2","cp":5}`+"\n{\"posi"...))
	f.Add(append(bytes.Clone(begin), "{}\n\x00"...))
	path := filepath.Join(f.TempDir(), "verdicts")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, refused := NewJudge(engine, 5, path, func(string) {})
		if refused == nil {
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		}
		after, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused != nil {
			if !bytes.Equal(after, text) {
				t.Errorf("%v, but %q is now %q", refused, text, after)
			}
		} else if !bytes.Equal(after, begin) && !bytes.HasPrefix(text, after) || !bytes.HasSuffix(after, []byte{'\n'}) {
			t.Errorf("%q is now %q", text, after)
		}
	})
}
