package match

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"

	"tesla/internal/output"
)

// lockTime is how long a match waits for another process that writes to the same PGN file.
const lockTime = 3 * time.Second

// pgnFile is a PGN file that a match appends to. Other programs may append to it as well: each game is one write, and
// no byte of theirs is ever moved or removed. A lock keeps two matches from writing at the same time.
type pgnFile struct {
	path    string
	special *os.File // a device or a pipe, which stays open; nil: the file is opened for each game
}

// openPGN checks that games can be appended to the file at path. A file that holds something other than games is
// refused.
func openPGN(path string) (*pgnFile, error) {
	f := &pgnFile{path: path}
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		f.special, err = output.Append(path, output.None)
	} else {
		err = f.locked(os.O_APPEND, recognizePGN)
	}
	if err != nil {
		return nil, fmt.Errorf("pgn: %w", err)
	}
	return f, nil
}

// A file of games begins with a tag, a comment or a move number, and soon has a tag of games or a first move.
var (
	pgnStart = regexp.MustCompile(`^\x{FEFF}?\s*(\[\s*\w+\s+"|\{\s*[^"\s]|;|%|1\s*\.)`)
	pgnSign  = regexp.MustCompile(`(?m)^\x{FEFF}?\s*\[\s*(Event|Site|Date|Round|White|Black|Result|FEN)\s+"|\b1\s*\.[\s.]*([NBRQK]?[a-h]?[1-8]?x?[a-h][1-8]|[O0]-[O0]|--)`)
)

// recognizePGN is an error where a file is neither empty nor PGN.
func recognizePGN(file *os.File) error {
	head := make([]byte, 4096)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !holdsGames(head[:n]) {
		return fmt.Errorf("%s is there already and holds no games: name another file", file.Name())
	}
	return nil
}

// holdsGames reports whether a file that begins so holds games, or nothing.
func holdsGames(head []byte) bool {
	return len(bytes.TrimSpace(head)) == 0 || pgnStart.Match(head) && pgnSign.Match(head) && bytes.IndexByte(head, 0) < 0
}

// locked opens the file, makes it where it is missing, and calls do while no other match writes to it.
func (f *pgnFile) locked(flags int, do func(*os.File) error) error {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		file, err := os.OpenFile(f.path, os.O_CREATE|os.O_RDWR|flags, 0o644)
		if err != nil {
			return err
		}
		err = output.Lock(file)
		if err == nil {
			return errors.Join(do(file), file.Close())
		}
		err = errors.Join(err, file.Close())
		if !errors.Is(err, output.ErrInUse) || time.Since(begun) > lockTime {
			return err
		}
	}
}

// write appends a game.
func (f *pgnFile) write(text string) (err error) {
	if f.special != nil {
		_, err = f.special.WriteString(text)
	} else {
		err = f.locked(os.O_APPEND, func(file *os.File) error { return appendGames(file, text) })
	}
	if err != nil {
		return fmt.Errorf("pgn: %w", err)
	}
	return nil
}

// appendGames writes games at the end of a file that is open for appending, behind an empty line. Where that fails, as
// on a full disk, it takes back the part that was written.
func appendGames(file *os.File, text string) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		end := make([]byte, min(size, 2))
		if _, err := file.ReadAt(end, size-int64(len(end))); err != nil {
			return err
		}
		switch {
		case end[len(end)-1] != '\n':
			text = "\n\n" + text
		case end[0] != '\n':
			text = "\n" + text
		}
	}
	n, err := file.WriteString(text)
	if err == nil || n == 0 {
		return err
	}
	if info, failed := file.Stat(); failed == nil && info.Size() == size+int64(n) {
		err = errors.Join(err, file.Truncate(size))
	}
	return err
}

// close closes a device or a pipe.
func (f *pgnFile) close() error {
	if f.special == nil {
		return nil
	}
	return f.special.Close()
}
