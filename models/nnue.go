package models

import (
	_ "embed"
	"fmt"
	"os"
	"sync"

	"tesla/nnue"
)

//go:embed nnue.tesla
var embeddedNNUE []byte

var loadDefaultNNUE = sync.OnceValues(func() (*nnue.Net, error) {
	n, err := nnue.Read(embeddedNNUE)
	if err != nil {
		return nil, fmt.Errorf("embedded net nnue: %w", err)
	}
	return n, nil
})

// DefaultNNUE is the embedded net for processors, read once and at the first call.
func DefaultNNUE() (*nnue.Net, error) { return loadDefaultNNUE() }

// LoadNNUE reads the nnue net file at path; an empty path means DefaultNNUE.
func LoadNNUE(path string) (*nnue.Net, error) {
	if path == "" {
		return DefaultNNUE()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading net: %w", err)
	}
	n, err := nnue.Read(data)
	if err != nil {
		return nil, fmt.Errorf("net %s: %w", path, err)
	}
	return n, nil
}

// Kind is what kind of net a file holds.
type Kind int

// The kinds of nets: one for the CPU alone, and one of ONNX Runtime.
const (
	EUT Kind = iota
	NNUE
)

// KindOf looks at the first bytes of the file at path. What is no nnue net counts as EUT, whose reader says what is wrong.
func KindOf(path string) (Kind, error) {
	f, err := os.Open(path)
	if err != nil {
		return EUT, fmt.Errorf("reading net: %w", err)
	}
	defer f.Close()
	var magic [len(nnue.Magic)]byte
	if n, _ := f.Read(magic[:]); string(magic[:n]) == nnue.Magic {
		return NNUE, nil
	}
	return EUT, nil
}
