package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tesla/internal/output"
	"tesla/lab/journal"
	"tesla/lab/work"
)

// hashMark begins a path in an order that stands for a file of the host: its hash and the end of its name follow.
const hashMark = "sha256-"

const (
	pieceSize = 256 << 10   // bytes of a file that travel in one message: a NATS server takes 1 MB unless it is told otherwise
	pieceTime = time.Minute // for a piece to arrive: many workers may fetch at once
)

// wish asks a host for a piece of a file.
type wish struct {
	Name string `json:"name"` // as in the order
	From int64  `json:"from"` // byte of the file
}

// piece is the host's answer to a wish.
type piece struct {
	Data    []byte `json:"data"`
	Size    int64  `json:"size"`    // bytes of the whole file
	Refused string `json:"refused"` // why there are no data
}

// hashOf is the name of a file in an order.
func hashOf(path string) (string, error) {
	sum, err := journal.FileSum(path)
	if err != nil {
		return "", err
	}
	return hashMark + sum + filepath.Ext(path), nil
}

// hashFiles replaces the paths in an order by names with hashes. It opens the files, and returns them by these names:
// workers may ask for them as long as the run lasts.
func hashFiles(o work.Order) (files map[string]*os.File, err error) {
	files = map[string]*os.File{}
	for _, path := range o.Files() {
		if *path == "" {
			continue
		}
		name, err := hashOf(*path)
		if err == nil && files[name] == nil {
			files[name], err = output.OpenRegular(*path)
		}
		if err != nil {
			return files, err
		}
		*path = name
	}
	return files, nil
}

// give answers a wish.
func (r *run) give(text []byte) any {
	var asked wish
	if err := json.Unmarshal(text, &asked); err != nil {
		return piece{Refused: err.Error()}
	}
	f := r.files[asked.Name]
	if f == nil {
		return piece{Refused: "the run has no such file"}
	}
	info, err := f.Stat()
	if err != nil {
		return piece{Refused: err.Error()}
	}
	data := make([]byte, pieceSize)
	n, err := f.ReadAt(data, asked.From)
	if err != nil && !errors.Is(err, io.EOF) {
		return piece{Refused: err.Error()}
	}
	return piece{Data: data[:n], Size: info.Size()}
}

// receive fetches the files of an order that are not in the folder yet, and sets their paths. ask brings a piece of one.
func receive(dir string, o work.Order, ask func(wish) (piece, error)) error {
	for _, path := range o.Files() {
		if !strings.HasPrefix(*path, hashMark) || strings.ContainsAny(*path, `/\`) {
			if *path == "" {
				continue
			}
			return fmt.Errorf("file %q: no hash", *path)
		}
		name, here := *path, filepath.Join(dir, *path)
		*path = here
		if _, err := os.Stat(here); err == nil {
			continue // it was renamed to this name after its hash was checked
		}
		if err := download(name, here, ask); err != nil {
			return fmt.Errorf("file %s: %w", name, err)
		}
	}
	return nil
}

// download fetches a file. It is under its name only as a whole, and after its hash was checked.
func download(name, to string, ask func(wish) (piece, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(to), "part-*"+filepath.Ext(to))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	if err := errors.Join(fetch(name, temporary, ask), temporary.Close()); err != nil {
		return err
	}
	hash, err := hashOf(temporary.Name())
	if err != nil {
		return err
	}
	if hash != name {
		return fmt.Errorf("its hash is %s", hash)
	}
	return os.Rename(temporary.Name(), to)
}

// fetch writes a file of the host, piece by piece.
func fetch(name string, to *os.File, ask func(wish) (piece, error)) error {
	for from := int64(0); ; {
		p, err := ask(wish{name, from})
		if err == nil && p.Refused != "" {
			err = errors.New("host: " + p.Refused)
		}
		if err == nil && len(p.Data) == 0 && from < p.Size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("after %d bytes: %w", from, err)
		}
		if _, err := to.Write(p.Data); err != nil {
			return fmt.Errorf("no room for %d bytes: %w", p.Size, err)
		}
		if from += int64(len(p.Data)); from >= p.Size {
			return nil
		}
	}
}
