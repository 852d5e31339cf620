package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os/exec"

	"tesla/internal/output"
)

// FileSum is the SHA-256 of a regular file, in hexadecimal digits.
func FileSum(path string) (string, error) {
	f, err := output.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// FileHash is the beginning of the FileSum. A header holds it where a run depends on what is in a file.
func FileHash(path string) (string, error) {
	sum, err := FileSum(path)
	if err != nil {
		return "", err
	}
	return sum[:12], nil
}

// ProgramHash is the FileHash of a program that is named as a shell names it.
func ProgramHash(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return FileHash(path)
}
