package journal

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os/exec"

	"tesla/internal/output"
)

// FileHash is the beginning of the SHA-256 of a regular file. A header holds it where a run depends on what is in a file.
func FileHash(path string) (string, error) {
	f, err := output.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:6]), nil
}

// ProgramHash is the FileHash of a program that is named as a shell names it.
func ProgramHash(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return FileHash(path)
}
