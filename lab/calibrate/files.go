package calibrate

import (
	"encoding/json"
	"errors"

	"tesla/bestfirst"
	"tesla/internal/output"
	"tesla/internal/output/plots"
)

// Hold checks that the files of the fit and of the plot can be written, and keeps other processes from holding them until
// release. An empty path is none.
func Hold(fit, plot string) (release func(), err error) {
	var held []func()
	release = func() {
		for _, file := range held {
			file()
		}
	}
	for _, file := range []output.File{{Name: fit, Ours: isFit}, {Name: plot, Ours: plots.Ours}} {
		if file.Name == "" {
			continue
		}
		err := output.Check(file.Name, file.Ours)
		if err == nil {
			var one func()
			if one, err = output.Hold(file.Name); err == nil {
				held = append(held, one)
			}
		}
		if err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// Write writes the files of a result that Hold has checked.
func (r *Result) Write(fit, plot string) (err error) {
	if fit != "" {
		var text []byte
		if text, err = json.Marshal(r.Fit); err == nil {
			err = output.WriteBytes(fit, isFit, append(text, '\n'))
		}
	}
	if plot != "" {
		err = errors.Join(err, r.Plot(plot))
	}
	return err
}

func isFit(head []byte) bool {
	_, err := bestfirst.ReadFit(head)
	return err == nil
}
