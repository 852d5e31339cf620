package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzReplay resumes any file as a journal. It leaves what it refuses as it is, and otherwise keeps a beginning of the
// file that ends with a line.
func FuzzReplay(f *testing.F) {
	begin, err := encode(header{7, "now"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(bytes.Clone(begin), lines(1, 2)+"{\"n\""...))
	f.Add(append(bytes.Clone(begin), lines(1)+"x\n\x00\x00"...))
	f.Add(begin[:len(begin)/2])
	path := filepath.Join(f.TempDir(), "journal")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, have, refused := resume(path, "")
		if j != nil {
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
			return
		}
		if whole := bytes.HasPrefix(text, after) && len(have) < bytes.Count(text, []byte{'\n'}); !whole && !bytes.Equal(after, begin) || !bytes.HasSuffix(after, []byte{'\n'}) {
			t.Errorf("%d records: %q is now %q", len(have), text, after)
		}
	})
}
