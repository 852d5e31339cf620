package bench

import (
	"bytes"
	"compress/gzip"
	"runtime/pprof"

	"tesla/internal/output"
)

// Profile begins a profile of the processor's time. stop ends it and writes it to the file at path.
func Profile(path string) (stop func() error, err error) {
	if err := output.Check(path, isProfile); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := pprof.StartCPUProfile(&text); err != nil {
		return nil, err
	}
	return func() error {
		pprof.StopCPUProfile()
		return output.WriteBytes(path, isProfile, text.Bytes())
	}, nil
}

// isProfile recognizes a profile: a compressed message that begins with field 9, its time, a number of variable length.
func isProfile(head []byte) bool {
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return false
	}
	var first [1]byte
	_, err = z.Read(first[:])
	return err == nil && first[0] == 9<<3
}
