package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Standard is standard output. It keeps the first error of writing, since many callers drop what Fprint returns. Several
// goroutines may write.
type Standard struct {
	out  io.Writer
	lost func() // called once, at the first error

	writing sync.Mutex // one writer at a time; a pipe that nobody reads may block it for ever
	mu      sync.Mutex // guards err; never held while something is written
	err     error
}

// NewStandard wraps standard output. lost is called when a line is lost.
func NewStandard(out io.Writer, lost func()) *Standard { return &Standard{out: out, lost: lost} }

// Write implements io.Writer. After an error nothing more is written.
func (s *Standard) Write(p []byte) (n int, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.Err(); err != nil {
		return 0, err
	}
	if closedAtStart() && s.out == io.Writer(os.Stdout) {
		err = errors.New("closed when the program started")
	} else {
		n, err = s.out.Write(p)
	}
	if err == nil {
		return n, nil
	}
	err = fmt.Errorf("writing standard output: %w", err)
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	s.lost()
	return n, err
}

// Err is the first error of writing. It does not wait for a writer.
func (s *Standard) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Terminal is the file to ask for the size of the terminal, or nil where the output is no file.
func Terminal(w io.Writer) *os.File {
	if s, ok := w.(*Standard); ok {
		w = s.out
	}
	f, _ := w.(*os.File)
	return f
}
