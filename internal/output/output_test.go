package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var ours = Begins("ours")

// A file is replaced as a whole, by what was written without an error. Of a failure nothing is left.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"ours 1", "ours 2"} {
		if err := errors.Join(Check(path, ours), WriteBytes(path, ours, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	failed := errors.New("failed")
	if err := Write(path, ours, func(w io.Writer) error {
		fmt.Fprint(w, "ours 3")
		return failed
	}); !errors.Is(err, failed) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "ours 2" {
		t.Errorf("%q", text)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.WriteFile(foreign, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if Check(foreign, ours) == nil || WriteBytes(foreign, ours, nil) == nil || Check(dir, ours) == nil || Check("", ours) == nil {
		t.Error("a file that is not ours, a folder, or no name was taken")
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("left behind: %v", files)
	}
}

// A device that is full is told once, although the buffer keeps the error.
func TestFull(t *testing.T) {
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Skip(err)
	}
	err := WriteBytes(device, ours, make([]byte, 1<<16))
	if err == nil || strings.Count(err.Error(), device) != 1 {
		t.Error(err)
	}
}

// Links are followed to files of ours only, and the link stays.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	file, link, nowhere := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "nowhere")
	if err := errors.Join(os.WriteFile(file, []byte("ours"), 0o640), os.Symlink(file, link), os.Symlink(filepath.Join(dir, "none"), nowhere)); err != nil {
		t.Skip(err)
	}
	if err := WriteBytes(link, ours, []byte("ours again")); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(file)
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() || string(text) != "ours again" {
		t.Errorf("%v, %v, %q", info.Mode(), err, text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if Check(nowhere, ours) == nil || WriteBytes(nowhere, ours, nil) == nil {
		t.Error("a link that leads nowhere was taken")
	}
}

// One at a time holds a path or locks a file, whoever lets go when.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	release, err := Hold(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(path); !errors.Is(err, ErrInUse) {
		t.Errorf("held twice: %v", err)
	}
	release()
	var wait sync.WaitGroup
	var mu sync.Mutex
	holders := 0
	for range 8 {
		wait.Go(func() {
			for range 50 {
				release, err := Hold(path)
				if err != nil {
					continue
				}
				mu.Lock()
				if holders++; holders > 1 {
					t.Error("held twice")
				}
				mu.Unlock()
				mu.Lock()
				holders--
				mu.Unlock()
				release()
			}
		})
	}
	wait.Wait()
	if _, err := os.Stat(path + ".lock"); err == nil {
		t.Error("the lock was left behind")
	}
}

// broken fails at its second write.
type broken struct{ writes int }

func (b *broken) Write(p []byte) (int, error) {
	if b.writes++; b.writes == 2 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// The first error of standard output is kept, and told once.
func TestStandard(t *testing.T) {
	lost := 0
	s := NewStandard(&broken{}, func() { lost++ })
	fmt.Fprintln(s, "one")
	if err := s.Err(); err != nil {
		t.Error(err)
	}
	for range 3 {
		fmt.Fprintln(s, "two")
	}
	if err := s.Err(); !errors.Is(err, io.ErrShortWrite) || !strings.Contains(err.Error(), "standard output") || lost != 1 {
		t.Errorf("%v, told %d times", err, lost)
	}
}

// A lock that another file gives back within a moment is taken.
func TestLockSoon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	first, err := os.Create(path)
	if err == nil {
		err = Lock(first)
	}
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	go func() {
		time.Sleep(20 * time.Millisecond)
		first.Close()
	}()
	if err := Lock(second); err != nil {
		t.Error(err)
	}
}
