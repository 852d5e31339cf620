package fleet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// inside is the variable of the environment that marks the process in which the test runs.
const inside = "TESLA_TEST_SMALL_DISK"

// refused is the exit code of that process where it may not mount.
const refused = 77

// onSmallDisk runs a test with a folder on a file system of its own, of the given size in bytes. Nothing outside the
// test sees it. The test runs in a process of its own, with its own table of mounts. Where the system does not allow
// that, it is skipped.
func onSmallDisk(t *testing.T, size string, test func(t *testing.T, dir string)) {
	t.Helper()
	if os.Getenv(inside) != "" {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
			t.Log(err)
			os.Exit(refused)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }) // the mount ends with the process, too
		test(t, dir)
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), inside+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case !errors.As(err, &exit):
		t.Skip("no process may have mounts of its own here: ", err)
	case exit.ExitCode() == refused:
		t.Skip("no file system may be mounted here")
	default:
		t.Fatalf("%v\n%s", err, &out)
	}
}

// fillDisk fills the file system of a folder to the last byte. free makes the space free again.
func fillDisk(t *testing.T, dir string) (free func()) {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, zeros{}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// zeros is a reader without an end.
type zeros struct{}

func (zeros) Read(to []byte) (int, error) { return len(to), nil }
