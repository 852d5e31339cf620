package models

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tesla/models/eut"
	"tesla/nnue"
)

// write writes a file and returns its path.
func write(t *testing.T, data string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.tesla")
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	for _, test := range []struct {
		path, name string
		cpu        bool
	}{{"eut-s.tesla", "eut-s", false}, {"eut-m.tesla", "eut-m", false}, {"nnue.tesla", "", true}} {
		n, err := Open(test.path)
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		if (n.NNUE != nil) != test.cpu || (n.EUT != nil) == test.cpu {
			t.Errorf("%s: EUT %v, NNUE %v, want exactly one, NNUE: %v", test.path, n.EUT != nil, n.NNUE != nil, test.cpu)
		}
		name := ""
		if n.NNUE != nil {
			name = n.NNUE.Name
		} else if n.EUT != nil {
			name = n.EUT.Name
		}
		if n.Path != test.path || test.name != "" && name != test.name || name == "" {
			t.Errorf("%s: path %q, name %q", test.path, n.Path, name)
		}
	}
}

// Each way in which a file can be no net has an error that names the path and says what is wrong.
func TestOpenRefuses(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "pipe")
	sparse := write(t, eut.Magic)
	if err := os.Truncate(sparse, maxFile+1); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ path, want string }{
		"missing":         {filepath.Join(t.TempDir(), "none.tesla"), "no such file"},
		"directory":       {t.TempDir(), "a directory"},
		"endless device":  {"/dev/zero", "a device"},
		"empty":           {write(t, ""), `begins with ""`},
		"cut magic":       {write(t, "TESLAN"), `begins with "TESLAN"`},
		"text":            {"doc.go", `begins with "// Packa"`},
		"transformer cut": {write(t, eut.Magic), "truncated"},
		"CPU net cut":     {write(t, nnue.Magic), "truncated"},
		"too large":       {sparse, "at most"},
		"pipe":            {namedPipe(t, fifo), "a named pipe"},
	} {
		if test.path == "" {
			continue // this system has no such file
		}
		_, err := Open(test.path)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.path) {
			t.Errorf("%s: %v, want an error with %q that names %s", name, err, test.want, test.path)
		}
	}
}

// endless is a reader without end. It counts what was read of it.
type endless struct {
	begin string
	read  int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.begin)
	e.begin = e.begin[n:]
	if n == 0 {
		n = len(p)
	}
	e.read += n
	return n, nil
}

// Of a file that never ends no more is read than the size that it had.
func TestReadIsBounded(t *testing.T) {
	for begin, most := range map[string]int{eut.Magic: 5000, nnue.Magic: 5000, "TESLAXXX": magicSize} {
		e := &endless{begin: begin}
		if data, err := readNet(e, 5000); (err == nil) != (most == 5000) || err == nil && len(data) != 5000 {
			t.Errorf("%s: %d bytes, %v", begin, len(data), err)
		}
		if e.read > most {
			t.Errorf("%s: %d bytes were read, want at most %d", begin, e.read, most)
		}
	}
	if _, err := readNet(strings.NewReader(eut.Magic+"123"), 100); err == nil || !strings.Contains(err.Error(), "ends after 11 of its 100 bytes") {
		t.Errorf("a file that shrank: %v", err)
	}
	if _, err := readNet(io.MultiReader(strings.NewReader(eut.Magic), broken{}), 100); !errors.Is(err, errBroken) {
		t.Errorf("a disk that fails: %v", err)
	}
}

var errBroken = errors.New("input/output error")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestBuiltIn(t *testing.T) {
	e, err := OpenEUT("")
	if err != nil || e.Name != "eut-s" {
		t.Fatalf("built-in transformer: %v", err)
	}
	n, err := OpenNNUE("")
	if err != nil {
		t.Fatalf("built-in CPU net: %v", err)
	}
	if again, _ := Default(); again != e {
		t.Error("the built-in transformer is read twice")
	}
	if again, _ := DefaultNNUE(); again != n {
		t.Error("the built-in CPU net is read twice")
	}
}

// The error says so where a file holds the other kind of net.
func TestWrongKind(t *testing.T) {
	if n, err := OpenEUT("eut-m.tesla"); err != nil || n.Name != "eut-m" {
		t.Errorf("transformer: %v", err)
	}
	if n, err := OpenNNUE("nnue.tesla"); err != nil || n == nil {
		t.Errorf("CPU net: %v", err)
	}
	if _, err := OpenEUT("nnue.tesla"); err == nil || !strings.Contains(err.Error(), "nnue.tesla is a CPU net (nnue), not a transformer") {
		t.Errorf("OpenEUT of a CPU net: %v", err)
	}
	if _, err := OpenNNUE("eut-s.tesla"); err == nil || !strings.Contains(err.Error(), "eut-s.tesla is a transformer (EUT), not a CPU net") {
		t.Errorf("OpenNNUE of a transformer: %v", err)
	}
	if _, err := OpenEUT("doc.go"); err == nil {
		t.Error("OpenEUT opens a text")
	}
	if _, err := OpenNNUE("doc.go"); err == nil {
		t.Error("OpenNNUE opens a text")
	}
}
