package models

import (
	_ "embed"
	"fmt"
	"os"
	"sync"

	"tesla/eut"
)

//go:embed eut-s.tesla
var embedded []byte

var loadDefault = sync.OnceValues(func() (*eut.Net, error) {
	n, err := eut.Parse(embedded)
	if err != nil {
		return nil, fmt.Errorf("embedded net eut-s: %w", err)
	}
	return n, nil
})

// Default is the embedded transformer, read once and at the first call.
func Default() (*eut.Net, error) { return loadDefault() }

// Load reads the net file of a transformer at path; an empty path means Default.
func Load(path string) (*eut.Net, error) {
	if path == "" {
		return Default()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading net: %w", err)
	}
	n, err := eut.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("net %s: %w", path, err)
	}
	return n, nil
}
