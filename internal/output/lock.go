package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ErrInUse is the error of Lock where another process, or another file of this one, has the lock.
var ErrInUse = errors.New("another process uses the file")

// inUse is how long Lock waits: a program that is being started holds the files of the one that starts it for a moment, those
// too that are closed meanwhile.
const inUse = time.Second / 2

// Lock keeps others from locking an open file until it is closed, or until this process ends in any way. It does nothing
// where the system cannot lock the file. It takes half a second to find that another has the lock.
func Lock(f *os.File) error { return LockWithin(f, inUse) }

// LockWithin is Lock, but it waits for the given time while another has the lock.
func LockWithin(f *os.File, wait time.Duration) error {
	begun := time.Now()
	err := lock(f)
	for errors.Is(err, ErrInUse) && time.Since(begun) < wait {
		time.Sleep(time.Millisecond)
		err = lock(f)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}

// OpenRegular opens a regular file to read. It refuses others before it opens them, since a pipe would keep it waiting.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, irregular(path)
	}
	return os.Open(path)
}

// ReadRegular reads a regular file whole. Errors name it.
func ReadRegular(path string) ([]byte, error) {
	in, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

func irregular(path string) error { return fmt.Errorf("%s is not a regular file", path) }

// Regular is an error unless an open file is a regular one: a device may never end.
func Regular(f *os.File) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = irregular(f.Name())
	}
	return err
}

// Hold keeps other processes from holding the same path until release is called, or until this process ends in any way. It
// is for a file that is replaced as a whole, which cannot be locked itself: the lock is on a file beside it.
func Hold(path string) (release func(), err error) {
	for {
		f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, newMode)
		if err != nil {
			return nil, err
		}
		err = recognizeOpen(f, None) // a lock file is empty
		if err == nil {
			err = Lock(f)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		// Who held it before may have removed the file since it was opened.
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		there, err := os.Stat(f.Name())
		if err == nil && os.SameFile(mine, there) {
			return func() {
				_ = os.Remove(f.Name()) // before the lock ends, so that no one holds a file without a name
				_ = f.Close()
			}, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err = errors.Join(f.Close(), err); err != nil {
			return nil, err
		}
	}
}
