package calibrate

import (
	"encoding/json"
	"errors"

	"tesla/bestfirst"
	"tesla/internal/output"
	"tesla/internal/output/plots"
)

// Files are where a result is written to. Other processes cannot hold them before Release.
type Files struct {
	fit, plot string // empty: not written
	release   []func()
}

// Hold checks that the files of the fit and of the plot can be written, and keeps other processes from holding them. An empty
// path is none.
func Hold(fit, plot string) (*Files, error) {
	f := &Files{fit: fit, plot: plot}
	for _, file := range []struct {
		path string
		ours output.Ours
	}{{fit, isFit}, {plot, plots.Ours}} {
		if file.path == "" {
			continue
		}
		err := output.Check(file.path, file.ours)
		if err == nil {
			var release func()
			if release, err = output.Hold(file.path); err == nil {
				f.release = append(f.release, release)
			}
		}
		if err != nil {
			f.Release()
			return nil, err
		}
	}
	return f, nil
}

// Release lets others hold the files.
func (f *Files) Release() {
	for _, release := range f.release {
		release()
	}
	f.release = nil
}

// Write writes the files of a result.
func (f *Files) Write(r *Result) (err error) {
	if f.fit != "" {
		var text []byte
		if text, err = json.Marshal(r.Fit); err == nil {
			err = output.WriteBytes(f.fit, isFit, append(text, '\n'))
		}
	}
	if f.plot != "" {
		err = errors.Join(err, r.Plot(f.plot))
	}
	return err
}

func isFit(head []byte) bool {
	_, err := bestfirst.ReadFit(head)
	return err == nil
}
