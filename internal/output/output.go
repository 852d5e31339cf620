// Package output keeps what commands write: result files, files of records that one process at a time may extend, and
// standard output.
//
// Invariants: a result file is whole or not there, whenever the program is killed. A file that this program did not write
// keeps its contents: what is replaced or appended to is a regular file that plainly is of the kind to be written. A character
// device or a pipe is written to as it is; a block device, which holds files, is refused. A line of standard output that was
// lost is an error. docs/reliability.md has a table of all outputs.
package output

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// headSize is how much of a file, in bytes, tells who wrote it.
const headSize = 4096

// Ours tells by the first bytes of a file whether this program wrote it.
type Ours func(head []byte) bool

// Begins is for files that begin with one of some texts.
func Begins(texts ...string) Ours {
	return func(head []byte) bool {
		for _, t := range texts {
			if bytes.HasPrefix(head, []byte(t)) {
				return true
			}
		}
		return false
	}
}

// Check reports why Write could not write a file at path. It is for the time before the work whose result is written.
func Check(path string, ours Ours) error {
	_, err := prepare(path, ours)
	return err
}

// prepare finds the file that a path leads to, and checks that it may be written. It leaves nothing behind.
func prepare(path string, ours Ours) (target, error) {
	t, err := find(path)
	if err != nil || t.special {
		return t, err
	}
	if err := recognize(t.path, ours); err != nil {
		return t, err
	}
	f, err := t.temporary()
	if err != nil {
		return t, err
	}
	return t, errors.Join(f.Close(), os.Remove(f.Name()))
}

// target is where a path leads.
type target struct {
	path    string
	mode    fs.FileMode
	special bool // a character device or a pipe, which is written to as it is
}

// newMode is the mode of new files, less the umask.
const newMode = 0o644

// find follows the links of a path. A link that leads nowhere is an error: who made it is not known.
func find(path string) (t target, err error) {
	if path == "" {
		return t, errors.New("no name of the file")
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return target{path: path, mode: newMode}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return t, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return t, fmt.Errorf("%s is a folder", path)
	case mode&(fs.ModeCharDevice|fs.ModeNamedPipe) != 0:
		return target{path: path, special: true}, nil
	case !mode.IsRegular():
		return t, irregular(path)
	}
	path, err = filepath.EvalSymlinks(path)
	return target{path: path, mode: info.Mode().Perm()}, err
}

// recognize is an error if there is a file at path that this program did not write. An empty file is anybody's.
func recognize(path string, ours Ours) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return recognizeOpen(f, ours)
}

func recognizeOpen(f *os.File, ours Ours) error {
	head := make([]byte, headSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n > 0 && !ours(head[:n]) {
		return fmt.Errorf("%s exists and is not a file that this command writes: name another, or remove it", f.Name())
	}
	return nil
}

// Append opens a file to append to, and makes it where it is missing.
func Append(path string, ours Ours) (*os.File, error) {
	t, err := find(path)
	if err != nil {
		return nil, err
	}
	if t.special {
		return os.OpenFile(t.path, os.O_WRONLY|nonblocking, 0)
	}
	f, err := os.OpenFile(t.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, newMode)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(Regular(f), recognizeOpen(f, ours)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// temporary makes a new file beside the target.
func (t target) temporary() (*os.File, error) {
	return os.OpenFile(t.path+"."+rand.Text()[:10]+".tmp", os.O_CREATE|os.O_EXCL|os.O_WRONLY, t.mode)
}

// Write puts what fill writes at path. The file appears at once and whole, in place of an earlier one of ours. After an
// error the earlier one is still there.
func Write(path string, ours Ours, fill func(io.Writer) error) error {
	t, err := find(path)
	if err != nil {
		return err
	}
	if t.special {
		return writeSpecial(t.path, fill)
	}
	if err := recognize(t.path, ours); err != nil {
		return err
	}
	f, err := t.temporary()
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(f)
	if err = filled(buffer, fill); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), t.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	SyncFolder(t.path)
	return nil
}

// WriteBytes is Write of bytes.
func WriteBytes(path string, ours Ours, data []byte) error {
	return Write(path, ours, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Any takes every file for ours. It is for a file in a folder that is this program's own.
func Any([]byte) bool { return true }

// None takes no file for ours: nothing is replaced.
func None([]byte) bool { return false }

// Same is for a file that is written again with the same bytes only.
func Same(data []byte) Ours {
	return func(head []byte) bool { return bytes.HasPrefix(data, head) }
}

// writeSpecial writes to a device or a pipe. It does not wait for a reader of a pipe.
func writeSpecial(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|nonblocking, 0)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(f)
	return errors.Join(filled(buffer, fill), f.Close())
}

// filled fills a buffer and empties it. The buffer keeps the error of a write, so flushing would tell it again.
func filled(buffer *bufio.Writer, fill func(io.Writer) error) error {
	if err := fill(buffer); err != nil {
		return err
	}
	return buffer.Flush()
}

// File is a file of a folder.
type File struct {
	Name string
	Ours Ours
}

// Folder makes a folder where it is missing, and reports why one of the files could not be written there. It is called before
// the work whose result is written.
func Folder(path string, files ...File) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := Check(filepath.Join(path, f.Name), f.Ours); err != nil {
			return err
		}
	}
	return nil
}

// Report is Folder of a command's --report, where one is named.
func Report(path string, files ...File) error {
	if path == "" {
		return nil
	}
	if err := Folder(path, files...); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}

// SyncFolder puts the name of a new file on the disk, where the file system can.
func SyncFolder(path string) {
	if folder, err := os.Open(filepath.Dir(path)); err == nil {
		_ = folder.Sync()
		_ = folder.Close()
	}
}
