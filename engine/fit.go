package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tesla/bestfirst"
)

// FitFile is where the change model of a net file lies.
func FitFile(weights string) string { return weights + ".fit.json" }

// fit is the change model for the net at path: that of FitFile where one is set, else the one beside the net file; nil
// where there is none.
func (s *Settings) fit(path string) (*bestfirst.Fit, error) {
	file, must := s.FitFile, true
	if file == "" {
		if path == "" {
			return nil, nil
		}
		file, must = FitFile(path), false
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fit, err := bestfirst.ReadFit(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &fit, nil
}
